import { detectAssets } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import { createFinder } from '../../../src/core/find/find.js';
import { findAssets } from '../../../src/core/find/find-all.js';

const evm = '0x52908400098527886E0F7030069857D2E4169EE7';

/** The pieces of a text in order and as written; checks that each one matches its offsets. */
function piecesOf(text: string): string[] {
  return findAssets(text).map((found) => {
    expect(text.slice(found.start, found.end)).toBe(found.text);
    expect(found.assets.length).toBeGreaterThan(0);
    return found.text;
  });
}

/** The narrowest reading of each piece. */
const readingsOf = (text: string): string[] =>
  findAssets(text).map(({ assets: [first] }) => `${first?.type} ${first?.canonical}`);

test.each<[string, string[]]>([
  ['Nothing to see here. Really, nothing: 3.14, e.g. at 10:30 (room 4.12).', []],
  [
    'URGENT: your account is locked!! Verify at https://login.scam-mint.example/verify?id=42 within 24h.',
    ['https://login.scam-mint.example/verify?id=42'],
  ],
  ['gm 🎁🎁 claim ur airdrop 👉https://scam-mint.example/claim👈 now', ['https://scam-mint.example/claim']],
  ['is scam-mint.example legit?', ['scam-mint.example']],
  ['go to scam-mint.example/claim, then log in.', ['scam-mint.example/claim']],
  ['www.scam-mint.example:8443/a?b=c#d', ['www.scam-mint.example:8443/a?b=c#d']],
  [`send 0.1 ETH to ${evm}.`, [evm]],
  [`Contract:${evm}`, [evm]],
  [`My address is ${evm}.Thanks`, [evm]],
  [`pay ethereum:${evm}@1/transfer?value=1 please`, [`ethereum:${evm}@1/transfer?value=1`]],
  ['From: Support <help.desk@scam-mint.example>', ['help.desk@scam-mint.example']],
  ['mailto:help@scam-mint.example?subject=Hi', ['mailto:help@scam-mint.example?subject=Hi']],
  ['Email:help@scam-mint.example, or Link:https://scam-mint.example', ['help@scam-mint.example', 'https://scam-mint.example']],
  ['call +1 (202) 555-0142 or +44 7700 900123 now', ['+1 (202) 555-0142', '+44 7700 900123']],
  ['tel:+44-7700-900123', ['tel:+44-7700-900123']],
  [
    't.me/example_giveaway and tg://resolve?domain=example_giveaway',
    ['t.me/example_giveaway', 'tg://resolve?domain=example_giveaway'],
  ],
  ['install market://details?id=com.example.app', ['market://details?id=com.example.app']],
  [
    'the servers are 192.0.2.7, 198.51.100.4:8080/x and https://[2001:db8::1]/a',
    ['192.0.2.7', '198.51.100.4:8080/x', 'https://[2001:db8::1]/a'],
  ],
  ['https://good.example@scam-mint.example/ is not good', ['https://good.example@scam-mint.example/']],
  ['https://a.example,b@scam-mint.example/', ['https://a.example,b@scam-mint.example/']],
  ['view-source:https://scam-mint.example/', ['https://scam-mint.example/']],
  ['Clickhttps://scam-mint.example/', ['https://scam-mint.example/']],
])('messages: %s', (text, pieces) => {
  expect(piecesOf(text)).toEqual(pieces);
});

describe('text around a link', () => {
  const link = 'https://scam-mint.example/a';

  test.each([
    ...'(%) [%] {%} <%> "%"'.split(' '),
    "'%'",
    ...'`%` “%” ‘%’ «%» „%“ 「%」 （%） 【%】 *%* **%**, _%_ ~~%~~ |%| %. %, %! %?! %; %: %… %... %。 %， %、 %）'.split(' '),
    '(see %).',
    '[a link](%)',
    '[a link](% "title")',
    '![image](%)',
    '<a href="%">here</a>',
    "<a href='%'>here</a>",
    '<a href=%>here</a>',
    '{"url":"%","n":1}',
    "['%','other']",
    ...'{\\"url\\":\\"%\\"} &lt;%&gt; &quot;%&quot; url=% url:% see:% >%<'.split(' '),
    '> %',
    '1.%',
    '- %',
    ...'#% /% \u200f%\u200f \u202b%\u202c \u00a0%\u00a0 \u3000%\u3000 \u2028%\u2029 \ufeff% \t%\r\n 请点击%领取 は%です'.split(
      ' ',
    ),
    ...'여기%에서 ที่%ครับ 🎁%🎁 →%← %—now %،'.split(' '),
  ])('%s', (around) => {
    const text = around.replace('%', link);
    expect(piecesOf(text)).toEqual([link]);
    expect(findAssets(text)[0]?.start).toBe(around.indexOf('%'));
  });

  test.each<[string, string[]]>([
    ['https://a.example/x_(y)', ['https://a.example/x_(y)']],
    ['(https://a.example/x_(y))', ['https://a.example/x_(y)']],
    ['https://a.example/x(y', ['https://a.example/x']],
    ['https://a.example/?q[]=1&r={2}', ['https://a.example/?q[]=1&r={2}']],
    ["https://a.example/it's", ["https://a.example/it's"]],
    ['https://a.example/x,https://b.example/y', ['https://a.example/x', 'https://b.example/y']],
    ["'https://a.example/x','https://b.example/y'", ['https://a.example/x', 'https://b.example/y']],
    ['https://a.example;https://b.example', ['https://a.example', 'https://b.example']],
    ['https://a.example/https://b.example/', ['https://a.example/https://b.example/']],
    ['[https://a.example](https://b.example)', ['https://a.example', 'https://b.example']],
    ['[a.example](https://b.example)', ['a.example', 'https://b.example']],
    ['<a href="https://b.example">a.example</a>', ['https://b.example', 'a.example']],
    ['https:\\/\\/a.example\\/x', ['https:\\/\\/a.example\\/x']],
    ['a.example…b.example', ['a.example', 'b.example']],
    ['one...a.example', ['a.example']],
    ['https://zh.example/漢字/x', ['https://zh.example/漢字/x']],
    ['https://münchen.example/straße', ['https://münchen.example/straße']],
    ['https://例え.テスト/a', ['https://例え.テスト/a']],
    ['例え.みんな', ['例え.みんな']],
    ['https://evil。example/a', ['https://evil。example/a']],
    ['见 https://evil.example。谢谢', ['https://evil.example']],
    ['见 https://evil.example。Thanks', ['https://evil.example']],
    ['https://evil.example领取', ['https://evil.example']],
    ['访问evil.example领取', ['evil.example']],
    ['电话+447700900123谢谢', ['+447700900123']],
    ['🎁evil.example🎁', ['evil.example']],
    ['👉🏽例え.みんな👈', ['例え.みんな']],
    ['𠮷野 https://evil.example/𠮷', ['https://evil.example/𠮷']],
    ['𝐞𝐯𝐢𝐥.example', ['𝐞𝐯𝐢𝐥.example']],
    ['aaaabbbbccccddddeeeeffffgggghhhh🎁', ['aaaabbbbccccddddeeeeffffgggghhhh']],
    ['🎁', []],
    ['(+44 7700 900123)＋447700900123', ['+44 7700 900123', '＋447700900123']],
    ['https://i❤️.example/', ['https://i❤️.example/']],
  ])('%s', (text, pieces) => {
    expect(piecesOf(text)).toEqual(pieces);
  });
});

test.each([
  'href="https://a.example/,https://b.example"',
  "href='https://a.example/(https://b.example)'",
  'href="https://a.example/<b.example>"',
  'href="https://a.example/|b.example"',
  'href="https://a.example/🎁b.example"',
  '{\\"a\\":\\"<a href=\\"https://a.example/|b.example\\">\\"}',
  '<https://a.example/(https://b.example)>',
  '<https://a.example/,https://b.example>',
  '[x](https://a.example/(https://b.example))',
  '[x](https://a.example/|b.example)',
  'https://a.example/(https://b.example)',
  'https://a.example/[https://b.example]',
  'https://a.example/[[https://b.example|x]',
  'https://a.example/[url=https://b.example]x[/url]',
  'https://a.example/**https://b.example**',
  'https://a.example/#https://b.example',
])('a link inside the address of another is a part of it: %s', (text) => {
  const hosts = findAssets(text).flatMap(({ assets }) => assets.map(({ canonical }) => canonical));
  expect(hosts).toContain('a.example');
  expect(hosts.filter((host) => host.startsWith('b.example'))).toEqual([]);
});

test.each([
  '<https://a.example|https://b.example>',
  'https://a.example/<https://b.example>',
  'https://a.example/[x](https://b.example)',
  '<a href="https://a.example/a">https://b.example</a>',
  '[https://a.example/a](https://b.example)',
  '[[https://a.example/a][https://b.example]]',
])('a second link that some reader opens is found: %s', (text) => {
  expect(findAssets(text).map(({ assets }) => assets.at(-1)?.canonical)).toEqual(['a.example', 'b.example']);
});

describe('defanged links', () => {
  test.each([
    ...'hxxps://scam-mint.example/a hXXps://scam-mint.example/a htxps://scam-mint.example/a'.split(' '),
    ...'https://scam-mint[.]example/a https://scam-mint(.)example/a https://scam-mint{.}example/a'.split(' '),
    ...'https://scam-mint[dot]example/a https://scam-mint(DOT)example/a'.split(' '),
    'https://scam-mint[ dot ]example/a',
    'https://scam-mint [dot] example/a',
    ...'https[:]//scam-mint.example/a https[://]scam-mint.example/a https:[//]scam-mint.example/a'.split(' '),
    ...'https:[/][/]scam-mint.example[/]a hxxps[:]//scam-mint[.]example[/]a scam-mint[.]example/a'.split(' '),
    ...'https:\\\\scam-mint.example\\a https:///scam-mint.example/a https://scam\u200b-mint.exam\u00adple/a'.split(' '),
    ...'htt\u2060ps://scam-mint.example/\ufeffa'.split(' '),
  ])('%s', (piece) => {
    const text = `IOC: ${piece} (seen today)`;
    expect(findAssets(text)).toEqual([
      expect.objectContaining({
        start: 5,
        end: 5 + piece.length,
        text: piece,
        assets: detectAssets('https://scam-mint.example/a'),
      }),
    ]);
  });

  test.each([
    'help[at]scam-mint[.]example',
    'help(at)scam-mint.example',
    'help [at] scam-mint [dot] example',
    'help[@]scam-mint.example',
  ])('%s', (piece) => {
    expect(piecesOf(`write to ${piece}!`)).toEqual([piece]);
    expect(readingsOf(piece)).toEqual(['EMAIL help@scam-mint.example']);
  });

  test('leaves prose with brackets alone', () => {
    expect(piecesOf('look (at) this, [.] there, f(a) or a[:] (dot)')).toEqual([]);
    expect(piecesOf('scam-mint.example (at) noon')).toEqual(['scam-mint.example']);
  });
});

test.each([
  'e.g. i.e. a.m. U.S. Ph.D 3.14 1.2.3 v1.2.3 2024.01.31 10.30am $1.5mn',
  'localhost http://localhost:3000/ https://intranet/',
  'and/or path/to/file.txt ./src/find.ts C:\\temp\\file.txt',
  '12:30 a:b foo::bar http: https:// :// @ @handle #tag',
  'call 2025550142 or 07700 900123, C++20, +1, +12, 1+1234567',
  'javascript:alert(1) data:text/html,hi about:blank',
])('texts that are not links: %s', (text) => {
  expect(piecesOf(text)).toEqual([]);
});

describe('secrets', () => {
  // These have the shape of keys but are not keys.
  const wif = `5${'K2b'.repeat(16)}K2`;
  const hex = 'ab12'.repeat(16);
  const phrase = 'abandon ability able about above absent absorb abstract absurd abuse access accident';

  test.each([
    wif,
    `key:${wif}`,
    `bitcoin:${wif}`,
    `${wif}.`,
    `My key is ${wif}.Then I sent it`,
    `${wif}@${wif}`,
    hex,
    `0:x ${hex}`,
    phrase,
    phrase.split(' ').join(', '),
    phrase.split(' ').join('\n'),
    phrase
      .split(' ')
      .map((word, at) => `${at + 1}.${word}`)
      .join(' '),
    phrase
      .split(' ')
      .map((word, at) => `${at + 1}. ${word}`)
      .join('\n'),
    phrase
      .split(' ')
      .map((word, at) => `${at + 1}:${word}`)
      .join(' '),
    phrase
      .split(' ')
      .map((word, at) => `${at + 1}) ${word}`)
      .join(' '),
    phrase
      .split(' ')
      .map((word, at) => `${at + 1}.${word}`)
      .join('/'),
  ])('are not found: %s', (text) => {
    expect(piecesOf(text)).toEqual([]);
  });

  test('do not hide a link next to them', () => {
    expect(piecesOf(`${wif} https://scam-mint.example/ ${phrase}`)).toEqual(['https://scam-mint.example/']);
  });

  test('are not found in the local part of an email address or a label of a host without a scheme', () => {
    expect(piecesOf(`${wif}@scam-mint.example ${wif}.scam-mint.example`)).toEqual([]);
  });
});

describe('bounds', () => {
  test('a text of the maximum length is accepted and a longer one refused', () => {
    const max = 4 * 1024 * 1024;
    expect(findAssets(`a.example ${' '.repeat(max - 10)}`)).toHaveLength(1);
    expect(() => findAssets(' '.repeat(max + 1))).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }));
  });

  test('a text with too many pieces is refused rather than cut', () => {
    const text = 'https://a.example '.repeat(3);
    expect(findAssets(text, { maxResults: 3 })).toHaveLength(3);
    expect(() => findAssets(text, { maxResults: 2 })).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }));
    expect(findAssets('a.example '.repeat(10_000))).toHaveLength(10_000);
    expect(() => findAssets('a.example '.repeat(10_001))).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }));
  });

  test('the host of a very long link is found, and the rest is skipped', () => {
    const [found, ...others] = findAssets(`https://scam-mint.example/${'a/'.repeat(50_000)}b.example then c.example`);
    expect(found?.text).toHaveLength(32_768);
    expect(found?.assets).toEqual([{ type: 'URL', canonical: 'scam-mint.example' }]);
    expect(others.map(({ text }) => text)).toEqual(['c.example']);
  });

  test('arguments of the wrong type throw a TypeError', () => {
    expect(() => findAssets(1 as unknown as string)).toThrow(TypeError);
    for (const maxResults of [0, -1, 1.5, Number.NaN]) {
      expect(() => findAssets('', { maxResults })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    }
  });
});

test('the caller chooses the families', () => {
  const find = createFinder(createAssets({ families: [] }));
  expect(find(`https://scam-mint.example ${evm} help@scam-mint.example +44 7700 900123`).map(({ text }) => text)).toEqual([
    'https://scam-mint.example',
    // Without the email family, this is a host with a user name.
    'help@scam-mint.example',
  ]);
});
