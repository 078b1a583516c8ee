import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium, type Page } from 'playwright';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';

const rounds = 4;

/** On a busy machine a browser may stop responding when it starts over the profile of a killed one, which is not what this tests. */
const maxStarts = 3;
const startTimeoutMs = 15_000;

interface Browsed {
  readonly page: Page;
  kill(): Promise<void>;
}

/** A page in a new browser, and a function that kills the whole browser. */
async function browse(profile: string, url: string): Promise<Browsed> {
  for (let starts = 1; ; starts++) {
    const { endpoint, kill } = await launched(profile);
    try {
      const [context] = (await chromium.connectOverCDP(endpoint, { timeout: startTimeoutMs })).contexts();
      const page = await context!.newPage();
      await page.goto(url, { timeout: startTimeoutMs });
      return { page, kill };
    } catch (error) {
      await kill();
      if (starts === maxStarts) throw error;
    }
  }
}

async function launched(profile: string): Promise<Omit<Browsed, 'page'> & { readonly endpoint: string }> {
  const browser = spawn(
    findChromium() ?? 'chromium',
    [
      '--headless=new',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
    ],
    // In its own process group, so that its children die with it.
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const closed = once(browser, 'close');
  const kill = async (): Promise<void> => {
    if (browser.exitCode === null && browser.signalCode === null) process.kill(-browser.pid!, 'SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  const lines = createInterface(browser.stderr);
  const endpoint = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const [, found] = /^DevTools listening on (ws:.*)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    lines.on('close', () => reject(new Error('the browser did not start')));
  });
  return { endpoint, kill };
}

test('a browser killed during a save keeps the old or the new list, and everything it acknowledged', async () => {
  const profile = mkdtempSync(join(tmpdir(), 'profile-'));
  onTestFinished(() => rmSync(profile, { recursive: true, force: true, maxRetries: 10 }));
  const script = await build({
    entryPoints: [fileURLToPath(new URL('./indexeddb-page.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><script type="module">${script.outputFiles[0]!.text}</script>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  let acknowledged = 0;
  let proofs = 0;
  const verify = async (page: Page, isFirst: boolean): Promise<void> => {
    // Sometimes Chromium itself deletes all files of an origin when it starts after a kill.
    const isKept = await page.evaluate('actions.hasWitness()');
    if (!isKept) acknowledged = 0;
    if (isKept && !isFirst) proofs++;
    expect(await page.evaluate('actions.newest()')).toBeGreaterThanOrEqual(acknowledged);
  };
  for (let round = 0; round < rounds; round++) {
    const { page, kill } = await browse(profile, url);
    await verify(page, round === 0);
    const before = acknowledged;
    page.on('console', (message) => {
      acknowledged = Math.max(acknowledged, Number(/^head (\d+)$/.exec(message.text())?.[1] ?? 0));
    });
    page.evaluate('void actions.saveOn()').catch(() => {});
    await expect.poll(() => acknowledged, { timeout: 30_000 }).toBeGreaterThan(before);
    await sleep(Math.random() * 100);
    await kill();
  }
  const { page } = await browse(profile, url);
  await verify(page, false);
  expect(proofs).toBeGreaterThan(0);
});
