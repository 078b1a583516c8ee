import type { Page } from 'playwright';
import { buildList } from 'portcullis/publish';
import { expect, onTestFinished, test } from 'vitest';
import { pageFiles } from '../../../src/apps/playground/page-files.js';
import { listenWith } from '../../../src/servers/service/http/listen.js';
import { builtPage, type Served, servePlayground } from './harness.js';
import {
  checkAccess,
  checkExample,
  held,
  judged,
  judgeHostile,
  listIsThere,
  open,
  openForAxe,
  openShared,
  paste,
  text,
  type,
  verdict,
} from './page-harness.js';

/** Longer than an answer is reused, and than an interval of polling. */
const laterMs = 6 * 60_000;

const dayMs = 24 * 60 * 60_000;

/** A server of this test's own, whose list nothing else changes. */
async function serve(options: Parameters<typeof servePlayground>[0] = {}): Promise<Served> {
  const { served, close } = await servePlayground(options);
  onTestFinished(close);
  return served;
}

test('a blocked link stays blocked without a network and after a reload', async () => {
  const { url } = await serve();
  const page = await open(url, { before: (fresh) => fresh.clock.install() });
  await listIsThere(page);
  await type(page, 'https://login.scam-mint.example/claim?ref=1');
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'verdict-reason')).toContain('scam-mint.example is listed');
  expect(await text(page, 'journey')).toContain('in the snapshot');
  const marks = await page.locator('#journey .hash mark').allTextContents();
  expect(marks).toHaveLength(4);
  for (const mark of marks) expect(mark).toMatch(/^[0-9a-f]{8}$/);
  expect(await text(page, 'journey')).toContain('one of them matches in all 32 bytes');

  await page.getByRole('switch', { name: 'Offline' }).click();
  await page.clock.fastForward(laterMs);
  await type(page, 'scam-mint.example');
  await verdict(page, 'blocked', 'confirmed-earlier');
  await page.locator('#log', { hasText: 'refused by the Offline switch' }).waitFor();

  await page.reload();
  expect(await page.getByRole('switch').getAttribute('aria-checked')).toBe('true');
  await type(page, 'scam-mint.example/other');
  await verdict(page, 'blocked', 'confirmed-earlier');
  expect(await text(page, 'list-entries')).toBe('5');

  await page.getByRole('switch').click();
  await verdict(page, 'blocked', 'confirmed');
});

test('Block changes the list through the recent feed, and Allow reverts it', async () => {
  const { url } = await serve();
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

  // On a page of a listed site, Allow lifts the site.
  await type(page, 'https://scam-mint.example/claim');
  await verdict(page, 'blocked', 'confirmed');
  await page.getByRole('button', { name: 'Allow on the service' }).click();
  await verdict(page, 'clear', 'not-listed');
  await page.locator('#act-result', { hasText: 'a new snapshot brought the change' }).waitFor();
});

test("the buttons show the service's reason for refusing", async () => {
  const page = await openShared({ mayFail: true });
  const block = page.getByRole('button', { name: 'Block on the service' });
  await block.click();
  expect(await text(page, 'act-result')).toContain('type something first');
  await type(page, 'scam-mint.example');
  await verdict(page, 'blocked', 'confirmed');
  await block.click();
  await page.locator('#act-result', { hasText: 'The service says: It is already BLOCKED.' }).waitFor();
  // A public suffix, which the service blocks and never lists.
  await type(page, 'co.uk');
  await verdict(page, 'clear', 'not-listed');
  await block.click();
  await page.locator('#act-result', { hasText: 'does not list it: other people have pages on that host' }).waitFor();
});

test('the assets in a message are offered as buttons, each with its verdict', async () => {
  const page = await openShared();
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
  expect(await pieces.nth(0).getAttribute('aria-pressed')).toBe('false');
  expect(await pieces.nth(1).evaluate((made) => made === document.activeElement)).toBe(true);
  expect(await page.getByRole('region', { name: 'Verdict' }).textContent()).toContain('Clear');
});

test('a secret is neither shown, hashed nor sent', async () => {
  const page = await openShared();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('button', { name: 'A private key' }).click();
  await verdict(page, 'not-listable', 'secret');
  expect(await text(page, 'journey')).not.toMatch(/00000|[0-9a-f]{32}/);
  await page.getByRole('button', { name: 'Block on the service' }).click();
  await page.locator('#act-result', { hasText: 'contains nothing that a list can contain' }).waitFor();
  expect(requests).toEqual([]);
});

test('a hostile text is shown as text and stays in its frame', async () => {
  const page = await openShared();
  await page.setViewportSize({ width: 320, height: 640 });
  for (const hostile of [
    '<img src=x onerror="document.title=1"><script>document.title=2</script>',
    'https://a.example/<img src=x onerror=alert(1)>',
    '\u202ehttps://evil.example/\u2066moc.knab\u2069\u200b',
    'https://a\0.example/\x1b[31m',
    'https://\ud800.example/\udfff',
    `https://a.example/Z${'\u0301'.repeat(200)} and b.example`,
    `https://example.com/${'a/'.repeat(30_000)}`,
    // page.deep.test.ts has a megabyte of each.
    'a'.repeat(10_000),
    'https://a.example/ '.repeat(1_000),
  ]) {
    await judgeHostile(page, hostile);
  }
});

test('a missing list is reported, is never called clear, and is fetched on demand', async () => {
  const served = await serve({ isDown: true });
  const page = await open(served.url, { mayFail: true });
  await page.locator('#notices', { hasText: 'There is no list yet' }).waitFor();
  await type(page, 'scam-mint.example');
  await verdict(page, 'unknown', 'no-list');
  expect(await page.locator('#journey .hash').count()).toBe(1);
  expect(await text(page, 'journey')).toContain('There is no list to search.');
  expect(await text(page, 'journey')).not.toContain('None of the prefixes');
  served.isDown = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await verdict(page, 'blocked', 'confirmed');
  await page.locator('#notices:empty').waitFor({ state: 'attached' });
});

test('a stale list is reported and calls nothing clear', async () => {
  const { url } = await serve();
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
  await page.locator('#notices', { hasNotText: 'too old' }).filter({ hasText: 'The list has not changed for' }).waitFor();
});

test('a button acts on the current text, even one typed a moment ago', async () => {
  const page = await openShared();
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

test('without IndexedDB the page checks from memory, and says so', async () => {
  const { url } = await serve();
  const page = await open(url, {
    before: (fresh) =>
      fresh.addInitScript(() => {
        Object.defineProperty(globalThis, 'indexedDB', { value: undefined });
      }),
  });
  await page.locator('#notices', { hasText: 'stores nothing for this page' }).waitFor();
  await type(page, 'scam-mint.example');
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'list-storage')).toBe('memory only');
});

test('the whole page works with the keyboard', async () => {
  const page = await openShared();
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
  await page.keyboard.type('by-keyboard.example');
  await verdict(page, 'clear', 'not-listed');
  await tabTo('Block on the service');
  await page.keyboard.press('Space');
  await verdict(page, 'blocked', 'confirmed');
  expect(await focused()).toBe('Block on the service');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  // Wait until the button's own syncs have ended, so that the next one finds nothing new.
  await page.locator('#act-result', { hasText: 'brought the change' }).waitFor();
  await tabTo('Sync now');
  await page.keyboard.press('Enter');
  await page.locator('#sync-result', { hasText: 'No change.' }).waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.locator('#offline').focus();
  await page.keyboard.press('Space');
  expect(await page.getByRole('switch').getAttribute('aria-checked')).toBe('true');
});

/** The page in the folder of a published list, or in a folder below it. */
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

test('the page works below another path', async () => {
  const { url } = await serve({ path: '/tools/play/' });
  await listIsThere(await open(url));
});

test('with a published list, the page asks for shards, and its buttons set overrides that can be removed', async () => {
  const { files } = await buildList('evil.example\nother.example\n');
  const published = new Map([...files].map(({ name, bytes }) => [name, bytes]));
  const inFolder = await openBeside(published, 'page/');
  expect(await text(inFolder, 'log')).toContain('GET /lists/version.json');
  expect(await text(inFolder, 'log')).not.toContain('http');

  const page = await openBeside(published);
  await type(page, 'https://login.evil.example/');
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'promise')).toContain('twelve bits');
  expect(await text(page, 'journey')).toContain('does not reveal which one was meant');
  expect(await text(page, 'log')).toContain('GET confirm/');
  await page.getByRole('button', { name: 'Allow in this browser' }).click();
  await verdict(page, 'allowed', 'override');
  expect(await text(page, 'verdict-reason')).toBe('You allowed login.evil.example in this browser.');
  await page.getByRole('button', { name: 'Remove override' }).click();
  await verdict(page, 'blocked', 'confirmed');
  await page.locator('#act-result', { hasText: 'is removed' }).waitFor();
  expect(await page.locator('#forget').isVisible()).toBe(false);
  await type(page, 'https://fine.example/');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'act-result')).toBe('');
  await page.getByRole('button', { name: 'Block in this browser' }).click();
  await verdict(page, 'blocked', 'override');
  expect(await text(page, 'verdict-reason')).toBe('You blocked fine.example in this browser.');
});

// page.deep.test.ts has every width in both colour schemes.
test('the page passes axe in every state, and in the dark', async () => {
  const page = await openForAxe('light', 320);
  await checkExample(page, 'A page of a listed site', 'blocked');
  await checkExample(page, 'Not listed', 'clear');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1280, height: 800 });
  await checkExample(page, 'A private key', 'not-listable');
  await checkExample(page, 'A message', 'blocked');
  await page.getByRole('switch').click();
  await checkAccess(page, ['wcag2a', 'wcag2aa']);
});

test('a pending check shows no verdict, neither of this text nor of the previous one', async () => {
  const page = await openShared();
  await type(page, 'https://example.net/');
  await verdict(page, 'clear', 'not-listed');
  const release = await held(page, '**/confirm');
  await type(page, 'https://scam-mint.example/');
  await page.locator('#verdict[data-status="checking"][aria-busy="true"]').waitFor();
  expect(await text(page, 'announcement')).toBe('');
  expect(await text(page, 'journey')).not.toContain('example.net');
  await page.locator('#log', { hasText: 'pending' }).waitFor();
  expect(await page.locator('#verdict').getAttribute('data-status')).toBe('checking');
  release();
  await verdict(page, 'blocked', 'confirmed');
  expect(await page.locator('#verdict').getAttribute('aria-busy')).toBe('false');
  expect(await text(page, 'announcement')).toContain('Blocked. scam-mint.example is listed.');
});

test('a listed link is found anywhere in a message and shown first', async () => {
  const page = await openShared();
  for (const [message, summary] of [
    ['https://example.org/\nhttps://scam-mint.example/', '1 of 2 is blocked'],
    ['https://example.org/ then https://scam-mint.example', '1 of 2 is blocked'],
    ['see example.org, example.net and scam-mint.example', '1 of 3 is blocked'],
    ['https://scam-mint.example/claim is not what it says', '2 of 2 are blocked'],
    [
      `${Array.from({ length: 25 }, (_, at) => `https://fine-${at}.example/`).join(' ')} https://scam-mint.example/`,
      '1 of 26 is blocked',
    ],
  ] as const) {
    await paste(page, message);
    await verdict(page, 'blocked', 'confirmed');
    expect(await text(page, 'pieces-summary')).toBe(summary);
    expect(await text(page, 'announcement')).toContain(summary);
    const first = page.locator('#pieces button').first();
    expect(await first.textContent()).toContain('scam-mint.example');
    expect(await first.getAttribute('aria-pressed')).toBe('true');
    expect(await page.locator('#pieces button').count()).toBeLessThanOrEqual(20);
  }
  expect(await text(page, 'pieces-more')).toBe('And 6 more, none of them with a worse verdict.');
  await paste(page, 'https://example.org/ is fine');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'pieces-summary')).toBe('2 of 2 are clear');
});

test('a text with more assets than can be searched gets no verdict', async () => {
  const page = await openShared();
  await paste(page, Array.from({ length: 10_001 }, (_, at) => `a${at}.example`).join(' '));
  await page.locator('#verdict[data-status="failed"]', { hasText: 'too long to search' }).waitFor();
});

test.each([
  ['an error', 500, '{}', 'came back: an error'],
  ['a malformed object', 200, '{"hashes":{"7b2826bd":5}}', 'came back: a malformed answer'],
  ['text instead of JSON', 200, 'hello', 'came back: a malformed answer'],
])('shows %s returned in place of a confirmation', async (_, status, body, shown) => {
  const page = await openShared({ mayFail: true });
  await page.route('**/confirm', (route) => route.fulfill({ status, body, contentType: 'application/json' }));
  await type(page, 'scam-mint.example');
  await page.locator('#verdict[data-status="unconfirmed"]').waitFor();
  await page.locator('#journey', { hasText: shown }).waitFor();
  expect(await text(page, 'journey')).not.toContain('no hash with this prefix');
});

test('requests that the Offline switch refuses are shown as refused, not as failed', async () => {
  const page = await openShared();
  await page.getByRole('switch').click();
  await type(page, 'scam-mint.example');
  await verdict(page, 'unconfirmed', 'offline');
  expect(await text(page, 'verdict-facts')).toContain('nothing was sent · 1 request refused by the Offline switch');
  await page.getByRole('button', { name: 'Block on the service' }).click();
  await page.locator('#act-result', { hasText: 'The Offline switch is on' }).waitFor();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.locator('#sync-result', { hasText: 'The Offline switch is on' }).waitFor();
  expect(await text(page, 'notices')).not.toContain('NETWORK');
});

test('a user name is checked as the chosen type', async () => {
  const page = await openShared();
  await type(page, '@example_user');
  await verdict(page, 'unknown', 'unreadable');
  expect(await text(page, 'verdict-reason')).toContain('choose its type below the box');
  await page.getByLabel('Type', { exact: true }).selectOption('TWITTER');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'journey')).toContain('TWITTER');
  await page.getByLabel('Type', { exact: true }).selectOption('');
  await type(page, 'TWITTER:@example_user');
  await verdict(page, 'not-listable', 'internal-scheme');
  expect(await text(page, 'verdict-reason')).toContain('To check a TWITTER name, choose that type');
});

test('a text that looks like a key is checked with a warning and never sent or kept', async () => {
  const page = await openShared();
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await type(page, `0x${'a1'.repeat(32)}`);
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'verdict-reason')).toContain('looks like a private key');
  for (const name of ['Block on the service', 'Allow on the service']) {
    await page.getByRole('button', { name }).click();
    await page.locator('#act-result', { hasText: 'was not sent' }).waitFor();
  }
  expect(sent.filter((address) => address.includes('actions'))).toEqual([]);
  await page.reload();
  expect(await page.getByRole('textbox').inputValue()).toBe('');
});

test('a reload keeps a link, but neither a secret nor a message', async () => {
  const page = await openShared();
  for (const [written, kept] of [
    ['https://example.net/', 'https://example.net/'],
    [`${'00'.repeat(31)}01`, ''],
    ['see https://example.net/', ''],
  ] as const) {
    await type(page, written);
    await judged(page);
    await page.reload();
    await listIsThere(page);
    expect(await page.getByRole('textbox').inputValue()).toBe(kept);
  }
});

test('a malformed configuration is reported in place of a blank page', async () => {
  const page = await openShared();
  for (const body of [
    '{}',
    '[]',
    'null',
    '{"kind":"relay"}',
    'no JSON',
    '{"kind":"published","url":"https://elsewhere.invalid:x/"}',
  ]) {
    await page.route('**/config.json', (route) => route.fulfill({ body }));
    await page.reload();
    await page.locator('#notices', { hasText: 'The page could not start' }).waitFor();
  }
});

test('on a phone every control is at least 44 pixels high, and the log is folded', async () => {
  const { url } = await serve();
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

test('the page says what it sends, depending on its configuration', async () => {
  const page = await openShared();
  await page.locator('#promise', { hasText: 'Block and Allow send the asset itself.' }).waitFor();
  await page.route('**/config.json', (route) =>
    route.fulfill({ body: JSON.stringify({ kind: 'relay', baseUrl: 'blocklist', canAct: false, examples: [] }) }),
  );
  await page.reload();
  await page.locator('#promise', { hasText: 'only if the list contains them.' }).waitFor();
  expect(await text(page, 'promise')).not.toContain('asset itself');
});

test('a check ends at its deadline, and a later answer updates its verdict', async () => {
  const page = await openShared();
  const release = await held(page, '**/confirm');
  await type(page, 'scam-mint.example');
  await verdict(page, 'unconfirmed', 'deadline');
  expect(await text(page, 'journey')).toContain('There is no answer yet.');
  release();
  await verdict(page, 'blocked', 'confirmed');
});

test('a check that throws leaves no verdict', async () => {
  const page = await openShared();
  await type(page, 'https://example.net/');
  await verdict(page, 'clear', 'not-listed');
  await page.evaluate(() => {
    performance.now = () => {
      throw new Error('no clock');
    };
  });
  await type(page, 'https://example.net/other');
  await page.locator('#verdict[data-status="failed"]', { hasText: 'There is no verdict' }).waitFor();
  await page.locator('#announcement', { hasText: 'Not checked' }).waitFor({ state: 'attached' });
});
