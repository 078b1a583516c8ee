import { checkText, createBlocklist, explain } from 'portcullis';
import { findAssets } from 'portcullis/assets';
import { createAssets, createCoreBlocklist, createFinder, evm, isTopLevelDomain } from 'portcullis/core';
import { textSource } from 'portcullis/sources';
import { describe, expect, test } from 'vitest';
import { readPasted } from '../../../src/core/algorithms/pasted-input.js';
import { away, synced } from './harness.js';
import { ownSource } from './own-source.js';

async function listing(...rows: string[]) {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'own', text: `${rows.join('\n')}\n` })], pollMs: 0 });
  await blocklist.sync();
  return blocklist;
}

const intent = (page: string, fallback: string): string =>
  `intent:${page.slice('https:'.length)}#Intent;scheme=https;S.browser_fallback_url=${encodeURIComponent(fallback)};end`;

describe('each target of an input is judged alone', () => {
  const targets = [
    ['the links of an intent', intent('https://good.example/', 'https://evil.example/')],
    ['the links of an intent, the other way round', intent('https://evil.example/', 'https://good.example/')],
    ['a redirector', `https://www.google.com/url?q=${encodeURIComponent('https://evil.example/')}`],
    ['the hosts of two browsers', 'http:\\//good.example/../evil.example/'],
  ] as const;

  test.each(targets)('%s: an override for one does not clear another', async (_, text) => {
    const blocklist = await listing('evil.example');
    await blocklist.allow('https://good.example/');
    await blocklist.allow('https://google.com/');
    expect(await blocklist.check(text)).toMatchObject({ action: 'block', expression: 'evil.example' });
  });

  test.each(targets)('%s: an override that blocks one blocks the input', async (_, text) => {
    const blocklist = await listing('other.example');
    await blocklist.block('https://evil.example/');
    expect(blocklist.test(text)).toMatchObject({ status: 'blocked', reason: 'override', expression: 'evil.example' });
    expect(explain(blocklist, text).override).toMatchObject({ action: 'block', expression: 'evil.example' });
  });

  test.each(targets)('%s: an allow entry of the source for one does not clear another', async (_, text) => {
    const lists = JSON.stringify({ blacklist: ['evil.example'], whitelist: ['good.example', 'google.com'] });
    const blocklist = createBlocklist({
      sources: [textSource({ id: 'own', format: 'eth-phishing-detect', text: lists })],
      pollMs: 0,
    });
    await blocklist.sync();
    expect(blocklist.test('https://good.example/')).toMatchObject({ status: 'allowed' });
    expect(blocklist.test(text)).toMatchObject({ action: 'block', expression: 'evil.example' });
  });

  test.each(targets)('%s: allowing the input allows all its targets', async (_, text) => {
    const blocklist = await listing('evil.example', 'good.example');
    expect(blocklist.test(text).action).toBe('block');
    await blocklist.allow(text);
    expect(blocklist.test(text)).toMatchObject({ status: 'allowed', reason: 'override' });
    expect(explain(blocklist, text).override).toMatchObject({ action: 'allow' });
  });

  test('an email address next to a link is a separate target', async () => {
    const blocklist = await listing('a@b.example');
    const text = 'https://good.example/#<a@b.example>';
    await blocklist.allow('https://good.example/');
    expect(blocklist.test(text)).toMatchObject({ action: 'block', asset: { type: 'EMAIL' } });
  });

  test('an override for the page that a lenient server serves does not clear the requested page', async () => {
    const blocklist = await listing('shared.example/mallory');
    await blocklist.allow('https://shared.example/a');
    expect(blocklist.test('https://shared.example/a%2Fb/../mallory/x')).toMatchObject({ action: 'block' });
  });

  test('the verdict names the asset that is listed', async () => {
    const blocklist = await listing('evil.example');
    const { asset } = await blocklist.check(intent('https://good.example/a', 'https://login.evil.example/b'));
    expect(asset).toEqual({ type: 'PAGE', canonical: 'login.evil.example/b' });
  });

  test('an unreadable target makes the input unknown, never clear', async () => {
    const blocklist = await listing('evil.example');
    expect(blocklist.test(intent('https://good.example/', 'https://[broken'))).toMatchObject({
      status: 'unknown',
      reason: 'unreadable',
    });
    expect(blocklist.test(intent('https://evil.example/', 'https://[broken'))).toMatchObject({ action: 'block' });
    expect(blocklist.test(intent('https://[broken', 'https://evil.example/'))).toMatchObject({ action: 'block' });
    let nested = 'https://evil.example/';
    for (let level = 0; level < 8; level++) nested = `https://www.google.com/url?q=${encodeURIComponent(nested)}`;
    expect(blocklist.test(nested)).toMatchObject({ status: 'unknown', reason: 'unreadable' });
  });

  test('a private address next to a public host does not hide it', async () => {
    const blocklist = await listing('evil.example');
    expect(blocklist.test(intent('https://192.168.0.1/', 'https://evil.example/'))).toMatchObject({ action: 'block' });
    expect(blocklist.test(intent('https://192.168.0.1/', 'https://10.0.0.1/'))).toMatchObject({ reason: 'private-address' });
  });
});

describe('with a list of safe-browsing-4', () => {
  const raw = 'intent://good.example/#Intent;scheme=https;S.browser_fallback_url=https://evil.example;end';
  const own = (...snapshot: string[]) =>
    synced(ownSource({ algoVersion: 'safe-browsing-4', whole: true, isProven: true, snapshot }));

  test.each([
    [raw, 'evil.example/', { type: 'URL', canonical: 'evil.example' }],
    ['HTTP://evil.example/#<a@b.com>', 'evil.example/', { type: 'URL', canonical: 'evil.example' }],
    ['http:\\//good.example/../evil.example/x', 'evil.example/', { type: 'PAGE', canonical: 'evil.example/x' }],
    [
      intent('https://good.example/', 'https://evil.example/a/?b'),
      'evil.example/a/',
      { type: 'PAGE', canonical: 'evil.example/a' },
    ],
    [intent('https://good.example/', 'https://www.evil.example/a'), 'www.evil.example/a', undefined],
  ])('the verdict names the listed asset or none: %s', async (text, row, asset) => {
    const { blocklist } = await own(row);
    const verdict = await blocklist.check(text);
    expect(verdict).toMatchObject({ action: 'block', expression: row });
    expect(verdict.asset).toEqual(asset);
  });

  test('an override covers the same target, and no other', async () => {
    const { blocklist } = await own('evil.example/');
    await blocklist.allow('https://good.example');
    expect(await blocklist.check(raw)).toMatchObject({ action: 'block', expression: 'evil.example/' });
    await blocklist.removeOverride('good.example');
    await blocklist.allow('https://evil.example');
    expect(await blocklist.check(raw)).toMatchObject({ action: 'allow' });
    expect(await blocklist.check(intent('https://evil.example/', 'https://sub.evil.example/'))).toMatchObject({
      status: 'allowed',
    });
  });

  test('an override does not apply if the algorithms read different targets', async () => {
    const { blocklist } = await own('evil.example/');
    await blocklist.allow('https://good.example');
    expect(
      await blocklist.check('intent://good.example/a%2Fb/..#Intent;scheme=https;S.browser_fallback_url=https://evil.example;end'),
    ).toMatchObject({ action: 'block' });
  });
});

describe('a text is judged without its surrounding punctuation', () => {
  test.each([
    'https://evil.example,',
    '(https://evil.example)',
    '<https://evil.example>',
    '**https://evil.example**',
    '"https://evil.example/".',
    '“https://evil.example”',
    '> https://evil.example',
    '• https://evil.example',
    '`evil.example`',
    'https://evil.example。',
    'hxxps://evil[.]example',
    'hXXp://evil[.]example/a',
    'evil[.]example',
    'https[:]//evil(dot)example',
    'https%3A%2F%2Fevil.example%2Fa',
    '<hxxps://evil[.]example/path>,',
  ])('%s', async (text) => {
    const blocklist = await listing('evil.example');
    expect(blocklist.test(text)).toMatchObject({ action: 'block', expression: 'evil.example' });
    expect(await blocklist.check({ content: text, type: 'URL' })).toMatchObject({ action: 'block' });
  });

  test('marks in a path are also judged as a part of it', async () => {
    const blocklist = await listing('shared.example/a)', 'shared.example/b');
    expect(blocklist.test('https://shared.example/a)')).toMatchObject({ action: 'block' });
    expect(blocklist.test('(https://shared.example/b)')).toMatchObject({ action: 'block' });
    expect(blocklist.test('https://shared.example/c)')).toMatchObject({ action: 'allow' });
  });

  test('a closing bracket stays if the link opens it', async () => {
    const blocklist = await listing('shared.example/a_(b)');
    expect(blocklist.test('https://shared.example/a_(b)')).toMatchObject({ expression: 'shared.example/a_(b)' });
    expect(blocklist.test('(see: x')).toMatchObject({ status: 'unknown' });
  });

  test.each(['(https://shared.example/m(1))', '[https://shared.example/m(1)],', 'https://shared.example/m(1))'])(
    'closing brackets that the link does not open are removed: %s',
    async (text) => {
      const blocklist = await listing('shared.example/m(1)');
      expect(blocklist.test(text)).toMatchObject({ action: 'block', expression: 'shared.example/m(1)' });
    },
  );

  test.each([
    '[https://evil.example](https://evil.example)',
    '[link](https://evil.example)',
    '![picture](https://evil.example "a title"),',
    '[good.example](https://evil.example)',
    '[evil.example](https://good.example)',
    '[https://good.example/](https://evil.example/)',
    '[https://good.example/](<hxxps://evil[.]example/m(1)>)',
    '[![picture](https://good.example/a)](https://evil.example)',
    '[a](https://good.example) [b](https://evil.example)',
    '[a](https://good.example/)https://evil.example',
  ])('a Markdown link names its target, and its label if that is a link: %s', async (text) => {
    const blocklist = await listing('evil.example');
    await blocklist.allow('https://good.example');
    expect(blocklist.test(text)).toMatchObject({ action: 'block', asset: { canonical: expect.stringMatching(/^evil.example/) } });
    expect(await blocklist.check({ content: text, type: 'URL' })).toMatchObject({ action: 'block' });
  });

  test.each([
    ['[link](https://good.example)', 'clear', 'not-listed'],
    ['[good.example](https://fine.example)', 'clear', 'not-listed'],
    ['[good.example](fine page)', 'unknown', 'unreadable'],
    ['[good.example](javascript:alert(1))', 'unknown', 'unreadable'],
    ['[link](javascript:alert(1))', 'not-listable', 'internal-scheme'],
    ['evil.example or [link](https://good.example)', 'blocked', 'listed'],
    ['[link](https://good.example) or evil.example', 'blocked', 'listed'],
    ['[link](5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ)', 'not-listable', 'secret'],
    [`${'[link](https://good.example) '.repeat(9)}[link](https://evil.example)`, 'unknown', 'unreadable'],
    ['https://good.example/a](b', 'clear', 'not-listed'],
  ])('a Markdown link is never clear because of one part: %s is %s', async (text, status, reason) => {
    const blocklist = await listing('evil.example');
    expect(blocklist.test(text)).toMatchObject({ status, reason });
  });

  test.each([
    'https://good.example/[a](https://evil.example)',
    'https://www.google.com/search?q=[x](https://evil.example)',
    'https://x.com/intent/post?text=[scam](https://evil.example)',
  ])('a text that is one address is only that address: %s', async (text) => {
    const blocklist = await listing('evil.example');
    expect(blocklist.test(text)).toMatchObject({ status: 'clear', reason: 'not-listed' });
  });

  // A link that such an address carries is named, but it is not what is opened.
  test.each(
    ['%', '<%>', '"%"', "'%'", '(%)', '`%`', '**%**', ' % '].flatMap((around) =>
      [
        ...'[a](@) ?x=[a](@) <@> [[@]] [[@|a]] [url=@]a[/url] #@ ?u=@ {@} (@) ^@ \\@ ;@ ,@'.split(' '),
        // These end at their own marks.
        ...['`@`', '"@"', "'@'", '**@**', '*@*', '~~@~~', '|@', '|evil.example|'].filter(
          (mark) => !'`"\'*<'.includes(around[0]!) || mark[0] === '~',
        ),
      ].map((mark) => around.replace('%', `https://good.example/${mark.replace('@', 'https://evil.example')}`)),
    ),
  )('an address with marks around it or inside it is not blocked for a link in its path: %s', async (text) => {
    const blocklist = await listing('evil.example');
    const { action, reason } = blocklist.test(text);
    expect(action).not.toBe('block');
    expect(['not-listed', 'carried']).toContain(reason);
  });

  test.each([
    '<https://good.example/a><https://evil.example/b>',
    '"https://good.example/a","https://evil.example/b"',
    '**https://good.example/a** **https://evil.example/b**',
    '<https://evil.example/a|good.example>',
    '<https://good.example|https://evil.example>',
    '[https://good.example/a](https://evil.example)',
    '([a](https://good.example/a)[b](https://evil.example))',
  ])('several links in marks are more than one address: %s', async (text) => {
    const blocklist = await listing('evil.example');
    expect(blocklist.test(text)).toMatchObject({ status: 'blocked' });
  });

  test('the address of a page is never read as a pasted text', async () => {
    const blocklist = await listing('evil.example', 'shared.example/a');
    for (const text of ['(https://evil.example/)', 'hxxps://evil[.]example/', 'https://shared.example/a),']) {
      expect(blocklist.test(text)).toMatchObject({ status: 'blocked' });
      for (const verdict of [blocklist.test(text, { isPasted: false }), await blocklist.check(text, { isPasted: false })])
        expect(verdict.status).not.toBe('blocked');
    }
  });

  test('a long link with marks around it is read once for each of its two forms', async () => {
    const assets = createAssets({ families: [] });
    const text = 'https://good.example/%%),';
    let count = 0;
    const counting = new Proxy(assets, {
      get(target, name) {
        count++;
        return Reflect.get(target, name);
      },
    });
    expect(readPasted(text, counting)).toEqual({ content: 'https://good.example/%%', also: [text] });
    expect(count).toBe(1);
    expect(readPasted(`(${text}`, counting)).toEqual({ content: 'https://good.example/%%', also: [] });
    expect(count).toBe(4);
  });

  test('no piece of a text with a key has the key', () => {
    const key = `5${'K2b'.repeat(16)}K2`;
    for (const text of [
      `https://good.example/ ${key}`,
      `${key} https://good.example/`,
      `one line\nhttps://good.example/ ${key}\nhttps://evil.example/`,
      `https://good.example/ ${key} and ${'more '.repeat(100)}`,
    ]) {
      const { content, also } = readPasted(text, createAssets({ families: [] }))!;
      expect([content, ...also], text).toContain('https://good.example/');
      expect([content, ...also].filter((piece) => piece.includes(key))).toEqual([]);
    }
  });

  test('an override for a pasted text applies to the asset in it', async () => {
    const blocklist = await listing('evil.example');
    expect((await blocklist.allow('(https://evil.example)')).expression).toBe('evil.example');
    expect(blocklist.test('https://evil.example/')).toMatchObject({ status: 'allowed' });
  });

  test('with a named type, the marks around a name are first tried as a part of it', async () => {
    const blocklist = await listing('x');
    expect(explain(blocklist, { content: '_name_', type: 'TWITTER' }).assets).toEqual(
      explain(blocklist, { content: 'https://x.com/_name_', type: 'TWITTER' }).assets,
    );
  });

  test.each([
    ...['(@evil_user1)', '@evil_user1,', '"evil_user1"', '**@evil_user1**', '[@good_user1](https://x.com/evil_user1)'].map(
      (content) => ({ content, type: 'TWITTER' }) as const,
    ),
    { content: '`52908400098527886e0f7030069857d2e4169ee7`', chain: 'ethereum' },
    { content: '(https://shared.example/b)', type: 'URL' },
  ] as const)('the marks around a text with a hint are removed: $content', async (input) => {
    const blocklist = await listing('0x52908400098527886e0f7030069857d2e4169ee7', 'shared.example/b');
    await blocklist.block({ content: 'evil_user1', type: 'TWITTER' });
    expect(blocklist.test(input)).toMatchObject({ action: 'block' });
  });

  test.each(['"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"', '(5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ),'])(
    'a secret is still refused as a secret: %s',
    async (text) => {
      const blocklist = await listing('x.example');
      expect(blocklist.test(text)).toMatchObject({ reason: 'secret' });
      expect(explain(blocklist, text).lists).toEqual([]);
    },
  );
});

describe('checkText', () => {
  const text = 'Hi! See hxxps://login[.]evil[.]example/a, or fine.example, or mail help@fine.example.';

  test('checks every piece of a text and returns the worst action', async () => {
    const blocklist = await listing('evil.example');
    const { action, pieces } = await checkText(blocklist, text);
    expect(action).toBe('block');
    expect(pieces.map(({ start, end, verdict }) => [text.slice(start, end), verdict.action])).toEqual([
      ['hxxps://login[.]evil[.]example/a', 'block'],
      ['fine.example', 'allow'],
      ['help@fine.example', 'allow'],
    ]);
    expect(pieces[0]).toMatchObject({ plain: 'https://login.evil.example/a', verdict: { expression: 'evil.example' } });
  });

  test.each([
    ['https://evil.example.Thanks', 'block'],
    ['https://fine.example https://evil.example.It was', 'block'],
    ['hidden in https://fine.example.Thanks', 'allow'],
    ['a weak evil.example() is checked like others', 'block'],
  ])('also checks a host without the word after it: %s', async (message, expected) => {
    const blocklist = await listing('evil.example');
    const { action, pieces } = await checkText(blocklist, message);
    expect(action).toBe(expected);
    expect(pieces.at(-1)?.verdict.action).toBe(expected);
  });

  test('a text without pieces is allowed, and one without a list follows the policy', async () => {
    const blocklist = await listing('evil.example');
    expect(await checkText(blocklist, 'nothing here')).toEqual({ action: 'allow', pieces: [] });
    const source = ownSource();
    source.before = away;
    const empty = createBlocklist({ sources: [source], pollMs: 0, policy: { unknown: 'warn' } });
    expect((await checkText(empty, text)).action).toBe('warn');
  });

  test('rejects an input that is not text or has too many pieces, and an aborted call', async () => {
    const blocklist = await listing('evil.example');
    await expect(checkText(blocklist, 7 as never)).rejects.toThrow(TypeError);
    await expect(checkText(blocklist, text, { maxResults: 2 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await expect(checkText(blocklist, text, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    await blocklist.close();
    await expect(checkText(blocklist, text)).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test.each([
    [null, 'options must be an object'],
    [5, 'options must be an object'],
    [{ topLevelDomains: 'abc' }, 'topLevelDomains must be an array'],
    [{ topLevelDomains: [1] }, 'topLevelDomains[0] must be a label in lower case'],
    [{ topLevelDomains: ['new domain'] }, 'topLevelDomains[0] must be a label in lower case, without dots and spaces'],
  ])('rejects the options %j with a plain message', async (options, message) => {
    const blocklist = await listing('evil.example');
    const wrong = checkText(blocklist, '', options as never);
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(wrong).rejects.toThrow(message);
    expect(() => findAssets('', options as never)).toThrow(message);
    const isObject = typeof options === 'object' && options !== null;
    if (!isObject) await expect(blocklist.check('evil.example', options as never)).rejects.toThrow(message);
    if (!isObject) await expect(blocklist.checkMany([], options as never)).rejects.toThrow(message);
  });

  test('finds what the blocklist reads, and asks for a finder where it cannot know that', async () => {
    const address = '0x52908400098527886E0F7030069857D2E4169EE7';
    const core = createCoreBlocklist({
      sources: [textSource({ id: 'own', text: 'evil.example\n' })],
      families: [evm],
      pollMs: 0,
    });
    await core.ready();
    const both = await checkText(core, `${text} ${address} npub1qqqqqq`);
    expect([both.action, both.pieces.length]).toEqual(['block', 4]);
    const links = await checkText(core, `${text} ${address}`, {
      findAssets: createFinder(createAssets({ families: [] }), { isTopLevelDomain }),
    });
    expect([links.action, links.pieces.length]).toEqual(['block', 3]);
    await expect(checkText({ ...core }, text)).rejects.toThrow('pass findAssets');
    for (const wrong of [undefined, text, { check: core.check }])
      await expect(checkText(wrong as never, text)).rejects.toThrow('a blocklist with checkMany; a light list has none');
    await expect(checkText(core, text, { findAssets: 'evm' as never })).rejects.toThrow('findAssets must be a function');
  });
});
