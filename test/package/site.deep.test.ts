import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../tools/find-chromium.js';
import { buildSite } from '../../tools/site/build-site.js';
import { serveSite } from '../../tools/site/serve-site.js';

/** Not the root, so that a link without the base fails. */
const base = '/some/folder/';

let folder: string;
let site: Awaited<ReturnType<typeof serveSite>>;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portcullis-site-'));
  await buildSite({ out: folder, base });
  site = await serveSite(folder, base);
  browser = await chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-background-networking'],
  });
});

afterAll(async () => {
  await browser?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A page whose requests to other origins and whose errors fail the test. */
async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url) && !/^(?:data|blob|about):/.test(request.url())) faults.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error}`));
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  onTestFinished(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
  return page;
}

/** Vue has taken over the page that was built. */
const hydrated = (page: Page): Promise<void> =>
  page.waitForFunction("document.querySelector('#app')?.__vue_app__").then(() => {});

interface Seen {
  readonly links: readonly string[];
  readonly ids: readonly string[];
  readonly overflow: number;
}

const pagesOf = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html') && name !== '404.html');

async function seen(page: Page): Promise<Seen> {
  return page.evaluate(() => ({
    links: [...document.querySelectorAll('a[href]')].map((link) => (link as HTMLAnchorElement).href),
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    overflow: document.documentElement.scrollWidth - innerWidth,
  }));
}

test('every page opens on a phone without an error, and every link of it leads to a page and a heading', async () => {
  const names = pagesOf();
  expect(names.length).toBeGreaterThan(100);
  const found = new Map<string, Seen>();
  const open = async (some: readonly string[]): Promise<void> => {
    const page = await newPage({ viewport: { width: 375, height: 812 } });
    for (const name of some) {
      await page.goto(site.url + name);
      if (!name.startsWith('try/')) await hydrated(page);
      found.set(site.url + name, await seen(page));
    }
  };
  const half = Math.ceil(names.length / 2);
  await Promise.all([open(names.slice(0, half)), open(names.slice(half))]);

  const faults: string[] = [];
  const files = new Set<string>();
  for (const [url, { links, overflow }] of found) {
    if (overflow > 0) faults.push(`${url} is ${overflow} pixels too wide`);
    for (const link of new Set(links)) {
      const { hash } = new URL(link);
      const target = link.slice(0, link.length - hash.length).replace(/\/$/, '/index.html');
      if (!target.startsWith(site.url)) {
        if (target.startsWith(new URL(site.url).origin)) faults.push(`${url} links out of the site, to ${link}`);
      } else if (!found.has(target)) files.add(target);
      else if (hash !== '' && !found.get(target)!.ids.includes(decodeURIComponent(hash.slice(1))))
        faults.push(`${url} links to ${link}`);
    }
  }
  expect(faults).toEqual([]);
  for (const file of files) expect((await fetch(file)).status, file).toBe(200);
  expect([...files].map((file) => file.slice(site.url.length))).toContain('openapi.json');
});

test.each([
  ['Extension author', 'extension.html'],
  ['Wallet author', 'wallet.html'],
  ['Developer of a Node service', 'node-service.html'],
  ['List publisher', 'own-list.html'],
  ['Analyst with a shell', 'command-line.html'],
  ['Agent author', 'tools.html'],
])('the %s is one click from the tutorial', async (reader, tutorial) => {
  const page = await newPage();
  await page.goto(site.url);
  await hydrated(page);
  await page.getByRole('heading', { name: reader }).click();
  await page.waitForURL(site.url + tutorial);
  await page.getByRole('heading', { level: 1 }).waitFor();
});

test('the search finds Redis and leads to it', async () => {
  const page = await newPage();
  await page.goto(site.url);
  await hydrated(page);
  await search(page, 'redis');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${site.url}fleets.html#redis-or-valkey`);
  await page.getByRole('heading', { name: 'Redis or Valkey' }).waitFor();
});

/** What readers type, and the page that answers it. */
const questions = {
  install: 'overview',
  'block a link': 'extension',
  'false positive': 'troubleshooting',
  'check an address': 'wallet',
  'how do I check a link from the shell': 'command-line',
  'react native': 'react-native',
  'api key': 'relay',
  'what is sent to the server': 'privacy',
  'hide what I ask': 'unseen-questions',
  'same list for everyone': 'same-list',
  'bundle size': 'light',
  'claude mcp': 'tools',
  'how often is the list updated': 'sync',
  'make my own list': 'own-list',
  'verify a webhook': 'webhooks',
  'telegram user': 'asset-types',
  INVALID_INPUT: 'errors',
  'require commonjs': 'use-it-from',
  'express middleware': 'node-service',
  'test without network': 'testing',
  'google safe browsing': 'safe-browsing',
  'docker container': 'deploying-the-relay',
  'memory usage': 'capacity',
  'which list can I use': 'lists',
  'unblock a site': 'verdicts',
};

test('the search leads to the page that answers, among the first two', async () => {
  const page = await newPage();
  await page.goto(site.url);
  await hydrated(page);
  await page.keyboard.press('Control+k');
  const found: Record<string, string> = {};
  for (const [question, answer] of Object.entries(questions)) {
    await page.getByRole('searchbox').fill('');
    await page.locator('.results li').first().waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill(question);
    await page.getByRole('option').first().waitFor();
    const links = await page.getByRole('option').evaluateAll((rows) => rows.map((row) => (row as HTMLAnchorElement).pathname));
    const pages = [...new Set(links.map((link) => link.slice(base.length).replace('.html', '')))];
    found[question] = pages.indexOf(answer) < 2 && pages.includes(answer) ? answer : pages.slice(0, 4).join(' ');
  }
  expect(found).toEqual(questions);
});

async function search(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox').fill(words);
  await page.getByRole('option').first().waitFor();
}

test('the playground blocks a listed link without a server', async () => {
  const page = await newPage();
  await page.goto(site.url);
  await page.getByRole('link', { name: 'Try it in this browser' }).click();
  await page.waitForURL(`${site.url}try/`);
  await page.locator('#list-storage', { hasText: 'IndexedDB, stored' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'A listed link' }).click();
  await page.locator('#verdict[data-status="blocked"][data-reason="confirmed"]').waitFor();
  await page.getByRole('button', { name: 'Not listed' }).click();
  await page.locator('#verdict[data-status="clear"]').waitFor();
  await page.getByRole('link', { name: 'Portcullis documentation' }).click();
  await page.waitForURL(site.url);
});

describe.each([
  ['light', 375],
  ['dark', 375],
  ['light', 1280],
  ['dark', 1280],
] as const)('in %s, %i pixels wide', (colorScheme, width) => {
  test('the pages pass axe', async () => {
    // The playground's policy would not let axe in.
    const page = await newPage({ colorScheme, viewport: { width, height: 812 }, bypassCSP: true });
    for (const name of ['', 'contents.html', 'overview.html', 'extension.html', 'errors.html', 'api/stores/file.html', 'try/']) {
      await page.goto(site.url + name);
      if (name !== 'try/') {
        await hydrated(page);
        expect(await page.locator('html.dark').count()).toBe(colorScheme === 'dark' ? 1 : 0);
      } else await page.locator('#list-storage', { hasText: 'IndexedDB, stored' }).waitFor({ state: 'attached' });
      await checkAccess(page);
    }
  });

  test('the search passes axe', async () => {
    const page = await newPage({ colorScheme, viewport: { width, height: 812 } });
    await page.goto(`${site.url}verdicts.html`);
    await hydrated(page);
    await search(page, 'redis');
    await checkAccess(page);
  });
});

async function checkAccess(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const options = {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    // Experimental: it takes the keys in "Search Ctrl K" for a part of the label.
    rules: { 'label-content-name-mismatch': { enabled: false } },
  };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
  const faults = violations.map(({ id, nodes }) => [page.url(), id, nodes.slice(0, 5).map(({ html }) => html)]);
  expect(faults).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), page.url()).toBeLessThanOrEqual(0);
}
