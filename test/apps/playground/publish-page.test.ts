import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { logList, type PortcullisError } from 'portcullis/publish';
import { expect, test } from 'vitest';
import { listTextOf } from '../../../apps/publisher/list-input.js';
import { memoryLog, publisher } from '../../servers/log/log-harness.js';
import { temporaryFolder } from '../cli/in-process.js';
import { checkAccess, open, openForAxe, serve, text, usePages } from './page-harness.js';

usePages();

test('shows what is read, what is refused and why, and sizes, with the keyboard alone and without a request', async () => {
  const { url } = await serve();
  const page = await open(`${url}publish.html`);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  const stops: (string | null)[] = [];
  for (const _ of ['back to the playground', 'file', 'format', 'sample']) {
    await page.keyboard.press('Tab');
    stops.push(await page.evaluate('document.activeElement.id || document.activeElement.textContent'));
  }
  expect(stops).toEqual(['Try a list in the playground', 'file', 'format', 'sample']);
  await page.keyboard.press('Enter');
  await page.locator('#result').waitFor();
  expect(await text(page, 'state')).toBe('sample.txt: 2 entries listed, 4 lines refused.');
  expect(await page.locator('#state').getAttribute('role')).toBe('status');
  const rows = await page
    .locator('#refused tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  expect(rows).toEqual([
    ['public-suffix', 'line 3 (co.uk)', 'write the host below it'],
    ['shared-host', 'line 4 (t.me)', 'write the page or the subdomain'],
    ['private-address', 'line 5', 'leave it out: it is another machine in every network'],
    ['several', 'line 6', 'write one entry per line'],
  ]);
  expect(await text(page, 'sizes')).toMatch(
    /A client’s first sync\d+ BA sync without changes\d+ BA hit, at most112 BA missnothing/,
  );
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.id')).toBe('download');
  expect(requests.filter((path) => path !== '/publish-worker.js')).toEqual([]);
});

test('a list without entries is not offered for download, and a secret in it is not shown', async () => {
  const { url } = await serve();
  const page = await open(`${url}publish.html`);
  const secret = `${'00'.repeat(31)}01`;
  // Otherwise it would be refused as a whole, because nothing in it looks like a list.
  await page.getByLabel('Format', { exact: true }).selectOption('lines');
  await page.getByLabel(/Choose a file/).setInputFiles({ name: 'keys.txt', mimeType: 'text/plain', buffer: Buffer.from(secret) });
  await page.locator('#state', { hasText: 'There is nothing to publish.' }).waitFor();
  expect(await page.getByRole('link', { name: /Download/ }).isVisible()).toBe(false);
  expect(await text(page, 'refused')).toContain('remove it and treat it as compromised');
  expect(await page.locator('body').textContent()).not.toContain('00000000');
});

test('verifies a log and shows how its list grew, and shows nothing of a log that is changed or has another key', async () => {
  const own = await publisher();
  const log = memoryLog();
  for (const hosts of [['a'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd', 'e']])
    await logList(await own.list(...hosts.map((name) => `${name}.example`)), { signer: own.signer, storage: log });
  const folder = temporaryFolder();
  for (const [path, bytes] of log.files) {
    mkdirSync(dirname(join(folder, 'log', path)), { recursive: true });
    writeFileSync(join(folder, 'log', path), bytes);
  }
  const { url } = await serve();
  const page = await open(`${url}publish.html`);
  const key = page.getByLabel('Public key of the log');
  const said = async (place: string, words: RegExp): Promise<void> => {
    await page.getByLabel(/choose the folder/).setInputFiles(place);
    await page.locator('#log-state', { hasText: words }).waitFor();
  };
  await key.fill(own.vkey);
  const verified = /^Verified: 3 versions, from 1 entry on \d{4}-\d\d-\d\d to 5 entries on \d{4}-\d\d-\d\d, at most 5\.$/;
  for (const place of [join(folder, 'log'), folder]) await said(place, verified);
  expect(await page.getByRole('img', { name: '3 versions, from 1 entry on' }).isVisible()).toBe(true);
  expect(await page.locator('#growth polyline').getAttribute('points')).toBe('0,128 320,64 640,0');
  await key.fill((await publisher()).vkey);
  await said(folder, /not signed by this key.*LOG_PROOF_INVALID/);
  expect(await page.locator('#growth polyline').count()).toBe(0);
  await key.fill(own.vkey);
  const bundle = join(folder, 'log/tile/entries/000.p/3');
  writeFileSync(bundle, readFileSync(bundle).fill(1, 40, 41));
  await said(folder, /not those of the checkpoint.*LOG_PROOF_INVALID/);
});

// publish-page.deep.test.ts has both color schemes at two widths.
test('the page for publishers passes axe', async () => {
  const page = await openForAxe('dark', 375, 'publish.html');
  await page.getByRole('button', { name: 'Use a small example' }).click();
  await page.locator('#result').waitFor();
  await checkAccess(page);
});

/** The code of the error with which reading ends, and how much was read before. */
async function readAll(file: Blob, name: string, limits: { maxBytes: number; maxLines: number }) {
  let bytes = 0;
  try {
    const { data } = listTextOf({ file, name, format: undefined, limits });
    for await (const piece of data as AsyncIterable<Uint8Array>) bytes += piece.length;
    return { bytes };
  } catch (error) {
    return { bytes, code: (error as PortcullisError).code };
  }
}

test('limits count bytes and lines before the library sees them', async () => {
  const lines = new Blob(['a.example\n'.repeat(10)]);
  expect(await readAll(lines, 'a.txt', { maxBytes: 100, maxLines: 10 })).toEqual({ bytes: 100 });
  expect(await readAll(lines, 'a.txt', { maxBytes: 99, maxLines: 10 })).toEqual({ bytes: 0, code: 'LIMIT_EXCEEDED' });
  expect(await readAll(lines, 'a.txt', { maxBytes: 100, maxLines: 9 })).toEqual({ bytes: 0, code: 'LIMIT_EXCEEDED' });
  const packed = await new Response(lines.stream().pipeThrough(new CompressionStream('gzip'))).blob();
  expect(await readAll(packed, 'a.txt.gz', { maxBytes: 100, maxLines: 10 })).toEqual({ bytes: 100 });
  expect(await readAll(packed, 'a.txt.gz', { maxBytes: 99, maxLines: 10 })).toMatchObject({ code: 'LIMIT_EXCEEDED' });
});
