import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright';
import { createBlocklist } from 'portcullis';
import { publishedSource } from 'portcullis/sources';
import { expect, onTestFinished, test, vi } from 'vitest';
import { inputLimits } from '../../../apps/publisher/list-input.js';
import { zipOf } from '../../../apps/publisher/zip-file.js';
import { unzipped } from '../../support/unzip.js';
import { run, temporaryFolder } from '../cli/in-process.js';
import { checkAccess, open, openForAxe, serve, text, usePages } from './page-harness.js';

usePages();

const nowMs = Date.UTC(2026, 10, 24, 12);

interface Upload {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The page, and the URLs that it requests after it has been loaded. */
async function openPublisher(): Promise<{ page: Page; requests: string[] }> {
  const { url } = await serve();
  const page = await open(`${url}publish.html`, { before: (fresh) => fresh.clock.setFixedTime(nowMs) });
  const requests: string[] = [];
  page.on('request', (request) => void requests.push(new URL(request.url()).pathname));
  return { page, requests };
}

async function upload(page: Page, { name, bytes }: Upload): Promise<void> {
  await page.getByLabel(/Choose a file/).setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(bytes) });
  await page
    .locator('#result')
    .or(page.locator('#state', { hasText: 'was not published' }))
    .first()
    .waitFor();
}

async function downloaded(page: Page): Promise<ReadonlyMap<string, Uint8Array>> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /Download/ }).click()]);
  expect(download.suggestedFilename()).toBe('published-list.zip');
  return unzipped(readFileSync(await download.path()));
}

/** What `portcullis publish` writes from the same file at the same time. */
async function published({ name, bytes }: Upload): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = temporaryFolder();
  const list = join(folder, name);
  writeFileSync(list, bytes);
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
  const { code } = await run(['publish', list, '--out', join(folder, 'public')]);
  vi.useRealTimers();
  expect([0, 7]).toContain(code);
  const files = readdirSync(join(folder, 'public'), { recursive: true, encoding: 'utf8' }).map((file) =>
    join(folder, 'public', file),
  );
  const only = files.filter((file) => statSync(file).isFile());
  return new Map(only.map((file) => [file.slice(join(folder, 'public').length + 1), new Uint8Array(readFileSync(file))]));
}

const hosts = (count: number): string => Array.from({ length: count }, (_, at) => `host-${at}.example`).join('\n');
const utf8 = (content: string): Uint8Array => new TextEncoder().encode(content);

test.each<Upload>([
  { name: 'one.txt', bytes: utf8('evil.example\nco.uk\nhttps://other.example/page?a=1\n') },
  { name: 'feed.csv', bytes: utf8('url,status\nhttps://evil.example/a,phishing\nhttps://fine.example/,benign\n') },
  { name: 'packed.txt.gz', bytes: gzipSync(hosts(3_000)) },
  { name: 'large.txt', bytes: utf8(hosts(200_000)) },
])(
  'the folder made of $name is that of portcullis publish, byte for byte but for the name that the command makes up',
  async (list) => {
    const { page, requests } = await openPublisher();
    await upload(page, list);
    const files = await downloaded(page);
    const expected = await published(list);
    expect([...files.keys()].sort()).toEqual([...expected.keys()].map((name) => `published-list/${name}`).sort());
    for (const [name, bytes] of expected) {
      const own = Buffer.from(bytes)
        .toString('latin1')
        .replace(/"listName":"list-[0-9a-f]{16}",/, '');
      expect(own === Buffer.from(files.get(`published-list/${name}`)!).toString('latin1'), name).toBe(true);
    }
    // Only the script of the worker; nothing that was dropped.
    expect(requests.filter((path) => path !== '/publish-worker.js')).toEqual([]);
  },
);

test('a downloaded folder can be checked against, and costs its readers what the page says', async () => {
  const { page } = await openPublisher();
  await upload(page, { name: 'mine.txt', bytes: utf8(hosts(5_000)) });
  const files = await downloaded(page);
  let received = 0;
  const fetch = async (url: string): Promise<Response> => {
    const bytes = files.get(`published-list${new URL(url).pathname}`);
    received += bytes?.length ?? 0;
    return bytes === undefined ? new Response(null, { status: 404 }) : new Response(new Uint8Array(bytes));
  };
  const blocklist = createBlocklist({
    sources: [publishedSource({ url: 'https://list.example', fetch })],
    pollMs: 0,
    now: () => nowMs,
  });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  const kilobytes = async (name: string) => Number(/([\d.]+) (k?)B$/.exec((await sizes(page))[name]!)?.[1]);
  expect((received / 1_000).toFixed(1)).toBe((await kilobytes('A client’s first sync')).toFixed(1));
  received = 0;
  expect(await blocklist.check('https://host-7.example/login')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  expect(received / 1_000).toBeLessThanOrEqual((await kilobytes('A hit, at most')) + 0.1);
  expect(received).toBeGreaterThan(0);
  expect(await blocklist.check('https://fine.example/')).toMatchObject({ status: 'clear' });
});

async function sizes(page: Page): Promise<Record<string, string>> {
  const [names, values] = await Promise.all(['dt', 'dd'].map((kind) => page.locator(`#sizes ${kind}`).allTextContents()));
  return Object.fromEntries(names!.map((name, at) => [name, values![at]!]));
}

test('the page stays responsive while a large list is published, and the work can be cancelled', async () => {
  const { page } = await openPublisher();
  const large = utf8(hosts(600_000));
  // Sending so much to the browser blocks the page itself, so the beats are counted afterwards.
  const working = page
    .getByLabel(/Choose a file/)
    .setInputFiles({ name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.from(large) });
  await page.locator('#step', { hasText: /Reading|Sorting/ }).waitFor();
  await working;
  const beats = await page.evaluate(async () => {
    let count = 0;
    const timer = setInterval(() => count++, 10);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    clearInterval(timer);
    return count;
  });
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('#state', { hasText: 'Cancelled.' }).waitFor();
  expect(await page.locator('#result').isVisible()).toBe(false);
  expect(await page.locator('#work').isVisible()).toBe(false);
  // A page that is never blocked has 150, and one that does the work itself has none for seconds.
  expect(beats).toBeGreaterThan(30);
});

test.each([
  ['light', 375],
  ['light', 1280],
  ['dark', 375],
  ['dark', 1280],
] as const)('the page for publishers passes axe in %s, %i pixels wide', async (colorScheme, width) => {
  const page = await openForAxe(colorScheme, width, 'publish.html');
  await checkAccess(page);
  await page.getByRole('button', { name: 'Use a small example' }).click();
  await page.locator('#result').waitFor();
  await checkAccess(page);
});

test('a file beyond the limits is refused before it is read', async () => {
  const { page } = await openPublisher();
  const lines = new Uint8Array(inputLimits.maxLines + 2).fill(10);
  await upload(page, { name: 'lines.txt', bytes: lines });
  expect(await text(page, 'state')).toContain('has more than 5000000 lines');
  await page.getByLabel('Format', { exact: true }).selectOption('lines');
  await page.locator('#state', { hasText: 'was not published' }).waitFor();
  await upload(page, { name: 'bomb.txt.gz', bytes: gzipSync(new Uint8Array(inputLimits.maxBytes + 1).fill(97)) });
  expect(await text(page, 'state')).toContain('when it is decompressed');
  await upload(page, { name: 'broken.txt.gz', bytes: utf8('not gzip') });
  expect(await text(page, 'state')).toContain('broken.txt.gz was not published: the file ends in .gz, but is damaged');
});

test('more files than an archive can count are refused', () => {
  const many = function* () {
    for (let at = 0; at < 70_000; at++) yield { name: String(at), bytes: new Uint8Array(0) };
  };
  expect(() => zipOf('list', many(), 0)).toThrow(RangeError);
});
