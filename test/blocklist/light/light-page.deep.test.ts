import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { buildList } from 'portcullis/publish';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';
import { closeServer } from '../../support/listen.js';
import { filesOf, shardWith } from '../sources/harness.js';

/** A page in a real browser: one file, a policy that allows no inline script and no eval, IndexedDB, and a published list. */

const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'";

const script = `
import { createLightBlocklist, evm, lightStore, lightPublishedSource } from './src/entry/light.ts';
globalThis.violations = [];
document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => violations.push(violatedDirective));
globalThis.open = (name) => {
  const source = lightPublishedSource({ url: location.origin + '/list' });
  const blocklist = createLightBlocklist({ source, families: [evm], store: lightStore({ name }), pollMs: 0 });
  blocklist.errors = [];
  blocklist.on('error', ({ where, error }) => blocklist.errors.push(where + ' ' + error.code));
  return blocklist;
};
globalThis.blocklist = open('page');
`;

const address = '0x52908400098527886E0F7030069857D2E4169EE7';
let server: Server;
let context: BrowserContext;
let page: Page;
let profile: string;
let origin: string;
let files: Map<string, Uint8Array>;
const requested: string[] = [];

const list = async (hosts: readonly string[], atMs: number) =>
  filesOf(await buildList([...hosts], { isPublicSuffix: () => false, shards: 4096, now: () => atMs }));

beforeAll(async () => {
  files = await list(['evil.example', address], Date.now() - 60_000);
  const built = await build({
    stdin: { contents: script, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    write: false,
  });
  server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://x').pathname;
    requested.push(path);
    const send = (type: string, body: string | Uint8Array): void =>
      void response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(body);
    const file = path.startsWith('/list/') ? files.get(path.slice('/list/'.length)) : undefined;
    if (path === '/') send('text/html', '<!doctype html><title>page</title><script src="/page.js"></script>');
    else if (path === '/page.js') send('text/javascript', built.outputFiles[0]!.contents);
    else if (file !== undefined) send('application/octet-stream', file);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  profile = mkdtempSync(join(tmpdir(), 'light-page-'));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium() ?? 'chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--no-first-run'],
  });
  page = await context.newPage();
  await page.goto(origin);
});

afterAll(async () => {
  await context?.close();
  await closeServer(server);
  rmSync(profile, { recursive: true, force: true });
});

const run = <T>(expression: string, tab = page): Promise<T> => tab.evaluate<T>(expression);
const check = (text: string, tab = page): Promise<{ status: string; reason: string }> =>
  run(`blocklist.check(${JSON.stringify(text)})`, tab);

test('fetches, stores, checks and confirms under a strict policy, from one file', async () => {
  await run('blocklist.ready()');
  expect(await check('https://login.evil.example/a')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  expect(await check(address)).toMatchObject({ status: 'blocked', asset: { type: 'ADDRESS' } });
  expect(await check('good.example')).toMatchObject({ status: 'clear', reason: 'not-listed' });
  expect(await run('[violations, blocklist.errors]')).toEqual([[], []]);
  expect(requested).toContain(`/list/${shardWith('evil.example', files.keys())}`);
});

test('after a reload without the network the stored list and the confirmed block still answer', async () => {
  const saved = files;
  files = new Map();
  await page.reload();
  expect(await check('good.example')).toMatchObject({ status: 'clear' });
  expect(await check('evil.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  expect(await run<string>('blocklist.sync().then(({ error }) => error.code)')).toBe('NOT_FOUND');
  expect(await check('good.example')).toMatchObject({ status: 'clear' });
  files = saved;
});

test('a tab with an older list does not replace the newer one', async () => {
  const other = await context.newPage();
  await other.goto(origin);
  await run("(globalThis.both = open('both')).ready()", other);
  const saved = files;
  files = await list(['evil.example', 'new.example'], Date.now());
  await run("(globalThis.both = open('both')).sync()");
  expect(await run('both.test("new.example").status')).toBe('unconfirmed');
  // An edge of the host gives the other tab a version between the two, which it has not had.
  files = await list(['evil.example', 'mid.example'], Date.now() - 30_000);
  expect(await run('both.sync().then(({ outcome }) => outcome)', other)).toBe('updated');
  expect(await run('both.test("new.example").status', other)).toBe('clear');
  files = new Map();
  await run('both.close()');
  await page.reload();
  await run("(globalThis.both = open('both')).ready()");
  expect(await run('both.test("new.example").status')).toBe('unconfirmed');
  files = saved;
  await other.close();
});

test('a deleted database is made again', async () => {
  await run("new Promise((done) => { indexedDB.deleteDatabase('page').onsuccess = done; }).then(() => {})");
  await run('blocklist.sync()');
  await run('blocklist.sync()');
  expect(await check('evil.example')).toMatchObject({ status: 'blocked' });
  expect(await run('blocklist.errors')).toEqual([]);
});
