import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Page, type Worker } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';
import { stride } from '../sampling.js';
import type { Actions } from './extension-page.js';

const folder = mkdtempSync(join(tmpdir(), 'extension-'));
let browser: BrowserContext;
let page: Page;

beforeAll(async () => {
  const extension = join(folder, 'extension');
  mkdirSync(extension);
  await build({
    entryPoints: [fileURLToPath(new URL('./extension-page.ts', import.meta.url))],
    outfile: join(extension, 'script.js'),
    bundle: true,
    format: 'esm',
  });
  writeFileSync(join(extension, 'page.html'), '<!doctype html><script type="module" src="script.js"></script>');
  writeFileSync(
    join(extension, 'manifest.json'),
    JSON.stringify({
      manifest_version: 3,
      name: 'test',
      version: '1',
      permissions: ['storage'],
      background: { service_worker: 'script.js', type: 'module' },
    }),
  );
  const executablePath = findChromium();
  browser = await chromium.launchPersistentContext(join(folder, 'profile'), {
    headless: false,
    ...(executablePath === undefined ? {} : { executablePath }),
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      '--headless=new',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
    ],
  });
  page = await browser.newPage();
  await page.goto(new URL('page.html', (await worker()).url()).href);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function worker(): Promise<Worker> {
  return browser.serviceWorkers()[0] ?? (await browser.waitForEvent('serviceworker'));
}

/** Runs one of the actions in a page or in the worker. */
function ask<Name extends keyof Actions>(
  where: { evaluate(code: string): Promise<unknown> },
  name: Name,
  ...parameters: Parameters<Actions[Name]>
): Promise<Awaited<ReturnType<Actions[Name]>>> {
  const result = where.evaluate(`actions.${name}(...${JSON.stringify(parameters)})`);
  return result as Promise<Awaited<ReturnType<Actions[Name]>>>;
}

test('the storage of a real extension passes the contract', async () => {
  const { count, failures } = await ask(page, 'contract', stride(3));
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(30 / stride(3));
});

test('the worker is notified of the commit of a page, and reads it', async () => {
  await ask(await worker(), 'listen');
  expect(await ask(page, 'write', 7)).toBe(true);
  expect(await ask(await worker(), 'heard')).toBe('head');
  expect(await ask(await worker(), 'read')).toEqual([7]);
});

test('past the quota: reports STORE_FULL, keeps the old value, and leaves no other rows', async () => {
  expect(await ask(page, 'fill')).toEqual({ code: 'STORE_FULL', value: [1], left: ['full:v:value'] });
});
