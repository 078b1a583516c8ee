import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';
import { blockedTitle as blocked, buildExample, type ExtensionSite, startSite } from './extension-site.js';
import { chromiumFlags } from './guarded-chromium.js';

const folder = mkdtempSync(join(tmpdir(), 'gate-restart-'));
const extension = join(folder, 'extension');
const profile = join(folder, 'profile');
let site: ExtensionSite;
let browser: Browser | undefined;
let running: ChildProcess | undefined;

/** Started by hand, so that the browser decides what it opens. */
function start(...args: string[]): void {
  rmSync(join(profile, 'SingletonLock'), { force: true });
  running = spawn(findChromium() ?? 'chromium', [...chromiumFlags(extension, site.port), `--user-data-dir=${profile}`, ...args], {
    stdio: 'ignore',
  });
}

async function connect(): Promise<void> {
  const portFile = join(profile, 'DevToolsActivePort');
  let port = '';
  while (!/^\d+$/.test(port)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (existsSync(portFile)) port = readFileSync(portFile, 'utf8').split('\n')[0]!;
  }
  browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { timeout: 120_000 });
}

async function kill(): Promise<void> {
  const ended = new Promise((resolve) => running?.once('exit', resolve));
  running?.kill('SIGKILL');
  await ended;
  await browser?.close().catch(() => {});
}

const scams = (): string[] => site.seen().filter((line) => line.includes(' scam.example'));

beforeAll(async () => {
  site = await startSite();
  await buildExample(site.listUrl, 'chromium', extension);
  await site.publish(['scam.example']);
  start('--remote-debugging-port=0', 'about:blank');
  await connect();
  const page = await browser!.contexts()[0]!.newPage();
  while ((await page.title().catch(() => '')) !== blocked) {
    await page.goto('http://scam.example/').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await page.close();
}, 180_000);

afterAll(async () => {
  await kill();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('after a kill of the browser and without its list, the first listed page receives no request and a clean one opens', async () => {
  await kill();
  site.loseList();
  site.requests.length = 0;
  // Without a debugger, which would start the worker early.
  start('http://scam.example/restart', 'http://last.example/');
  await expect.poll(() => site.seen(), { timeout: 120_000 }).toContain('GET last.example/');
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(scams()).toEqual([]);
});
