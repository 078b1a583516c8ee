import { detectAssets } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import { createFinder } from '../../../src/core/find/find.js';
import { findAssets } from '../../../src/core/find/find-all.js';

/** Each piece of a text with its narrowest reading. */
const readings = (text: string): string[] => findAssets(text).map(({ text, assets }) => `${text} ${assets[0]?.canonical}`);

describe('percent-escapes between and in pieces', () => {
  test.each<[string, string[]]>([
    ['u=http%3a%2f%2fevil.com', ['http%3a%2f%2fevil.com evil.com']],
    ['/r?u=http%3A%2F%2Fevil.com%2Fa%3Fb%3D1&x=2', ['http%3A%2F%2Fevil.com%2Fa%3Fb%3D1 evil.com/a']],
    ['u=http%253a%252f%252fevil.com%252fa', ['http%253a%252f%252fevil.com%252fa evil.com/a']],
    ['u=http%3a//evil.com/x', ['http%3a//evil.com/x evil.com/x']],
    ['u=http:%2f%2fevil.com', ['http:%2f%2fevil.com evil.com']],
    ['hxxps%3a%2f%2fevil[.]com', ['hxxps%3a%2f%2fevil[.]com evil.com']],
    ['(a=http%3a%2f%2fevil.com).', ['http%3a%2f%2fevil.com evil.com']],
    ['to=user%40evil.com&x', ['user%40evil.com user@evil.com']],
    ['a%2fevil.com %20evil.com a%2520evil.com', ['evil.com evil.com', 'evil.com evil.com', 'evil.com evil.com']],
    ['%65vil.com and ev%69l%2ecom', ['%65vil.com evil.com', 'ev%69l%2ecom evil.com']],
    ['100%evil.com', ['evil.com evil.com']],
    ['http%3a%2f%2f http%3a%2f%2flocalhost%2f', []],
  ])('%s', (text, pieces) => {
    expect(readings(text)).toEqual(pieces);
  });

  test('a piece is plain without the escapes of a parameter', () => {
    expect(findAssets('u=http%253a%252f%252fevil.com%252fa%253fb')[0]?.plain).toBe('http://evil.com/a?b');
  });
});

describe('hosts that linkifiers find', () => {
  test.each<[string, string[]]>([
    ['\\evil.com', ['evil.com evil.com']],
    ['C:\\temp\\evil.com', ['evil.com evil.com']],
    ['/evil.com or "/evil.com/a"', ['evil.com evil.com', 'evil.com/a evil.com/a']],
    ['点击/evil.com领取', ['evil.com evil.com']],
    ['a/evil.com ~/evil.com ../evil.com a\\/evil.com', []],
    ['👉/evil.com👈 ~~/evil.com~~', ['evil.com evil.com', 'evil.com evil.com']],
    ['\\nftp://evil.com;good.com', ['ftp://evil.com evil.com', 'good.com good.com']],
    ['https://evil.com;good.com@admin', ['https://evil.com evil.com', 'good.com good.com']],
    ['https://evil.com%22@ https://x@evil.com@admin', ['https://evil.com evil.com', 'https://x@evil.com evil.com']],
    [
      'good.com/https://evil.com good.com#https://evil.com',
      ['good.com/ good.com', 'https://evil.com evil.com', 'good.com# good.com', 'https://evil.com evil.com'],
    ],
    ['good.com/漢https://evil.com/a', ['good.com/漢 good.com/%E6%BC%A2', 'https://evil.com/a evil.com/a']],
    ['https://good.com/a(https://evil.com', ['https://good.com/a good.com/a', 'https://evil.com evil.com']],
    ['google.com/url?q=https://evil.com', ['google.com/url?q=https://evil.com evil.com']],
    ['https://t.me/evil\\_support', ['https://t.me/evil\\_support t.me/evil_support']],
    ['evil.com+more evil.com+', ['evil.com evil.com', 'evil.com evil.com']],
    ['evil.com+good.com', ['evil.com evil.com', 'good.com good.com']],
    ['https://evil.com@admin', ['https://evil.com evil.com']],
    ['https://evil.com%22%3E', ['https://evil.com evil.com']],
    ['evil.com\\/a', ['evil.com\\/a evil.com/a']],
    ['点击.ftp://evil.com:80/x领取', ['ftp://evil.com:80/x evil.com/x']],
    ['проверьтеwss://evil.com é-ftp://evil.com', ['wss://evil.com evil.com', 'ftp://evil.com evil.com']],
    ['点击.tg://resolve', ['点击.tg://resolve xn--89q526e.tg/resolve']],
  ])('%s', (text, pieces) => {
    expect(readings(text)).toEqual(pieces);
  });

  test.each([
    ['https://evil.com+', 'https://evil.com+'],
    ['https://evil.com+more/a', 'https://evil.com+more/a'],
    ['https://evil.com%22', 'https://evil.com%22'],
    ['https://evil.com_/a', 'https://evil.com_/a'],
    ['\\nftp://evil.com__', 'ftp://evil.com__'],
    ['https://evil.com@good.com/a', 'https://evil.com@good.com/a'],
    ['https://evil.com:pass@good.com', 'https://evil.com:pass@good.com'],
    ['https://evil.com%22@good.com', 'https://evil.com%22@good.com'],
  ])('with what a browser takes for a part of the host: %s', (text, plain) => {
    expect(findAssets(text)).toMatchObject([{ plain, shorter: expect.stringMatching(/^(https|ftp):\/\/evil\.com$/) }]);
    expect(findAssets(text)[0]!.assets).toContainEqual({ type: 'URL', canonical: 'evil.com' });
  });

  test.each([...'—–…。·、“”，'])('up to an `@` behind prose, which a browser opens: %s', (sign) => {
    for (const link of ['https://good.com', 'https://bücher.com', 'wss://a', 'https://good.com:443'])
      for (const user of ['user', 'user:pass', `a${sign}b`]) {
        const text = `${link}${sign}${user}@www.evil.com`;
        expect(new URL(text).hostname).toBe('www.evil.com');
        expect(findAssets(`see ${text}, please`).flatMap(({ assets }) => assets)).toContainEqual({
          type: 'URL',
          canonical: 'evil.com',
        });
      }
    const apart = ['https://good.com/', 'https://good.com ', 'https://good.com\u3000', 'good.com'];
    for (const link of apart) expect(findAssets(`${link}${sign}user@evil.com`).at(-1)).not.toHaveProperty('shorter');
  });
});

// CommonMark: a backslash before a mark is no part of the link, and the text of a link may have quotes.
test.each<[string, string[]]>([
  ['[a](https://evil\\-mint.com) [a](<https://evil\\-mint.com/b>)', ['evil-mint.com', 'evil-mint.com/b evil-mint.com']],
  ['[1]: https://evil\\-mint.com', ['evil-mint.com']],
  ['evil-mint\\.com https://evil-mint\\.com/a', ['evil-mint.com', 'evil-mint.com/a evil-mint.com']],
  ['https://evil.com\\-x/y https://evil.com\\.x', ['evil.com-x/y evil.com-x evil.com', 'evil.com.x evil.com']],
  ['[x="https://good.com/](https://evil.com)"', ['good.com', 'evil.com']],
  ["[see ='https://good.com/](https://evil.com/a)'!", ['good.com', 'evil.com/a evil.com']],
])('Markdown: %s', (text, assets) => {
  expect(findAssets(text).map((piece) => piece.assets.map(({ canonical }) => canonical).join(' '))).toEqual(assets);
});

describe('characters as HTML writes them', () => {
  test.each<[string, string[]]>([
    ['href="https://evil&#46;com/"', ['https://evil&#46;com/ evil.com']],
    ['&#101;vil.com', ['&#101;vil.com evil.com']],
    ['evil&#x2e;com evil&#X2Ecom&#0046', ['evil&#x2e;com evil.com']],
    ['evil&#46com', ['evil&#46com evil.com']],
    ['evil&period;com', ['evil&period;com evil.com']],
    ['https&colon;&sol;&sol;evil&period;com&sol;a', ['https&colon;&sol;&sol;evil&period;com&sol;a evil.com/a']],
    ['evil&amp;#46;com evil&amp;amp;period;com', ['evil&amp;#46;com evil.com', 'evil&amp;amp;period;com evil.com']],
    ['ev&ZeroWidthSpace;il.com ev&#8203;il.com', ['ev&ZeroWidthSpace;il.com evil.com', 'ev&#8203;il.com evil.com']],
    ['href="https://ev&shy;il.com/" ev&zwnj;il.com', ['https://ev&shy;il.com/ evil.com', 'ev&zwnj;il.com evil.com']],
    ['&#128073;evil.com', ['evil.com evil.com']],
    [
      '&lt;evil.com&gt; &quot;evil.com/a&quot; evil.com/b&nbsp;c',
      ['evil.com evil.com', 'evil.com/a evil.com/a', 'evil.com/b evil.com/b'],
    ],
    ['a.com&NewLine;b.com&#10;c.com&Tab;d.com', ['a.com a.com', 'b.com b.com', 'c.com c.com', 'd.com d.com']],
    ['&#0;evil.com&#x110000; &#xd800;', ['evil.com evil.com']],
    ['evil.com/?a=1&amp;b=2', ['evil.com/?a=1&amp;b=2 evil.com']],
    ['evil.com/?a=1&lt=5&ampere=1', ['evil.com/?a=1&lt=5&ampere=1 evil.com']],
    ['help&commat;evil&period;com', ['help&commat;evil&period;com help@evil.com']],
  ])('%s', (text, pieces) => {
    expect(readings(text)).toEqual(pieces);
  });
});

test.each(['https://evil.com/?a=1&amp;b=2', 'https://evil.com/?a=1\\u0026b=2', 'https://evil.com/?a=1&#38b=2'])(
  'a query with written characters is read as it is meant: %s',
  (text) => {
    expect(findAssets(text)).toMatchObject([{ text, plain: 'https://evil.com/?a=1&b=2' }]);
  },
);

test.each([
  ['https://evil.com&period;good.com/a', 'https://evil.com'],
  ['https://evil.com\\u002egood.com', 'https://evil.com'],
  ['evil.com&#46;good.com', 'evil.com'],
])('a host that a reader of plain text sees in front of a written character is read, too: %s', (text, shorter) => {
  expect(findAssets(text)).toMatchObject([{ text, shorter }]);
  expect(findAssets(text)[0]!.assets).toContainEqual({ type: 'URL', canonical: 'evil.com' });
});

describe('characters as JSON and JavaScript write them', () => {
  const evm = '0x52908400098527886E0F7030069857D2E4169EE7';

  test.each<[string, string[]]>([
    ['https:\\u002f\\u002fevil\\u002ecom', ['https:\\u002f\\u002fevil\\u002ecom evil.com']],
    ['\\x68ttps://evil\\x2ecom', ['\\x68ttps://evil\\x2ecom evil.com']],
    ['evil\\u{2e}com evil\\\\u002ecom', ['evil\\u{2e}com evil.com', 'evil\\\\u002ecom evil.com']],
    ['\\u4f60\\u597devil.com\\u9886', ['evil.com evil.com']],
    ['\\ud83d\\udc49evil.com', ['evil.com evil.com']],
    ['\\u003ca href=\\u0022https://evil.com/a\\u0022\\u003e', ['https://evil.com/a evil.com/a']],
    ['https://evil.com/?a=1\\u0026b=2', ['https://evil.com/?a=1\\u0026b=2 evil.com']],
    ['a.com\\r\\nhttps://b.com/a\\nhttps://c.com/a\\td', ['a.com a.com', 'https://b.com/a b.com/a', 'https://c.com/a c.com/a']],
    [`"Send to:\\n${evm}"`, [`${evm} ${evm.toLowerCase()}`]],
    [`"Send to:\\\\n${evm}\\\\n"`, [`${evm} ${evm.toLowerCase()}`]],
    ['"\\n+447700900123\\n"', ['+447700900123 +447700900123']],
    ['\\nmailto:help@evil.com', ['mailto:help@evil.com help@evil.com']],
    ['\\nevil&#46;com', ['nevil&#46;com nevil.com']],
  ])('%s', (text, pieces) => {
    expect(readings(text)).toEqual(pieces);
  });

  test.each([
    ['"\\nevil.com/a"', 'nevil.com/a', 'evil.com/a', { type: 'URL', canonical: 'evil.com' }],
    ['"a\\thelp@evil.com"', 'thelp@evil.com', 'help@evil.com', { type: 'EMAIL', canonical: 'help@evil.com' }],
    ['C:\\new.com', 'new.com', 'ew.com', { type: 'URL', canonical: 'ew.com' }],
  ])('a name after a line end is read with and without its letter: %s', (text, plain, shorter, asset) => {
    expect(findAssets(text)).toMatchObject([{ plain, shorter }]);
    expect(findAssets(text)[0]!.assets).toContainEqual(asset);
  });
});

test.each<[string, string[]]>([
  [
    'send to ronin:52908400098527886E0F7030069857D2E4169EE7 please',
    ['ronin:52908400098527886E0F7030069857D2E4169EE7 0x52908400098527886e0f7030069857d2e4169ee7'],
  ],
  ['vnd.youtube:dQw4w9WgXcQ', ['vnd.youtube:dQw4w9WgXcQ youtube.com/watch?v=dQw4w9WgXcQ']],
  ['see youtube:dQw4w9WgXcQ.', ['youtube:dQw4w9WgXcQ youtube.com/watch?v=dQw4w9WgXcQ']],
  ['(appstream:org.gnome.Maps)', ['appstream:org.gnome.Maps org.gnome.Maps']],
  ['reddit:/r/evil_sub', ['reddit:/r/evil_sub reddit.com/r/evil_sub']],
  ['youtube: evil.example', ['evil.example evil.example']],
])('schemes of apps and chains without slashes: %s', (text, pieces) => {
  expect(readings(text)).toEqual(pieces);
});

describe('a word directly after a host', () => {
  test.each<[string, string[]]>([
    ['evil.com.Thanks', ['evil.com evil.com']],
    ['evil.com.Спасибо', ['evil.com evil.com']],
    ['evil.com.Thanks.Bye', ['evil.com evil.com']],
    ['help@evil.com.Thanks', ['help@evil.com help@evil.com']],
    ['a evil.com-based one', ['evil.com evil.com']],
    ['例子.中国可以打开吗', ['例子.中国 例子.中国'.replace(/ .*/, ' xn--fsqu00a.xn--fiqs8s')]],
    ['1.able.Thanks 2.0.0-0 a-1.3.0-0', []],
  ])('%s', (text, pieces) => {
    expect(readings(text)).toEqual(pieces);
  });

  test.each([
    ['https://evil.com.Thanks!', 'https://evil.com.Thanks', 'https://evil.com'],
    ['hxxps://evil[.]com.Спасибо', 'https://evil.com.Спасибо', 'https://evil.com'],
    ['evil.com.It was', 'evil.com.It', 'evil.com'],
    ['https://evil.com.It was', 'https://evil.com.It', 'https://evil.com'],
  ])('gives two readings if it may belong to the host: %s', (text, plain, shorter) => {
    expect(findAssets(text)).toMatchObject([
      { plain, shorter, assets: [...detectAssets(plain), { type: 'URL', canonical: 'evil.com' }] },
    ]);
  });

  test.each([
    'https://evil.com.Thanks/a',
    'https://evil.com.Thanks:8080',
    'https://evil.newdomain',
    'https://evil.co.it',
    'https://1.2.3.4',
  ])('is a part of it: %s', (text) => {
    expect(findAssets(text)).toMatchObject([{ text }]);
    expect(findAssets(text)[0]).not.toHaveProperty('shorter');
  });
});

describe('letters and dots that a browser maps to others', () => {
  test.each([
    ...'ⓔⓥⓘⓛ.ⓒⓞⓜ 𝐞𝐯𝐢𝐥.𝐜𝐨𝐦 ｅｖｉｌ．ｃｏｍ 🄴🅅🄸🄻.🄲🄾🄼 ℯvil.com evil．com evil․com evil﹒com evil。com evil｡com'.split(' '),
  ])('%s', (host) => {
    for (const text of [host, `https://${host}`, `see ${host}, now`, `（https://${host}）`]) {
      expect(
        findAssets(text).map(({ assets }) => assets),
        text,
      ).toEqual([[{ type: 'URL', canonical: 'evil.com' }]]);
    }
  });

  test('are found wherever they are in a link, except for those that end it', () => {
    const missed = mapped.filter((character) => {
      const link = `https://ev${character}l.com`;
      return findAssets(`see ${link} now`)[0]?.text !== link;
    });
    // Two and three dots; and punctuation, which ends a link in prose.
    expect(missed.join('')).toBe('‥…︒︙︰﹣－');
  });

  test('are found in a host without a scheme, except for digits, units and marks that follow words', () => {
    const missed = mapped.filter((character) => findAssets(`ev${character}l.com`)[0]?.text !== `ev${character}l.com`);
    const isLetter = (character: string): boolean => /^[a-z]$/i.test(character.normalize('NFKC'));
    expect(missed.filter(isLetter).join('')).toBe('ªºⁱⁿₐₑₒₓₕₖₗₘₙₚₛₜ꟱ꟲꟳꟴ');
    expect(mapped.length).toBeGreaterThan(1000);
  });

  test.each(['evil.com™', 'evil.com²', '①evil.com', '谢谢。evil.com', 'evil.com。谢谢', 'evil.com。Thanks'])(
    'do not join a host and the text beside it: %s',
    (text) => {
      expect(readings(text)).toEqual(['evil.com evil.com']);
    },
  );

  test('do not turn two sentences into a host', () => {
    expect(readings('これはテストである．次に進む．用Node.js写的。It works。好的')).toEqual([]);
  });

  const mapped: readonly string[] = Array.from({ length: 0x1ffff - 0xa1 }, (_, at) => at + 0xa1)
    .filter((code) => code < 0xd800 || code >= 0xe000)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => {
      const [asset] = detectAssets(`https://ev${character}l.com`);
      return asset?.type === 'URL' && /^(?!.*xn--)[a-z\d.-]+\.com$/.test(asset.canonical);
    });
});

test.each([
  ['https://main.rs help@evil.com +44 7700 900123', 'explicit'],
  ['evil.com EVIL.COM www.main.rs docs.rs/x claim-drop.info 192.0.2.7 evil.com:8080', 'bare'],
  ['main.rs README.md script.sh a.py x.pl main.rs:12 README.md#usage lib/ libx.so', 'weak'],
  ['user.name event.data bigInt.zero tty.isTV ok.So evil.io() evil。com evil.com.thanks 1.2.3.4', 'weak'],
])('the certainty of a piece: %s is %s', (text, certainty) => {
  const found = findAssets(text);
  expect(found.length).toBeGreaterThan(2);
  expect(found.map((piece) => [piece.text, piece.certainty])).toEqual(found.map((piece) => [piece.text, certainty]));
});

describe('top-level domains', () => {
  test('can be added in a call', () => {
    expect(findAssets('evil.newdomain')).toEqual([]);
    expect(findAssets('evil.newdomain', { topLevelDomains: ['newdomain'] })).toMatchObject([{ certainty: 'bare' }]);
  });

  test('are all plausible to a finder without a list', () => {
    const find = createFinder(createAssets({ families: [] }));
    expect(find('evil.newdomain and package.json').map(({ text }) => text)).toEqual(['evil.newdomain', 'package.json']);
    const own = createFinder(createAssets({ families: [] }), { isTopLevelDomain: (label) => label === 'newdomain' });
    expect(own('evil.newdomain and evil.com').map(({ text }) => text)).toEqual(['evil.newdomain']);
  });
});
