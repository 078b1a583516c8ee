import { expect, test } from 'vitest';
import {
  chooseType,
  held,
  judged,
  judgeHostile,
  listIsThere,
  openShared,
  paste,
  sentOne,
  text,
  tryExample,
  type,
  usePages,
  verdict,
} from './page-harness.js';

usePages();

test("the buttons show the service's reason for refusing", async () => {
  const page = await openShared({ mayFail: true });
  const block = page.getByRole('button', { name: 'Add it to this list' });
  expect(await block.isDisabled()).toBe(true);
  expect(await text(page, 'act-target')).toContain('Type a link or an address first');
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
    '○Not on the list: help@wallet-support.example',
  ]);
  await pieces.nth(1).click();
  await page.locator('#journey', { hasText: 'Email address help@wallet-support.example' }).waitFor();
  expect(await pieces.nth(1).getAttribute('aria-pressed')).toBe('true');
  expect(await pieces.nth(0).getAttribute('aria-pressed')).toBe('false');
  expect(await pieces.nth(1).evaluate((made) => made === document.activeElement)).toBe(true);
  expect(await page.getByRole('region', { name: 'Verdict' }).textContent()).toContain('Not on the list');
});

test('a secret is neither shown, hashed nor sent', async () => {
  const page = await openShared();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await tryExample(page, 'A private key');
  await verdict(page, 'not-listable', 'secret');
  expect(await text(page, 'journey')).not.toMatch(/00000|[0-9a-f]{32}/);
  expect(await page.getByRole('button', { name: 'Add it to this list' }).isDisabled()).toBe(true);
  expect(await text(page, 'act-target')).toContain('it is not sent');
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
    // Letters and a symbol without a shape, a space that does not break, and a character for private use.
    'https://a.example/\u3164\u2800\u00a0\ue000',
    `https://a.example/Z${'\u0301'.repeat(200)} and b.example`,
    `https://example.com/${'a/'.repeat(30_000)}`,
    // page.deep.test.ts has a megabyte of each.
    'a'.repeat(10_000),
    'https://a.example/ '.repeat(1_000),
  ]) {
    await judgeHostile(page, hostile);
  }
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
  expect(await focused()).toBe('text');
  // From the beginning of the page, where the skip link is the first stop.
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
  });
  await tabTo('Skip to the text box');
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('text');
  await page.keyboard.type('by-keyboard.example');
  await verdict(page, 'clear', 'not-listed');
  await tabTo('Add it to this list');
  await page.keyboard.press('Space');
  await verdict(page, 'blocked', 'confirmed');
  expect(await focused()).toBe('Add it to this list');
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

test('a pending check shows no verdict, neither for this text nor for the previous one', async () => {
  const page = await openShared();
  await type(page, 'https://example.net/');
  await verdict(page, 'clear', 'not-listed');
  const release = await held(page, '**/confirm');
  await type(page, 'https://scam-mint.example/');
  await page.locator('#verdict[data-status="checking"][aria-busy="true"]').waitFor();
  expect(await text(page, 'announcement')).toBe('');
  expect(await text(page, 'journey')).not.toContain('example.net');
  await page.locator('#log', { hasText: 'pending' }).waitFor();
  // Checks again, which waits for the same question.
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.locator('#sync-result', { hasText: 'No change.' }).waitFor();
  expect(await page.locator('#verdict').getAttribute('data-status')).toBe('checking');
  release();
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'verdict-sent')).toMatch(sentOne);
  expect(await text(page, 'journey-sent')).toMatch(sentOne);
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
  expect(await text(page, 'pieces-summary')).toBe('2 of 2 are not on the list');
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
  // The list may still be changing, and then the page would check again without asking.
  await type(page, 'https://example.net/');
  await verdict(page, 'clear', 'not-listed');
  await page.route('**/confirm', (route) => route.fulfill({ status, body, contentType: 'application/json' }));
  await type(page, 'scam-mint.example');
  await page.locator('#verdict[data-status="unconfirmed"]').waitFor();
  await page.locator('#journey', { hasText: shown }).waitFor();
  expect(await text(page, 'journey')).not.toContain('no hash with this prefix');
});

test('requests that are refused while offline is simulated are shown as refused, not as failed', async () => {
  const page = await openShared();
  await page.getByRole('switch').click();
  await type(page, 'scam-mint.example');
  await verdict(page, 'unconfirmed', 'offline');
  expect(await text(page, 'verdict-sent')).toBe(
    'The check sent nothing about it: 1 request refused, because offline is simulated.',
  );
  expect(await text(page, 'list-relay')).toContain('offline is simulated');
  await page.getByRole('button', { name: 'Add it to this list' }).click();
  await page.locator('#act-result', { hasText: 'Offline is simulated' }).waitFor();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.locator('#sync-result', { hasText: 'Offline is simulated' }).waitFor();
  expect(await text(page, 'notices')).not.toContain('NETWORK');
});

test('a user name is checked as the chosen type', async () => {
  const page = await openShared();
  await type(page, '@example_user');
  await verdict(page, 'unknown', 'unreadable');
  expect(await text(page, 'verdict-reason')).toContain('choose its type below the box');
  await chooseType(page, 'X (Twitter) user name');
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'journey')).toContain('X (Twitter) user name twitter.com/example_user');
  await chooseType(page, 'Detected from the text');
  await type(page, 'TWITTER:@example_user');
  await verdict(page, 'not-listable', 'internal-scheme');
  expect(await text(page, 'verdict-reason')).toContain('choose its type (X (Twitter) user name) below the box');
});

test('a text that looks like a key is checked with a warning and never sent or kept', async () => {
  const page = await openShared();
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await type(page, `0x${'a1'.repeat(32)}`);
  await verdict(page, 'clear', 'not-listed');
  expect(await text(page, 'verdict-reason')).toContain('looks like a private key');
  for (const name of ['Add it to this list', 'Remove it from this list']) {
    expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
  }
  expect(await text(page, 'act-target')).toContain('it is not sent');
  expect(sent.filter((address) => address.includes('actions'))).toEqual([]);
  await page.reload();
  expect(await page.getByRole('textbox').inputValue()).toBe('');
});

test('a reload keeps a link, but neither a secret nor a message, nor a name whose type was chosen', async () => {
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
  await type(page, 'example.net');
  await chooseType(page, 'Telegram user name');
  await judged(page);
  await page.reload();
  await listIsThere(page);
  expect(await page.getByRole('textbox').inputValue()).toBe('');
});

test('a malformed configuration is reported in place of a blank page', async () => {
  const page = await openShared();
  const published = '{"kind":"published","url":"https://elsewhere.invalid:x/"}';
  for (const body of ['{}', '[]', 'null', '{"kind":"relay"}', 'no JSON', published]) {
    await page.route('**/config.json', (route) => route.fulfill({ body }));
    await page.reload();
    await page.locator('#notices', { hasText: 'The page could not start' }).waitFor();
  }
});

test('the page says what it sends, depending on its configuration', async () => {
  const page = await openShared();
  await page
    .locator('#promise', { hasText: 'stays in this browser, unless you change the list; a possible match sends four bytes' })
    .waitFor();
  await page.route('**/config.json', (route) =>
    route.fulfill({ body: JSON.stringify({ kind: 'relay', baseUrl: 'blocklist', canAct: false, examples: [] }) }),
  );
  await page.reload();
  await page.locator('#promise', { hasText: 'stays in this browser; a possible match sends four bytes' }).waitFor();
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

/** A host whose letters look like those of another one. */
const lookAlike = 'https://sc\u0430m-mint.example/';

test.each([
  ['a look-alike', lookAlike, ['“sc\u0430m-mint” (xn--scm-mint-26g)', 'mixes Latin and Cyrillic letters']],
  ['a host with a direction override', 'https://exam\u202eple.example/', ['invisible characters (U+202E)']],
  ['a host with a soft hyphen', 'https://exam\u00adple.example/', ['invisible characters (U+00AD)']],
  ['a look-alike in a message', `Claim at ${lookAlike} or https://example.net/`, ['mixes Latin and Cyrillic letters']],
])('%s is not called clear, and has a notice of its own', async (_, content, notices) => {
  const page = await openShared();
  // The tone of what is neither good nor bad.
  const toneOf = () => page.locator('#verdict').evaluate((frame) => getComputedStyle(frame).backgroundColor);
  const tone = await toneOf();
  await paste(page, content);
  await verdict(page, 'clear', 'not-listed');
  const region = await page.getByRole('region', { name: 'Verdict' }).textContent();
  expect(region).toMatch(/Not on the list.*This is no promise of safety\./s);
  expect(region).not.toContain('✓');
  expect(await page.getByText(/\bClear\b/).count()).toBe(0);
  expect(await toneOf()).toBe(tone);
  for (const words of [...notices, 'does not change the verdict']) expect(await text(page, 'text-notice')).toContain(words);
  expect(await text(page, 'announcement')).toContain('Look closely.');
  await type(page, '');
  expect(await text(page, 'text-notice')).toBe('');
});

test('a listed text has the notice too, and an ordinary one has none', async () => {
  const page = await openShared();
  await type(page, 'https://scam-mint.example/\u200b');
  await verdict(page, 'blocked', 'confirmed');
  expect(await text(page, 'text-notice')).toContain('U+200B');
  for (const plain of ['https://яндекс.example/', 'Schöne Grüße ❤️ von https://bücher.example/']) {
    await paste(page, plain);
    await verdict(page, 'clear', 'not-listed');
    expect(await text(page, 'text-notice')).toBe('');
  }
});

test('the page starts with the first example, checked, selected and in focus', async () => {
  const page = await openShared();
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await verdict(page, 'blocked', 'confirmed');
  const box = page.getByRole('textbox');
  expect(await box.inputValue()).toBe('https://scam-mint.example/claim?ref=1');
  expect(await box.evaluate((made) => made === document.activeElement)).toBe(true);
  await page.keyboard.type('example.net');
  expect(await box.inputValue()).toBe('example.net');
});

test('technical facts are folded, and stay open once they are opened', async () => {
  const page = await openShared();
  await type(page, 'scam-mint.example');
  await verdict(page, 'blocked', 'confirmed');
  for (const name of [/bucket 7b28/, /blocked, confirmed · action: block/, 'Snapshot token']) {
    expect(await page.getByText(name).isVisible()).toBe(false);
  }
  await page.locator('#journey summary').first().click();
  await page.getByText(/bucket 7b28/).waitFor();
  await type(page, 'scam-mint.example');
  await verdict(page, 'blocked', 'confirmed');
  expect(await page.getByText(/bucket 7b28/).isVisible()).toBe(true);
  await page.locator('#journey-verdict summary').click();
  await page.getByText(/blocked, confirmed · action: block/).waitFor();
  expect(await text(page, 'journey-verdict')).toMatch(/\d (µs|ms) a lookup/);
  // The steps are made anew, and the focus stays where the keyboard was.
  await page.getByRole('button', { name: 'Sync now' }).evaluate((sync: HTMLElement) => sync.click());
  await page.locator('#sync-result', { hasText: 'No change.' }).waitFor();
  expect(await page.evaluate('document.activeElement.parentElement.id')).toBe('journey-verdict');
});

test('the states of the relay and of the service behind it are shown', async () => {
  const page = await openShared({ mayFail: true });
  expect(await text(page, 'list-relay')).toBe('answers');
  expect(await text(page, 'list-service')).toMatch(/^answered the relay, \d+ m?s ago$/);
  expect(await text(page, 'list-confirmations')).toBe('available');
  for (const [status, body, relay, service] of [
    [503, '{"ready":false,"status":"no-list"}', 'answers', 'does not answer the relay'],
    [404, 'not found', 'answers with status 404', 'not known'],
    [200, 'ok', 'answers, without a health report', 'not known'],
  ] as const) {
    await page.route('**/healthz', (route) => route.fulfill({ status, body }));
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.locator('#list-relay', { hasText: relay }).waitFor();
    await page.locator('#list-service', { hasText: service }).waitFor();
    await page.unroute('**/healthz');
  }
  await page.route('**/confirm', (route) => route.fulfill({ status: 500, body: '{}' }));
  await type(page, 'scam-mint.example');
  await page.locator('#list-confirmations', { hasText: /paused|failed/ }).waitFor();
});
