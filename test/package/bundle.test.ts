import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { createRelay } from 'portcullis/relay';
import { createService } from 'portcullis/testing';
import { expect, onTestFinished, test } from 'vitest';
import { listenWith } from '../../src/servers/service/http/listen.js';
import { buildBundle } from '../../tools/build-bundle.js';
import { findChromium } from '../../tools/find-chromium.js';

const page = `<!doctype html><script type="module">
import { createBlocklist, indexedDbStore } from './portcullis.min.js';
globalThis.check = async (input, baseUrl) => {
  const blocklist = createBlocklist({ baseUrl, store: indexedDbStore(), pollMs: 0 });
  await blocklist.ready();
  const { status, reason } = await blocklist.check(input);
  const { isStored } = blocklist.status().sources[0];
  await blocklist.close();
  return { status, reason, isStored };
};
</script>`;

test('a page without a bundler checks with the one minified file, and keeps its list', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'portcullis.min.js');
  await buildBundle(file);
  const script = readFileSync(file, 'utf8');
  const service = createService();
  const listening = await listenWith(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/') return new Response(page, { headers: { 'content-type': 'text/html' } });
    if (pathname === '/portcullis.min.js') return new Response(script, { headers: { 'content-type': 'text/javascript' } });
    return relay.fetch(request);
  }, {});
  const relay = createRelay({
    baseUrl: 'http://localhost',
    apiKey: service.key,
    publicUrl: listening.url,
    fetch: service.fetch,
  });
  const browser = await chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  onTestFinished(async () => {
    await browser.close();
    await listening.close();
    await relay.close();
    await service.close();
  });
  const tab = await browser.newPage();
  await tab.goto(listening.url);
  await tab.waitForFunction('globalThis.check');
  const check = (input: string): Promise<unknown> =>
    tab.evaluate(`check(${JSON.stringify(input)}, ${JSON.stringify(listening.url)})`);
  expect(await check('https://login.scam-mint.example/')).toEqual({ status: 'blocked', reason: 'confirmed', isStored: true });
  expect(await check('https://example.com/')).toEqual({ status: 'clear', reason: 'not-listed', isStored: true });
});
