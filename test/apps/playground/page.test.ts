import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { buildList } from 'portcullis/publish';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { pageFiles } from '../../../src/apps/playground/page-files.js';
import { listenWith } from '../../../src/servers/service/http/listen.js';
import { findChromium } from '../../../tools/find-chromium.js';
import { builtPage, servePlayground } from './harness.js';

let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-background-networking'],
  });
});

afterAll(() => browser.close());

/** Waits for what comes over two machines' worth of work on a busy one. */
const waitMs = 20_000;

/** A page in a profile of its own, which asks nobody but its origin and says nothing wrong; else the test fails. */
async function open(
  url: string,
  options: BrowserContextOptions & { mayFail?: boolean; before?: (page: Page) => Promise<unknown> } = {},
) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(waitMs);
  const faults: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin && !request.url().startsWith('data:')) faults.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !(options.mayFail && message.text().startsWith('Failed to load resource')))
      faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  await options.before?.(page);
  await page.goto(url);
  onTestFinished(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
  return page;
}

const type = (page: Page, text: string) => page.getByRole('textbox').fill(text);

/** As a script would, because a keyboard takes its time for a megabyte. */
const paste = (page: Page, text: string) =>
  page.getByRole('textbox').evaluate((box: HTMLTextAreaElement, pasted) => {
    box.value = pasted;
    box.dispatchEvent(new Event('input'));
  }, text);

const verdict = (page: Page, status: string, reason: string) =>
  page.locator(`#verdict[data-status="${status}"][data-reason="${reason}"]`).waitFor();

const text = async (page: Page, id: string): Promise<string> => (await page.locator(`#${id}`).textContent()) ?? '';

const listIsThere = (page: Page) => page.locator('#list-storage', { hasText: 'IndexedDB, stored' }).waitFor();

/** Longer than an answer counts, and than an interval of polling. */
const laterMs = 6 * 60_000;

const dayMs = 24 * 60 * 60_000;

test('what is blocked stays blocked without a network, and after a reload', async () => {
  const { url } = await servePlayground();
  const page = await open(url, { before: (fresh) => fresh.clock.install() });
  await listIsThere(page);
  await type(page, 'https://login.scam-mint.example/claim?ref=1');
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'verdict-reason')).toContain('scam-mint.example is listed');
  expect(await text(page, 'journey')).toContain('in the snapshot');
  const marks = await page.locator('#journey .hash mark').allTextContents();
  expect(marks).toHaveLength(4);
  for (const mark of marks) expect(mark).toMatch(/^[0-9a-f]{8}$/);
  expect(await text(page, 'journey')).toContain('one of them equal in all 32 bytes');

  await page.getByRole('switch', { name: 'Offline' }).click();
  await page.clock.fastForward(laterMs);
  await type(page, 'scam-mint.example');
  await verdict(page, 'blocked', 'confirmed-earlier');
  await page.locator('#log', { hasText: 'refused by the switch' }).waitFor();

  await page.reload();
  expect(await page.getByRole('switch').getAttribute('aria-checked')).toBe('true');
  await type(page, 'scam-mint.example/other');
  await verdict(page, 'blocked', 'confirmed-earlier');
  expect(await text(page, 'list-entries')).toBe('5');

  await page.getByRole('switch').click();
  await verdict(page, 'blocked', 'confirmed');
});

test('a block comes by the recent feed, and an allow takes it away', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  const before = await text(page, 'list-recent-token');
  await type(page, 'https://new-mint.example/');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'journey')).toContain('Nothing was sent.');
  await page.getByRole('button', { name: 'Block on the service' }).click();
  await verdict(page, 'blocked', 'confirmed');
  await page.locator('#act-result', { hasText: 'the recent feed brought the change' }).waitFor();
  const after = await text(page, 'list-recent-token');
  expect(after).not.toBe(before);
  expect(await text(page, 'act-result')).toContain(`${before} → ${after}`);
  expect(await text(page, 'list-recent')).toBe('1');
  expect(await text(page, 'journey')).toContain('in the recent feed');
  await page.getByRole('button', { name: 'Allow on the service' }).click();
  await page.locator('#verdict[data-status="clear"]').waitFor();

  // A page of a listed site: what is listed is lifted.
  await type(page, 'https://scam-mint.example/claim');
  await verdict(page, 'blocked', 'confirmed');
  await page.getByRole('button', { name: 'Allow on the service' }).click();
  await verdict(page, 'clear', 'not-listed');
  await page.locator('#act-result', { hasText: 'a new snapshot brought the change' }).waitFor();
});

test('a button says why the service refuses', async () => {
  const { url } = await servePlayground();
  const page = await open(url, { mayFail: true });
  await listIsThere(page);
  await page.getByRole('button', { name: 'Block on the service' }).click();
  expect(await text(page, 'act-result')).toContain('type something first');
  await type(page, 'scam-mint.example');
  await verdict(page, 'blocked', 'confirmed');
  await page.getByRole('button', { name: 'Block on the service' }).click();
  await page.locator('#act-result', { hasText: 'The service says: It is already BLOCKED.' }).waitFor();
});

test('the things in a message are offered, and each has its verdict', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  await page.getByRole('button', { name: 'A message' }).click();
  await verdict(page, 'blocked', 'confirmed');
  const pieces = page.getByRole('group', { name: 'Found in the text' }).getByRole('button');
  expect(await pieces.allTextContents()).toEqual([
    '✕Blocked: hxxps://claim-airdrop[.]example/now',
    '✓Clear: help@wallet-support.test',
  ]);
  await pieces.nth(1).click();
  await page.locator('#journey', { hasText: 'EMAIL' }).waitFor();
  expect(await pieces.nth(1).getAttribute('aria-pressed')).toBe('true');
});

test('a secret is neither repeated nor hashed nor sent', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('button', { name: 'A private key' }).click();
  await verdict(page, 'not-listable', 'secret');
  expect(await text(page, 'journey')).not.toMatch(/00000|[0-9a-f]{32}/);
  await page.getByRole('button', { name: 'Block on the service' }).click();
  await page.locator('#act-result', { hasText: 'nothing in the box' }).waitFor();
  expect(requests).toEqual([]);
});

const megabyte = 1 << 20;

test.each([
  ['markup', '<img src=x onerror="document.title=1"><script>document.title=2</script>'],
  ['markup in a link', 'https://a.example/<img src=x onerror=alert(1)>'],
  ['marks of direction', '\u202ehttps://evil.example/\u2066moc.knab\u2069\u200b'],
  ['controls', 'https://a\0.example/\x1b[31m'],
  ['lone surrogates', 'https://\ud800.example/\udfff'],
  ['a tower of marks', `https://a.example/Z${'\u0301'.repeat(200)} and b.example`],
  ['a megabyte', 'a'.repeat(megabyte)],
  ['a megabyte of links', 'https://a.example/ '.repeat(megabyte / 19)],
  ['a long address', `https://example.com/${'a/'.repeat(30_000)}`],
])('%s in the box is only looked at', async (_, hostile) => {
  const { url } = await servePlayground();
  const page = await open(url, { viewport: { width: 320, height: 640 } });
  await listIsThere(page);
  await paste(page, hostile);
  await page.locator('#verdict:not([data-status="none"]):not([data-status="checking"])').waitFor();
  expect(await page.title()).toBe('Portcullis playground');
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await text(page, 'journey')).not.toMatch(/[\0\u202e\u2066\u200b]/);
  expect(await text(page, 'journey')).not.toMatch(/\p{M}{7}/u);
  expect((await text(page, 'journey')).length).toBeLessThan(40_000);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
});

test('a list that cannot be fetched at the start is said so, and fetched on demand', async () => {
  const served = await servePlayground({ isDown: true });
  const page = await open(served.url, { mayFail: true });
  await page.locator('#notices', { hasText: 'There is no list yet' }).waitFor();
  await type(page, 'scam-mint.example');
  await verdict(page, 'unknown', 'no-list');
  expect(await page.locator('#journey .hash').count()).toBe(1);
  served.isDown = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await verdict(page, 'blocked', 'confirmed');
  await page.locator('#notices:empty').waitFor({ state: 'attached' });
});

test('a list that grew too old says so, and calls nothing clear', async () => {
  const { url } = await servePlayground();
  const page = await open(url, { before: (fresh) => fresh.clock.install() });
  await listIsThere(page);
  await type(page, 'https://example.net/');
  await verdict(page, 'clear', 'not-listed');
  await page.getByRole('switch').click();
  await page.clock.fastForward(dayMs + laterMs);
  await type(page, 'https://example.net/other');
  await verdict(page, 'unknown', 'list-stale');
  await page.locator('#notices', { hasText: 'too old' }).waitFor();
  await page.getByRole('switch').click();
  await verdict(page, 'clear', 'not-listed');
  // It is current again, and the same as a day before.
  await page.locator('#notices', { hasNotText: 'too old' }).filter({ hasText: 'Nothing of the list has changed' }).waitFor();
});

test('a button does what it does to what is in the box, also where that was typed a moment ago', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  await type(page, 'first.example');
  await verdict(page, 'clear', 'not-listed');
  await page.evaluate(() => {
    const box = document.querySelector('textarea')!;
    box.value = 'second.example';
    box.dispatchEvent(new Event('input'));
    document.getElementById('block')!.click();
  });
  await page.locator('#act-result', { hasText: 'second.example: the recent feed' }).waitFor();
  await verdict(page, 'blocked', 'confirmed');
  await type(page, 'first.example');
  await verdict(page, 'clear', 'not-listed');
});

test('a browser that keeps nothing is told so, and protected from memory', async () => {
  const { url } = await servePlayground();
  const page = await open(url, {
    before: (fresh) =>
      fresh.addInitScript(() => {
        Object.defineProperty(globalThis, 'indexedDB', { value: undefined });
      }),
  });
  await page.locator('#notices', { hasText: 'keeps nothing for this page' }).waitFor();
  await type(page, 'scam-mint.example');
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'list-storage')).toBe('memory only');
});

test('everything is done by the keyboard', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  const focused = () =>
    page.evaluate('document.activeElement?.textContent?.trim() || document.activeElement?.id') as Promise<string>;
  const tabTo = async (name: string) => {
    const passed: string[] = [];
    for (let at = 0; at < 30; at++) {
      await page.keyboard.press('Tab');
      passed.push(await focused());
      if (passed.at(-1) === name) return;
    }
    throw new Error(`Tab reaches only ${passed.join(', ')}`);
  };
  await tabTo('Skip to the text box');
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('text');
  await page.keyboard.type('new-mint.example');
  await verdict(page, 'clear', 'not-listed');
  await tabTo('Block on the service');
  await page.keyboard.press('Space');
  await verdict(page, 'blocked', 'confirmed');
  expect(await focused()).toBe('Block on the service');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  // Its own rounds have ended, so that the next one is none of them.
  await page.locator('#act-result', { hasText: 'brought the change' }).waitFor();
  await tabTo('Sync now');
  await page.keyboard.press('Enter');
  await page.locator('#sync-result', { hasText: 'Nothing new.' }).waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.locator('#offline').focus();
  await page.keyboard.press('Space');
  expect(await page.getByRole('switch').getAttribute('aria-checked')).toBe('true');
});

/** A page in the folder of a published list, or in one of its own below it. */
async function openBeside(files: ReadonlyMap<string, Uint8Array>, folder = ''): Promise<Page> {
  const page = await pageFiles({ kind: 'published', url: folder === '' ? '.' : '../', examples: [] }, builtPage());
  const all = new Map<string, Uint8Array>(files);
  for (const [name, bytes] of page) all.set(folder + name, bytes);
  const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
  const listening = await listenWith(async (request) => {
    const name = new URL(request.url).pathname.replace(/^\/lists\//, '').replace(/(^|\/)$/, '$1index.html');
    const bytes = all.get(name);
    if (bytes === undefined) return new Response(null, { status: 404 });
    return new Response(new Uint8Array(bytes), {
      headers: { 'content-type': types[name.replace(/^.*\./, '')] ?? 'application/octet-stream' },
    });
  }, {});
  onTestFinished(() => listening.close());
  const opened = await open(`${listening.url}/lists/${folder}`);
  await listIsThere(opened);
  return opened;
}

test('below another path, and beside a published list, the page works alike', async () => {
  const served = await servePlayground({ path: '/tools/play/' });
  const below = await open(served.url);
  await listIsThere(below);

  const { files } = await buildList('evil.example\nother.example\n');
  const beside = await openBeside(new Map([...files].map(({ name, bytes }) => [name, bytes])));
  await type(beside, 'https://login.evil.example/');
  await verdict(beside, 'blocked', 'confirmed');
  expect(await text(beside, 'journey')).toContain('which of them was meant is not told');
  expect(await text(beside, 'log')).toContain('GET confirm/');
  const inFolder = await openBeside(new Map([...files].map(({ name, bytes }) => [name, bytes])), 'page/');
  expect(await text(inFolder, 'log')).toContain('GET /lists/version.json');
  expect(await text(inFolder, 'log')).not.toContain('http');
  await beside.getByRole('button', { name: 'Allow in this browser' }).click();
  await verdict(beside, 'allowed', 'override');
  await type(beside, 'https://fine.example/');
  await beside.getByRole('button', { name: 'Block in this browser' }).click();
  await verdict(beside, 'blocked', 'override');
});

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

test.each([
  ['light', 320],
  ['light', 768],
  ['light', 1280],
  ['dark', 320],
  ['dark', 768],
  ['dark', 1280],
] as const)('in %s, %i pixels wide, nothing is out of reach', async (colorScheme, width) => {
  const { url } = await servePlayground();
  // The policy of the page would not let the checker in.
  const page = await open(url, { colorScheme, viewport: { width, height: 800 }, bypassCSP: true, reducedMotion: 'reduce' });
  await listIsThere(page);
  await page.evaluate(axe.source);
  const states: [name: string, status: string][] = [
    ['A page of a listed site', 'blocked'],
    ['Not listed', 'clear'],
    ['A private key', 'not-listable'],
    ['A message', 'blocked'],
  ];
  for (const [name, status] of states) {
    await page.getByRole('button', { name }).click();
    await page.locator(`#verdict[data-status="${status}"]`).waitFor();
    const { violations } = (await page.evaluate(
      "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
    )) as AxeResults;
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
  await page.getByRole('switch').click();
  const { violations } = (await page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa'] })")) as AxeResults;
  expect(violations.map(({ id }) => id)).toEqual([]);
});

/** Holds every request to an address back until it is let go. */
async function held(page: Page, pattern: string): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(pattern, async (route) => {
    await released;
    await route.continue().catch(() => {});
  });
  return release;
}

test('while an answer is awaited, nothing is said of the text, and what was said of another is gone', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  await type(page, 'https://example.net/');
  await verdict(page, 'clear', 'not-listed');
  const release = await held(page, '**/confirm');
  await type(page, 'https://scam-mint.example/');
  await page.locator('#verdict[data-status="checking"][aria-busy="true"]').waitFor();
  expect(await text(page, 'announcement')).toBe('');
  expect(await text(page, 'journey')).not.toContain('example.net');
  await page.locator('#log', { hasText: 'under way' }).waitFor();
  expect(await page.locator('#verdict').getAttribute('data-status')).toBe('checking');
  release();
  await verdict(page, 'blocked', 'confirmed');
  expect(await page.locator('#verdict').getAttribute('aria-busy')).toBe('false');
  expect(await text(page, 'announcement')).toContain('Blocked. scam-mint.example is listed.');
});

test.each([
  ['a line with each', 'https://example.org/\nhttps://scam-mint.example/', '1 of 2 is blocked'],
  ['prose that begins with a link', 'https://example.org/ then https://scam-mint.example', '1 of 2 is blocked'],
  ['one at the end', 'see example.org, example.net and scam-mint.example', '1 of 3 is blocked'],
  ['one link, and words', 'https://scam-mint.example/claim is not what it says', '2 of 2 are blocked'],
  [
    'the last of many',
    `${Array.from({ length: 25 }, (_, at) => `https://fine-${at}.example/`).join(' ')} https://scam-mint.example/`,
    '1 of 26 is blocked',
  ],
])('a listed link is found in a message: %s', async (_, message, summary) => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  await paste(page, message);
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'pieces-summary')).toBe(summary);
  expect(await text(page, 'announcement')).toContain(summary);
  const first = page.locator('#pieces button').first();
  expect(await first.textContent()).toContain('scam-mint.example');
  expect(await first.getAttribute('aria-pressed')).toBe('true');
  expect(await page.locator('#pieces button').count()).toBeLessThanOrEqual(20);
  if (summary.includes('26')) expect(await text(page, 'pieces-more')).toBe('And 6 more, none of them worse.');
});

test('more than can be searched is called neither good nor bad', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  await paste(page, Array.from({ length: 10_001 }, (_, at) => `a${at}.example`).join(' '));
  await page.locator('#verdict[data-status="failed"]', { hasText: 'too much to search' }).waitFor();
});

test.each([
  ['an error', 500, '{}', 'came back: an error'],
  ['what is no answer', 200, '{"hashes":{"7b2826bd":5}}', 'came back: something that cannot be read'],
  ['what is no JSON', 200, 'hello', 'came back: something that cannot be read'],
])('%s to a question is told as that', async (_, status, body, told) => {
  const { url } = await servePlayground();
  const page = await open(url, { mayFail: true });
  await listIsThere(page);
  await page.route('**/confirm', (route) => route.fulfill({ status, body, contentType: 'application/json' }));
  await type(page, 'scam-mint.example');
  await page.locator('#verdict[data-status="unconfirmed"]').waitFor();
  await page.locator('#journey', { hasText: told }).waitFor();
  expect(await text(page, 'journey')).not.toContain('nothing behind it');
});

test('what the switch refuses is said to be refused by it', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  await page.getByRole('switch').click();
  await type(page, 'scam-mint.example');
  await verdict(page, 'unconfirmed', 'offline');
  expect(await text(page, 'verdict-facts')).toContain('nothing was sent · 1 request refused by the switch');
  await page.getByRole('button', { name: 'Block on the service' }).click();
  await page.locator('#act-result', { hasText: 'The Offline switch is on' }).waitFor();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.locator('#sync-result', { hasText: 'The Offline switch is on' }).waitFor();
  expect(await text(page, 'notices')).not.toContain('NETWORK');
});

test('a name is checked as the type that is chosen', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  await type(page, '@example_user');
  await verdict(page, 'unknown', 'unreadable');
  expect(await text(page, 'verdict-reason')).toContain('A name alone needs its type');
  await page.getByLabel('Type', { exact: true }).selectOption('TWITTER');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'journey')).toContain('TWITTER');
  await page.getByLabel('Type', { exact: true }).selectOption('');
  await type(page, 'TWITTER:@example_user');
  await verdict(page, 'not-listable', 'internal-scheme');
  expect(await text(page, 'verdict-reason')).toContain('To check a name as TWITTER, choose that type');
});

test('a block that no list comes to hold is said to be one', async () => {
  const { url } = await servePlayground();
  const page = await open(url, { mayFail: true });
  await listIsThere(page);
  await type(page, 'co.uk');
  await verdict(page, 'clear', 'not-listed');
  await page.getByRole('button', { name: 'Block on the service' }).click();
  await page.locator('#act-result', { hasText: 'no list holds it: others have pages on that host' }).waitFor();
});

test('what has the shape of a key is looked up with a warning, and not sent by the buttons', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await type(page, `0x${'a1'.repeat(32)}`);
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'verdict-reason')).toContain('the shape of a private key');
  for (const name of ['Block on the service', 'Allow on the service']) {
    await page.getByRole('button', { name }).click();
    await page.locator('#act-result', { hasText: 'sent nowhere' }).waitFor();
  }
  expect(sent.filter((address) => address.includes('actions'))).toEqual([]);
  await page.reload();
  expect(await page.getByRole('textbox').inputValue()).toBe('');
});

test('a link is still there after a reload, a secret and a message are not', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  for (const [written, kept] of [
    ['https://example.net/', 'https://example.net/'],
    [`${'00'.repeat(31)}01`, ''],
    ['see https://example.net/', ''],
  ] as const) {
    await type(page, written);
    await page.locator('#verdict:not([data-status="checking"]):not([data-status="none"])').waitFor();
    await page.reload();
    await listIsThere(page);
    expect(await page.getByRole('textbox').inputValue()).toBe(kept);
  }
});

test.each(['{}', '[]', 'null', '{"kind":"relay"}', 'no JSON', '{"kind":"published","url":"https://elsewhere.invalid:x/"}'])(
  'a configuration of %s leaves no blank page',
  async (config) => {
    const { url } = await servePlayground();
    const page = await open(url, {
      before: (fresh) => fresh.route('**/config.json', (route) => route.fulfill({ body: config })),
    });
    await page.locator('#notices', { hasText: 'The page cannot be set up' }).waitFor();
  },
);

test('what was said in this browser is said as that, and can be taken back', async () => {
  const { files } = await buildList('evil.example\n');
  const page = await openBeside(new Map([...files].map(({ name, bytes }) => [name, bytes])));
  await type(page, 'https://login.evil.example/');
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'promise')).toContain('twelve bits');
  await page.getByRole('button', { name: 'Allow in this browser' }).click();
  await verdict(page, 'allowed', 'override');
  expect(await text(page, 'verdict-reason')).toBe('In this browser somebody allowed login.evil.example.');
  await page.getByRole('button', { name: 'Forget what I said' }).click();
  await verdict(page, 'blocked', 'confirmed');
  await page.locator('#act-result', { hasText: 'forgotten' }).waitFor();
  expect(await page.locator('#forget').isVisible()).toBe(false);
  await type(page, 'https://fine.example/');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'act-result')).toBe('');
  await page.getByRole('button', { name: 'Block in this browser' }).click();
  await verdict(page, 'blocked', 'override');
  expect(await text(page, 'verdict-reason')).toBe('In this browser somebody blocked fine.example.');
});

test('on a telephone everything is wide enough for a thumb, and the log is folded', async () => {
  const { url } = await servePlayground();
  const page = await open(url, { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });
  await page.getByRole('button', { name: 'A message' }).click();
  await verdict(page, 'blocked', 'confirmed');
  const sizes = await page
    .locator('button:visible, select:visible, summary:visible')
    .evaluateAll((controls) => controls.map((control) => control.getBoundingClientRect().height));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(44);
  expect(await page.locator('#log').isVisible()).toBe(false);
  await page.locator('summary').click();
  await page.locator('#log', { hasText: 'prefixes 8877a513' }).waitFor();
  const top = async (id: string) => (await page.locator(`#${id}`).boundingBox())!.y;
  expect(await top('act-title')).toBeGreaterThan(await top('journey-title'));
});

test('a piece of a message is chosen, and the others stay offered with what is known of them', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  await paste(page, 'https://example.org/ is fine');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'pieces-summary')).toBe('2 of 2 are clear');
  const pieces = page.getByRole('group', { name: 'Found in the text' }).getByRole('button');
  await pieces.nth(1).click();
  await page.locator('#pieces button:nth-child(2)[aria-pressed="true"]').waitFor();
  expect(await pieces.nth(0).getAttribute('aria-pressed')).toBe('false');
  expect(await pieces.nth(1).evaluate((made) => made === document.activeElement)).toBe(true);
  expect(await page.getByRole('region', { name: 'Verdict' }).textContent()).toContain('Clear');
});

test('a page says what leaves it', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await page.locator('#promise', { hasText: 'and the thing itself when you press Block or Allow' }).waitFor();
  await page.route('**/config.json', (route) =>
    route.fulfill({ body: JSON.stringify({ kind: 'relay', baseUrl: 'blocklist', canAct: false, examples: [] }) }),
  );
  await page.reload();
  await page.locator('#promise', { hasText: 'four bytes of a hash leave only where the list has them.' }).waitFor();
});

test('without a list nothing is said about its prefixes', async () => {
  const { url } = await servePlayground({ isDown: true });
  const page = await open(url, { mayFail: true });
  await type(page, 'scam-mint.example');
  await verdict(page, 'unknown', 'no-list');
  expect(await text(page, 'journey')).toContain('There is no list to look in.');
  expect(await text(page, 'journey')).not.toContain('None of the prefixes');
});

test('an answer that comes late is waited for no longer than a check waits, and counts when it is there', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  const release = await held(page, '**/confirm');
  await type(page, 'scam-mint.example');
  await verdict(page, 'unconfirmed', 'deadline');
  expect(await text(page, 'journey')).toContain('There is no answer yet.');
  release();
  await verdict(page, 'blocked', 'confirmed');
});

test('a check that fails itself leaves no verdict', async () => {
  const { url } = await servePlayground();
  const page = await open(url);
  await listIsThere(page);
  await type(page, 'https://example.net/');
  await verdict(page, 'clear', 'not-listed');
  await page.evaluate(() => {
    performance.now = () => {
      throw new Error('no clock');
    };
  });
  await type(page, 'https://example.net/other');
  await page.locator('#verdict[data-status="failed"]', { hasText: 'Nothing is known about it' }).waitFor();
  await page.locator('#announcement', { hasText: 'Not checked' }).waitFor({ state: 'attached' });
});
