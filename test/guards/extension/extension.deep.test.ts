import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { buildList } from 'portcullis/publish';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';

const folder = mkdtempSync(join(tmpdir(), 'gate-'));
const extension = join(folder, 'extension');
const requests: IncomingMessage[] = [];
let files = new Map<string, Uint8Array>();
let context: BrowserContext;
let page: Page;

/** Serves the list, and every host of the test. It counts what the hosts receive. */
const server = createServer((request, response) => {
  const { host = '', cookie = '' } = request.headers;
  const path = request.url ?? '/';
  if (host.startsWith('127.0.0.1')) {
    const bytes = files.get(path.slice(1));
    response.writeHead(bytes === undefined ? 404 : 200, { 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
    response.end(bytes);
    return;
  }
  if (path !== '/favicon.ico') requests.push(request);
  if (path === '/to-scam') response.writeHead(302, { location: 'http://scam.example/end' });
  else if (path === '/file') response.setHeader('content-disposition', 'attachment; filename=file.txt');
  else
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': ['strict=1; SameSite=Strict', 'lax=1; SameSite=Lax'] });
  response.end(`<!doctype html><title>${host}${path}</title><p>${cookie}<form method="post" action="http://scam.example/post"><button>post</button></form>
    <a href="http://scam.example/">scam</a> <a target="_blank" rel="opener" href="http://next.example/">next</a>
    <a id="tab" target="_blank" href="http://scam.example/tab">tab</a>
    <form method="post" target="_blank" action="http://scam.example/tab"><button id="tab-post">tab</button></form>`);
});

async function publish(entries: readonly string[]): Promise<void> {
  const list = await buildList(entries, { isPublicSuffix: () => false });
  files = new Map([...list.files].map(({ name, bytes }) => [name, bytes]));
}

async function start(): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const executablePath = findChromium();
  context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    headless: false,
    ...(executablePath === undefined ? {} : { executablePath }),
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      ...['--headless=new', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--lang=en'],
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      `--host-resolver-rules=MAP *.example 127.0.0.1:${port}`,
      '--disable-features=HttpsUpgrades',
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
    ],
  });
  if (context.serviceWorkers().length === 0) await context.waitForEvent('serviceworker');
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mkdirSync(extension);
  cpSync('examples/extension', extension, { recursive: true, filter: (name) => !name.endsWith('.ts') });
  await build({
    entryPoints: ['examples/extension/worker.ts', 'examples/extension/gate.ts'],
    outdir: extension,
    bundle: true,
    format: 'esm',
    tsconfig: 'tsconfig.tools.json',
    define: { LIST_URL: JSON.stringify(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) },
  });
  await publish(['scam.example', 'mixed.example/bad']);
  await start();
  // The gate is in place once it blocks.
  const first = await context.newPage();
  while ((await first.title().catch(() => '')) !== blocked) {
    await first.goto('http://scam.example/').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await first.close();
}, 60_000);

beforeEach(async () => {
  requests.length = 0;
  page = await context.newPage();
});

afterEach(async () => {
  await page.close();
});

afterAll(async () => {
  await context?.close();
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const blocked = 'This page is a known scam';
const seen = (): string[] => requests.map(({ method, headers, url }) => `${method} ${headers.host}${url}`);

/** Opens a link. The gate aborts or replaces the navigation, so only the page in the end counts. */
async function open(url: string, title: string): Promise<void> {
  await page.goto(url).catch(() => {});
  await shows(title);
}

async function shows(title: string): Promise<void> {
  await expect.poll(() => page.title().catch(() => ''), { timeout: 10_000 }).toBe(title);
}

async function stopWorker(): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
}

test('a listed page shows a warning and receives no request, and "go back" returns', async () => {
  await open('http://good.example/a', 'good.example/a');
  await page.click('text=scam');
  await shows(blocked);
  expect(await page.textContent('#url')).toBe('http://scam.example/');
  await page.click('#back');
  await shows('good.example/a');
  expect(seen().filter((line) => line.includes('scam'))).toEqual([]);
});

test('a clean page keeps its query and fragment, is requested once, and leaves no gate in the history', async () => {
  await open('http://one.example/', 'one.example/');
  await open('http://two.example/a?b=c&d=%2F#e?f#g', 'two.example/a?b=c&d=%2F');
  expect(page.url()).toBe('http://two.example/a?b=c&d=%2F#e?f#g');
  expect(seen()).toEqual(['GET one.example/', 'GET two.example/a?b=c&d=%2F']);
  await page.goBack();
  await shows('one.example/');
});

test("a redirect that ends on a listed host is stopped before it, as is a killed worker's first page", async () => {
  await open('http://good.example/to-scam', blocked);
  await stopWorker();
  await open('http://scam.example/again', blocked);
  expect(seen().filter((line) => line.includes('scam.example'))).toEqual([]);
});

test('cookies with SameSite=Strict and Lax reach a typed page through the gate', async () => {
  await open('http://cookies.example/', 'cookies.example/');
  // A change of the list ends the pass.
  await publish(['scam.example', 'mixed.example/bad', 'other.example']);
  await sync();
  requests.length = 0;
  await open('http://cookies.example/', 'cookies.example/');
  expect(requests[0]?.headers.cookie).toBe('strict=1; lax=1');
});

test('a POST and a page listed below a skipped host are replaced, and "go back" skips them', async () => {
  await open('http://good.example/form', 'good.example/form');
  await page.click('button');
  await shows(blocked);
  await page.click('#back');
  await shows('good.example/form');
  await open('http://mixed.example/', 'mixed.example/');
  await open('http://mixed.example/bad', blocked);
  await page.click('#back');
  await shows('mixed.example/');
});

test('"go back" closes a tab that shows nothing but the warning, and one opened on a listed page', async () => {
  await open('http://opener.example/', 'opener.example/');
  for (const [link, count] of [
    ['#tab', 0],
    ['#tab-post', 1],
  ] as const) {
    requests.length = 0;
    const [next] = await Promise.all([context.waitForEvent('page'), page.click(link)]);
    await expect.poll(() => next.title().catch(() => '')).toBe(blocked);
    expect(seen()).toHaveLength(count);
    await Promise.all([next.waitForEvent('close'), next.click('#back')]);
  }
});

test('"open once" opens the page in this tab only', async () => {
  await open('http://scam.example/once', blocked);
  await page.click('#once');
  await shows('scam.example/once');
  const first = page;
  page = await context.newPage();
  await open('http://scam.example/once', blocked);
  await first.close();
  expect(seen()).toEqual(['GET scam.example/once']);
});

test('a new tab keeps its opener and downloads work', async () => {
  await open('http://opener.example/', 'opener.example/');
  const [next] = await Promise.all([context.waitForEvent('page'), page.click('text=next')]);
  await expect.poll(() => next.title()).toBe('next.example/');
  await next.close();
  const [download] = await Promise.all([page.waitForEvent('download'), page.goto('http://files.example/file').catch(() => {})]);
  expect(download.suggestedFilename()).toBe('file.txt');
  expect(seen().filter((line) => line.includes('/file'))).toHaveLength(1);
});

test('a page cannot frame the warning', async () => {
  await open('http://frame.example/', 'frame.example/');
  const { host } = new URL(context.serviceWorkers()[0]!.url());
  await page.evaluate((src) => {
    document.body.append(Object.assign(document.createElement('iframe'), { src }));
  }, `chrome-extension://${host}/gate.html?http://scam.example/`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const texts = await Promise.all(
    page
      .frames()
      .slice(1)
      .map((frame) => frame.content().catch(() => '')),
  );
  expect(texts.join('')).not.toContain('gate.js');
});

/** Fires the alarm early, which fetches the list. */
async function sync(): Promise<void> {
  const worker = context.serviceWorkers()[0]!;
  await worker.evaluate(() => {
    const { alarms } = (globalThis as unknown as { chrome: { alarms: { create(name: string, info: object): void } } }).chrome;
    alarms.create('portcullis', { when: Date.now(), periodInMinutes: 1 });
  });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
}

test('a block that arrives replaces an open page, and a removal opens it again', async () => {
  await open('http://later.example/', 'later.example/');
  await publish(['scam.example', 'mixed.example/bad', 'later.example']);
  await sync();
  await shows(blocked);
  await publish(['scam.example', 'mixed.example/bad']);
  await sync();
  await open('http://later.example/', 'later.example/');
});

test('after a restart without the network of the list the first listed page receives no request', async () => {
  await page.close();
  await context.close();
  files = new Map();
  await start();
  page = await context.newPage();
  await open('http://scam.example/restart', blocked);
  expect(seen()).toEqual([]);
});
