import type { Page } from 'playwright';
import { buildList } from 'portcullis/publish';
import { expect, onTestFinished, test } from 'vitest';
import { pageFiles } from '../../../apps/cli/playground/page-files.js';
import { listenWith } from '../../../src/servers/service/http/listen.js';
import { builtPage } from './harness.js';
import {
  checkExample,
  held,
  listIsThere,
  open,
  openForAxe,
  sentOne,
  serve,
  text,
  type,
  usePages,
  verdict,
} from './page-harness.js';

usePages();

/** Longer than both the reuse of an answer and the polling interval. */
const laterMs = 6 * 60_000;

const dayMs = 24 * 60 * 60_000;

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

  await page.getByRole('switch', { name: 'Simulate offline' }).click();
  await page.clock.fastForward(laterMs);
  await type(page, 'scam-mint.example');
  await verdict(page, 'blocked', 'confirmed-earlier');
  await page.locator('#log', { hasText: 'refused: offline is simulated' }).waitFor();

  const release = await held(page, '**/config.json');
  await page.reload();
  expect(await page.getByRole('switch').getAttribute('aria-checked'), 'before the configuration').toBe('true');
  release();
  await type(page, 'scam-mint.example/other');
  await verdict(page, 'blocked', 'confirmed-earlier');
  expect(await text(page, 'list-total-entries')).toBe('5');

  await page.getByRole('switch').click();
  await verdict(page, 'blocked', 'confirmed');
});

test('Block changes the list through the recent feed, and Allow reverts it', async () => {
  const { url } = await serve();
  const page = await open(url, { before: (fresh) => fresh.clock.install() });
  await listIsThere(page);
  const before = await text(page, 'list-recent-token');
  await type(page, 'https://new-mint.example/');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'journey-sent')).toBe('The check sent nothing about it.');
  await page.getByRole('button', { name: 'Add it to this list' }).click();
  await verdict(page, 'blocked', 'confirmed');
  await page.locator('#act-result', { hasText: 'the recent feed brought the change' }).waitFor();
  const after = await text(page, 'list-recent-token');
  expect(after).not.toBe(before);
  expect(await text(page, 'act-result')).toContain(`${before} → ${after}`);
  expect(await text(page, 'list-in-recent-feed')).toBe('1');
  expect(await text(page, 'list-total-entries')).toBe('6');
  expect(await text(page, 'journey')).toContain('in the recent feed');
  await page.getByRole('button', { name: 'Remove it from this list' }).click();
  await page.locator('#act-result', { hasText: 'Earlier answers stay valid for a few seconds.' }).waitFor();
  await page.clock.fastForward(10_000);
  await page.locator('#verdict[data-status="clear"]').waitFor();

  // On a page of a listed site, Allow lifts the site.
  await type(page, 'https://scam-mint.example/claim');
  await verdict(page, 'blocked', 'confirmed');
  await page.getByRole('button', { name: 'Remove it from this list' }).click();
  await verdict(page, 'clear', 'not-listed');
  await page.locator('#act-result', { hasText: 'a new snapshot brought the change' }).waitFor();
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
  // A retry that fails is seen, and read aloud.
  const before = await text(page, 'notices');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('#notices', { hasText: /The last \d+ syncs failed/, hasNotText: before }).waitFor();
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
  // The list is current again and unchanged.
  await page.locator('#notices', { hasNotText: 'too old' }).filter({ hasText: 'The list has not changed for' }).waitFor();
});

test('a browser without IndexedDB checks from memory, and the page says so', async () => {
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
  await page.getByRole('button', { name: 'Allow it in this browser' }).click();
  await verdict(page, 'allowed', 'override');
  expect(await text(page, 'verdict-reason')).toBe('You allowed login.evil.example in this browser.');
  await page.getByRole('button', { name: 'Undo my choice' }).click();
  await verdict(page, 'blocked', 'confirmed');
  await page.locator('#act-result', { hasText: 'is removed' }).waitFor();
  expect(await page.locator('#forget').isVisible()).toBe(false);
  await type(page, 'https://fine.example/');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'act-result')).toBe('');
  await page.getByRole('button', { name: 'Block it in this browser' }).click();
  await verdict(page, 'blocked', 'override');
  expect(await text(page, 'verdict-reason')).toBe('You blocked fine.example in this browser.');
});

test('a remembered confirmation says how old it is, beside what was sent', async () => {
  const { files } = await buildList('evil.example\n');
  const page = await openBeside(new Map([...files].map(({ name, bytes }) => [name, bytes])), 'page/');
  await type(page, 'https://evil.example/');
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'verdict-sent')).toMatch(sentOne);
  await type(page, 'https://evil.example/again');
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'verdict-reason')).toContain('has confirmed it');
  expect(await text(page, 'verdict-sent')).toMatch(/^Confirmed \d+ m?s ago, remembered; nothing about it was sent now\.$/);
  // The age grows without another check, and screen readers do not hear of it.
  const announced = await text(page, 'announcement');
  await page.locator('#verdict-sent', { hasText: 'Confirmed 2 s ago' }).waitFor();
  expect(await text(page, 'announcement')).toBe(announced);
  await page.reload();
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'verdict-sent')).toBe('Confirmed earlier, remembered; nothing about it was sent now.');
});

test('what a page sent when it was loaded is said, even if a remembered answer decides', async () => {
  const { url } = await serve();
  const page = await open(url, { before: (fresh) => fresh.clock.install() });
  await listIsThere(page);
  // Not the site of the example that the page starts with.
  await type(page, 'https://claim-airdrop.example/now');
  await page.locator('#verdict[data-reason="confirmed"]', { hasText: 'claim-airdrop.example' }).waitFor();
  expect(await text(page, 'verdict-sent')).toMatch(sentOne);
  // Checks the same text again with the answer that it now remembers.
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.locator('#sync-result', { hasText: 'No change.' }).waitFor();
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'verdict-sent')).toMatch(sentOne);
  // Later the stored answer is too old: it decides at once, and the page asks again.
  await page.clock.fastForward(laterMs);
  const release = await held(page, '**/confirm');
  await page.reload();
  await verdict(page, 'blocked', 'confirmed-earlier');
  await page.locator('#verdict-sent', { hasText: 'The check sent 1 request about it (still open).' }).waitFor();
  expect(await text(page, 'journey')).toContain('There is no answer yet.');
  release();
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'verdict-sent')).toMatch(sentOne);
  expect(await text(page, 'journey-sent')).toBe(await text(page, 'verdict-sent'));
});

test('an earlier request is shown only where its answer decides, and is called earlier', async () => {
  const { files } = await buildList('evil.example\n');
  const page = await openBeside(new Map([...files].map(({ name, bytes }) => [name, bytes])), 'page/');
  await type(page, 'https://evil.example/');
  await verdict(page, 'blocked', 'confirmed');
  await type(page, 'https://evil.example/again');
  await page.locator('#verdict-sent', { hasText: 'nothing about it was sent now' }).waitFor();
  await page.locator('#journey', { hasText: 'The earlier request that brought the answer:GET ' }).waitFor();
  // Of a message, only what is shown counts.
  await type(page, 'see https://evil.example/again and https://fine.example/');
  await page
    .locator('#verdict-sent', { hasText: /^Confirmed \d+ m?s ago, remembered; nothing about it was sent now\.$/ })
    .waitFor();
  await type(page, 'https://evil.example/again');
  // An override decides, so that the answer does not matter.
  await page.getByRole('button', { name: 'Allow it in this browser' }).click();
  await verdict(page, 'allowed', 'override');
  expect(await text(page, 'verdict-sent')).toBe('The check sent nothing about it.');
  expect(await text(page, 'journey')).toContain('Your own choice in this browser decides.');
  expect(await text(page, 'journey')).not.toContain('GET ');
});

test('a published list without examples offers some that are not on it, and says why', async () => {
  const { files } = await buildList('evil.example\nexample.net\n');
  const page = await openBeside(new Map([...files].map(({ name, bytes }) => [name, bytes])), 'page/');
  const offered = page.locator('#examples').getByRole('button');
  // `example.net` is on this list, so that it is no example of what is not.
  await page.locator('#examples-note', { hasText: 'holds only hashes' }).waitFor();
  expect(await offered.allTextContents()).toEqual(['A look-alike', 'Not listable', 'A private key']);
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'list-host')).toBe('answers');
});

// page.deep.test.ts has every state at every width in both color schemes.
test('the page passes axe on a phone, and in the dark', async () => {
  const page = await openForAxe('light', 320);
  await checkExample(page, 'A message', 'blocked');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1280, height: 800 });
  await checkExample(page, 'Not listed', 'clear');
});

test('on a phone every control is at least 44 pixels high, and what explains the verdict is folded below it', async () => {
  const { url } = await serve();
  const page = await open(url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, isFolded: true });
  // The verdict of the first example moves what is below it, maybe between the press and the release.
  await verdict(page, 'blocked', 'confirmed');
  await page.getByRole('button', { name: 'A message' }).click();
  await verdict(page, 'blocked', 'confirmed');
  const controls = page.locator('button:visible, summary:visible, label.choice:visible');
  // A control that the page replaces meanwhile has no height.
  const heights = () =>
    expect
      .poll(async () =>
        Math.min(...(await controls.evaluateAll((some) => some.map((one) => one.getBoundingClientRect().height)))),
      )
      .toBeGreaterThanOrEqual(44);
  await heights();
  const log = page.locator('#log', { hasText: 'prefixes 8877a513' });
  await log.waitFor({ state: 'attached' });
  for (const id of ['journey', 'block', 'list', 'log']) expect(await page.locator(`#${id}`).isVisible(), id).toBe(false);
  for (const name of ['How it was found', 'Change the list', 'The list on this device', 'What this page sent']) {
    // Not by the mouse: lines above change with the time, and may move it between the press and the release.
    await page.locator('summary', { hasText: name }).press('Enter');
  }
  await log.waitFor();
  await heights();
  const top = async (id: string) => (await page.locator(`#${id}`).boundingBox())!.y;
  const tops = await Promise.all(['text', 'examples-frame', 'verdict', 'journey', 'block', 'list', 'log'].map(top));
  expect(tops).toEqual([...tops].sort((a, b) => a - b));
  // As the user left them.
  await page.locator('summary', { hasText: 'Change the list' }).press('Enter');
  await page.reload();
  await page.locator('#log', { hasText: 'config.json' }).waitFor();
  expect(await page.locator('details.fold').evaluateAll((all) => all.map((one) => (one as HTMLDetailsElement).open))).toEqual([
    true,
    false,
    true,
    true,
  ]);
  await page.getByRole('button', { name: /^Type: / }).click();
  await heights();
});

test('the first view fits a window without scrolling, and has four examples', async () => {
  const { url } = await serve();
  const page = await open(url, { isFolded: true });
  await verdict(page, 'blocked', 'confirmed');
  expect(await page.getByRole('region', { name: 'Check something' }).getByRole('button').allTextContents()).toEqual([
    'Type: detected',
    'A listed link',
    'A listed address',
    'A message',
    'Not listed',
  ]);
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(page.viewportSize()!.height);
});
