import { ASSET_TYPES, canonicalizeUrl, detectAssets, expressionsOf, hashOf, normalizeAsset, prefixOf } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { maxLinkExpressions } from '../../src/core/limits.js';
import { expectLinearTime } from '../support/growth.js';
import * as linksAndEvm from '../support/links-and-evm.js';

const address = '0x52908400098527886E0F7030069857D2E4169EE7';
const canonicalAddress = '0x52908400098527886e0f7030069857d2e4169ee7';

/** The rows of the service's asset type table whose rules this package has (source: contract of the service, asset types). */
describe('examples of the asset type table', () => {
  test.each([
    ['https://www.scam-mint.example/claim?ref=1#top', 'scam-mint.example'],
    ['SCAM-Mint.Example.', 'scam-mint.example'],
    ['http://user:pw@Login.scam-mint.example:8443/', 'login.scam-mint.example'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['https://BÜCHER.example/x', 'xn--bcher-kva.example'],
  ])('reads %s as the URL %s', (text, canonical) => {
    expect(normalizeAsset(text, { type: 'URL' })).toEqual({ type: 'URL', canonical });
    expect(normalizeAsset(canonical, { type: 'URL' })).toEqual({ type: 'URL', canonical });
  });

  test.each([
    ['https://www.linktr.ee/Example_Giveaway/', 'linktr.ee/Example_Giveaway'],
    ['http://BIT.ly/3AbCdEf?utm_source=x', 'bit.ly/3AbCdEf'],
    ['sites.example.net//a/./b/../%7Eme/#frag', 'sites.example.net/a/~me'],
    ['https://example.wordpress.com/2024/01/claim-now/?share=twitter', 'example.wordpress.com/2024/01/claim-now'],
    ['https://linktr.ee/%45xample%255FGiveaway', 'linktr.ee/Example_Giveaway'],
  ])('reads %s as the PAGE %s', (text, canonical) => {
    expect(normalizeAsset(text, { type: 'PAGE' })).toEqual({ type: 'PAGE', canonical });
    expect(normalizeAsset(text)).toEqual({ type: 'PAGE', canonical });
    expect(normalizeAsset(canonical, { type: 'PAGE' })).toEqual({ type: 'PAGE', canonical });
  });

  test.each(['javascript:alert(1)', 'data:text/html,hi', 'about:blank', 'localhost', 'not a url', 'https://exa mple.com/'])(
    'does not read %s as a URL',
    (text) => {
      expect(detectAssets(text)).toEqual([]);
      expect(expressionsOf(text)).toEqual([]);
    },
  );

  test.each(['https://linktr.ee/', 'bit.ly', 'mailto:a@b.example', address])('does not read %s as a PAGE', (text) => {
    expect(detectAssets(text).map(({ type }) => type)).not.toContain('PAGE');
    expect(normalizeAsset(text, { type: 'PAGE' })).toHaveProperty('refused');
  });

  test.each(['0x52908400098527886E0F7030069857D2E4169E', 'hello', '0.0.1', '192.168.0.1'])(
    'does not read %s as an ADDRESS',
    (text) => {
      expect(detectAssets(text).map(({ type }) => type)).not.toContain('ADDRESS');
    },
  );
});

test('names all 92 types of the service once', () => {
  // The types are those of the service's document.
  expect(ASSET_TYPES, 'after a new type of the service, change this count in the tests and documents that give it').toHaveLength(
    92,
  );
  expect(new Set(ASSET_TYPES).size).toBe(92);
  expect(ASSET_TYPES).toContain('FIVE_HUNDRED_PX');
});

describe('detectAssets', () => {
  test('returns the page before its host', () => {
    expect(detectAssets('https://www.linktr.ee/Example')).toEqual([
      { type: 'PAGE', canonical: 'linktr.ee/Example' },
      { type: 'URL', canonical: 'linktr.ee' },
    ]);
  });

  test('returns only the host for a link without a path', () => {
    expect(detectAssets('https://evil.example/?id=5')).toEqual([{ type: 'URL', canonical: 'evil.example' }]);
  });

  test('returns both links of an Android intent', () => {
    const intent = 'intent://evil.example/x#Intent;scheme=https;S.browser_fallback_url=https%3A%2F%2Fother.example%2Fy;end';
    expect(detectAssets(intent).map(({ canonical }) => canonical)).toEqual([
      ...'evil.example/x evil.example other.example/y other.example'.split(' '),
    ]);
  });

  test('ignores an address in the userinfo of a link', () => {
    expect(detectAssets(`https://${address}@evil.example/`)).toEqual([{ type: 'URL', canonical: 'evil.example' }]);
  });
});

describe('normalizeAsset', () => {
  test.each([
    ['https://localhost:3000/', 'not-a-host'],
    ['//localhost', 'not-a-host'],
    ['user@localhost/x', 'not-a-host'],
    ['blob:blob:blob:blob:blob:https://evil.example/', 'too-deep'],
    [`L${'z'.repeat(51)}`, 'secret'],
    ['three little words', 'unknown'],
  ])('refuses %s because: %s', (text, refused) => {
    expect(normalizeAsset(text)).toEqual({ refused });
  });

  test('returns the host of a link for the type URL', () => {
    expect(normalizeAsset('https://evil.example/a/b', { type: 'URL' })).toEqual({ type: 'URL', canonical: 'evil.example' });
  });

  test('refuses a type without a rule as unknown', () => {
    expect(normalizeAsset('https://evil.example/a', { type: 'TWITTER' })).toEqual({ refused: 'unknown' });
    expect(normalizeAsset('localhost', { type: 'ADDRESS' })).toEqual({ refused: 'unknown' });
  });

  // A wallet passes the name it has; one that is not understood must not let a listed address through.
  test.each(['evm', 'ETH', 'eip155:8453', 'polygon', 'arbitrum-one', 'bitcoin', ''])(
    'reads an address for the chain %j',
    (chain) => {
      expect(normalizeAsset(address, { chain })).toEqual({ type: 'ADDRESS', canonical: canonicalAddress });
    },
  );

  test('does not read a link when a chain is named', () => {
    expect(normalizeAsset('https://evil.example/', { chain: 'evm' })).toEqual({ refused: 'unknown' });
  });
});

describe('EVM addresses', () => {
  test.each([
    canonicalAddress,
    address.toUpperCase(),
    `eip155:1:${address}`,
    `eip155:137:${canonicalAddress}`,
    `eip155:1/erc20:${address}`,
    `did:pkh:eip155:1:${address}`,
    `ethereum:${address}`,
    `ethereum:${address}@137`,
    `ethereum:pay-${address}@1?value=1e18`,
    `ethereum:${address}@0x89/transfer?uint256=1`,
    `matic:${address}`,
    `web3://${address}:8453/name`,
    `ethereum://${address}`,
    `xdc${address.slice(2)}`,
    `XDC${address.slice(2)}`,
    ` ${address}\n`,
    `0x5290\u200b${address.slice(6)}`,
  ])('reads %s', (text) => {
    expect(detectAssets(text)).toEqual([{ type: 'ADDRESS', canonical: canonicalAddress }]);
    expect(expressionsOf(text)).toEqual([`address:${canonicalAddress}`]);
  });

  test.each([
    (token: string, recipient: string) => `ethereum:${token}@1/transfer?address=${recipient}&uint256=1`,
    (token: string, recipient: string) => `ethereum:${token}/transfer?uint256=1&address=${recipient}`,
    (token: string, recipient: string) => `ETHEREUM:pay-${token}@0x89/approve?Address=${recipient.toUpperCase()}#x`,
    (token: string, recipient: string) => `${token}?address=${recipient}&address=${token}`,
  ])('reads the recipient before the token: %s', (write) => {
    const token = '0x6b175474e89094c44da98b954eedeac495271d0f';
    const typed = [canonicalAddress, token].map((canonical) => ({ type: 'ADDRESS', canonical }));
    expect(detectAssets(write(token, address))).toEqual(typed);
    expect(expressionsOf(write(token, address))).toEqual(typed.map(({ canonical }) => `address:${canonical}`));
  });

  test('reads nothing if the recipient is malformed', () => {
    const text = `ethereum:${address}@1/transfer?address=0x123`;
    expect(detectAssets(text)).toEqual([]);
    expect(normalizeAsset(text)).toEqual({ refused: 'unknown' });
  });

  test('looks for a recipient in linear time', () => {
    expectLinearTime(
      (text) => detectAssets(`ethereum:${address}?${text}`),
      (size) => 'address=0x'.repeat(size / 10),
    );
  });

  test.each([
    address.slice(2),
    address.slice(0, -1),
    `${address}0`,
    `${address.slice(0, -1)}g`,
    `${address}abc`,
    `https:${address}`,
    `https://${address}`,
    `wss://${address}`,
    `a:b:c:d:e:${address}`,
    `//${address}`,
  ])('does not read %s', (text) => {
    // Without the other chains: some have accounts of any length in hex.
    expect(linksAndEvm.detectAssets(text)).toEqual([]);
    expect(detectAssets(text)).not.toContainEqual({ type: 'ADDRESS', canonical: canonicalAddress });
  });
});

describe('expressionsOf', () => {
  test('returns the expression that a publisher lists first', () => {
    expect(expressionsOf({ type: 'URL', canonical: 'a.evil.example' })).toEqual(['a.evil.example', 'evil.example']);
    expect(expressionsOf({ type: 'PAGE', canonical: 'linktr.ee/x/y' })).toEqual(['linktr.ee/x/y', 'linktr.ee/x', 'linktr.ee']);
    expect(expressionsOf({ type: 'ADDRESS', canonical: canonicalAddress })).toEqual([`address:${canonicalAddress}`]);
    expect(expressionsOf({ type: 'NPM', canonical: 'Sample' })).toEqual(['npm:Sample']);
  });

  test('reads only the host of a URL asset, and nothing if it is not a host', () => {
    expect(expressionsOf({ type: 'URL', canonical: 'www.evil.example/a?b' })).toEqual(['evil.example']);
    expect(expressionsOf({ type: 'URL', canonical: 'no host' })).toEqual([]);
  });

  test('keeps www. before a number with dots at its end, which would be an address alone', () => {
    expect(normalizeAsset('http://www.1../')).toMatchObject({ type: 'URL', canonical: 'www.1..' });
    expect(normalizeAsset('www.1..')).toMatchObject({ type: 'URL', canonical: 'www.1..' });
    expect(expressionsOf('http://www.www.1../')).toEqual(['www.www.1..', 'www.1..']);
  });

  test('reads an asset that is not canonical', () => {
    expect(expressionsOf({ type: 'ADDRESS', canonical: address })).toEqual([`address:${canonicalAddress}`]);
    expect(expressionsOf({ type: 'ADDRESS', canonical: 'bc1qexample' })).toEqual(['address:bc1qexample']);
    expect(() => expressionsOf({ type: 'https://evil' as 'URL', canonical: 'x' })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  test('returns at most 17 expressions for a link, with suffixes of at most 11 labels', () => {
    const host = `${Array.from({ length: 18 }, (_, at) => `l${at}`).join('.')}.evil.example`;
    const expressions = expressionsOf(`https://${host}/1/2/3/4/5/6?q`);
    expect(maxLinkExpressions).toBe(17);
    expect(expressions).toHaveLength(maxLinkExpressions);
    expect(Math.max(...expressions.slice(7).map((suffix) => suffix.split('.').length))).toBe(11);
  });

  test('keeps the host of a link of any length', () => {
    for (const text of [
      `https://${'u'.repeat(3_000)}@evil.example/`,
      `https://evil.example/?${'q'.repeat(100_000)}`,
      `https://evil.example/${'p/'.repeat(50_000)}`,
      `https://evil.example/#${'f'.repeat(100_000)}`,
    ]) {
      expect(expressionsOf(text)).toContain('evil.example');
    }
  });

  test('drops a query over 16 KiB, and a path over 16 KiB with its query', () => {
    const path = 'p'.repeat(16_383);
    expect(expressionsOf(`https://evil.example/${path}?q`)[0]).toBe(`evil.example/${path}?q`);
    expect(expressionsOf(`https://evil.example/${path}p?q`)).toEqual(['evil.example']);
    expect(expressionsOf(`https://evil.example/a?${'q'.repeat(16_385)}`)).toEqual(['evil.example/a', 'evil.example']);
  });

  test('measures a path after resolving dot segments', () => {
    expect(expressionsOf(`https://evil.example/${'./'.repeat(20_000)}scam`)).toContain('evil.example/scam');
    expect(expressionsOf(`https://evil.example/${'x'.repeat(20_000)}/../scam`)).toContain('evil.example/scam');
  });
});

describe('secrets', () => {
  const phrase = 'one two three four five six seven eight nine ten eleven twelve';
  const secrets = [
    `5${'K'.repeat(50)}`,
    `K${'w'.repeat(51)}`,
    `c${'w'.repeat(51)}`,
    `zprv${'9'.repeat(107)}`,
    `6P${'R'.repeat(55)}r`,
    '4'.repeat(88),
    `S${'A'.repeat(55)}`,
    `nsec1${'q'.repeat(58)}`,
    `NSEC1${'Q'.repeat(58)}`,
    `nostr:nsec1${'q'.repeat(58)}`,
    `suiprivkey1${'q'.repeat(59)}`,
    `AGE-SECRET-KEY-1${'Q'.repeat(58)}`,
    'aB'.repeat(32),
    ` ${'ab'.repeat(32)}\n`,
    phrase,
    phrase.replaceAll(' ', '\n'),
    phrase.replaceAll(' ', ', '),
    `"${phrase.toUpperCase()}."`,
    phrase
      .split(' ')
      .map((word, at) => `${at + 1}. ${word}`)
      .join('\n'),
    `${phrase} ${phrase}`,
    `seed: ${phrase}`,
    `- ${phrase.replaceAll(' ', '\n- ')}`,
    phrase.replaceAll(' ', '，'),
    phrase
      .split(' ')
      .map((word, at) => `${at + 1}.${word}`)
      .join('\n'),
    `"5${'K'.repeat(50)}"`,
    `5${'K'.repeat(50)}.`,
    `5${'K'.repeat(50)}/`,
    'あいこくしん　あいさつ　あいだ　あおぞら　あかちゃん　あきる　あけがた　あける　あこがれる　あさい　あさひ　あしあと',
    '的 一 是 在 不 了 有 和 人 这 中 大',
  ];

  test.each(secrets)('refuses the shape of %s and returns nothing to hash', (secret) => {
    expect(normalizeAsset(secret)).toEqual({ refused: 'secret' });
    expect(normalizeAsset(secret, { type: 'URL' })).toEqual({ refused: 'secret' });
    expect(detectAssets(secret)).toEqual([]);
    expect(expressionsOf(secret)).toEqual([]);
    expect(canonicalizeUrl(secret)).toBeNull();
  });

  // Where a single word is a host, and where an asset is taken as it is, nothing else would stop a key from being hashed.
  test.each(secrets)('refuses the shape of %s in every algorithm and asset', (secret) => {
    expect(expressionsOf(secret, { algorithm: 'safe-browsing-4' })).toEqual([]);
    expect(canonicalizeUrl(secret, { algorithm: 'safe-browsing-4' })).toBeNull();
    for (const algorithm of ['portcullis-1', 'safe-browsing-4']) {
      for (const type of ['URL', 'PAGE', 'EMAIL', 'TELEGRAM'] as const) {
        expect(expressionsOf({ type, canonical: secret.trim() }, { algorithm })).toEqual([]);
      }
    }
    const isHex = /^\s*[0-9a-f]{64}\s*$/i.test(secret);
    expect(expressionsOf({ type: 'ADDRESS', canonical: secret.trim() })).toHaveLength(isHex ? 1 : 0);
  });

  test.each(
    ['http://%', '//%', 'a@%', '%#', '%?', '%:80', '%/'].flatMap((around) =>
      [`L${'z'.repeat(51)}`, phrase].map((secret) => around.replace('%', secret)),
    ),
  )('finds the secret in place of a host in %s', (text) => {
    for (const algorithm of ['portcullis-1', 'safe-browsing-4']) expect(expressionsOf(text, { algorithm })).toEqual([]);
  });

  test('does not take a host of twelve labels for a phrase, even before a line end', () => {
    const host = 'a.b.c.d.e.f.g.h.i.j.k.example';
    for (const text of [host, `${host}\n`, ` ${host}`, `https://${host}/\n`]) {
      expect(expressionsOf(text)).toContain(host);
      expect(expressionsOf(text, { algorithm: 'safe-browsing-4' })).toContain(`${host}/`);
    }
  });

  test('reads 64 hex digits as an account if a chain is named', () => {
    expect(normalizeAsset('ab'.repeat(32), { chain: 'near' })).toEqual({ type: 'ADDRESS', canonical: 'ab'.repeat(32) });
    expect(linksAndEvm.normalizeAsset('ab'.repeat(32), { chain: 'near' })).toEqual({ refused: 'unknown' });
  });

  test('does not take a link or an ordinary sentence for a secret', () => {
    expect(detectAssets('one.two.three.four.five.six.seven.eight.nine.ten.eleven.example')).toHaveLength(1);
    expect(normalizeAsset(`${phrase} thirteen fourteen`)).toEqual({ refused: 'unknown' });
    expect(normalizeAsset(phrase.replace('four', 'the'))).toEqual({ refused: 'unknown' });
    expect(normalizeAsset('12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA')).toEqual({ refused: 'unknown' });
  });
});

describe('a caller without types', () => {
  const unsafe = { canonicalizeUrl, detectAssets, expressionsOf, normalizeAsset } as unknown as Record<
    string,
    (input: unknown) => unknown
  >;

  test.each([undefined, null, 5, {}, [], new URL('https://evil.example')])('gets a TypeError for %s', (input) => {
    for (const call of Object.values(unsafe)) expect(() => call(input)).toThrow(TypeError);
  });

  test('gets an error that names the known algorithms but not the unknown one', () => {
    for (const call of [expressionsOf, canonicalizeUrl]) {
      expect(() => call('https://evil.example', { algorithm: '__proto__' })).toThrow(
        expect.objectContaining({
          code: 'ALGORITHM_UNKNOWN',
          message: expect.stringContaining('portcullis-1, safe-browsing-4') as string,
        }),
      );
    }
  });
});

test.each([
  ['intent:https://evil.example/#Intent;end', ['evil.example']],
  ['intent://evil.example/#Intent;scheme=https;SEL;scheme=zxing;end', ['evil.example']],
  [
    'intent:#Intent;S.browser_fallback_url=https%3A%2F%2Fevil.example;SEL;S.browser_fallback_url=https://good.example;end',
    ['evil.example'],
  ],
  ['intent:#Intent;S.browser%5Ffallback_url=https%3A%2F%2Fevil.example;end', ['evil.example']],
  ['intent:u@good.example#Intent;S.browser_fallback_url=https://evil.example;end', ['evil.example']],
  ['intent:#Intent;S.browser_fallback_url=https://good.example%252F@evil.example;end', ['evil.example']],
  ['intent:#Intent;S.browser_fallback_url=%20https://ev%09il.example;end', ['evil.example']],
  ['user:word@[2001:db8::1]/', ['[2001:db8::1]']],
])('finds the host that %s leads to', (text, expressions) => {
  expect(expressionsOf(text)).toEqual(expressions);
});

test('a hash is 32 bytes and a prefix its first four, big-endian', () => {
  expect(Buffer.from(hashOf('evil.example')).toString('hex')).toBe(
    '9c180de0cd699ee78897c47cfdb3e7ee1d75906e31b7746a4747dea536909837',
  );
  expect(prefixOf('evil.example')).toBe(0x9c180de0);
});

test('reads hosts with any one character beyond ASCII as URL does, where URL takes them', () => {
  let accepted = 0;
  const different: string[] = [];
  for (let point = 0x80; point < 0x110000; point += point < 0x20000 ? 1 : 61) {
    const link = `http://x${String.fromCodePoint(point)}x.example/`;
    if (!URL.canParse(link)) continue;
    accepted++;
    const host = new URL(link).hostname.replace(/\.{2,}/g, '.');
    if (canonicalizeUrl(link) !== host) different.push(`U+${point.toString(16)}`);
  }
  expect(accepted).toBeGreaterThan(40_000);
  // The tables of URL and of the engine need not be of one Unicode version; ẞ is what differs in Node 20.
  expect(different.length, different.join(' ')).toBeLessThanOrEqual(Math.ceil(accepted / 500));
});

test('reads several combining marks as URL does, mapping each character before sorting them', () => {
  const starts = [0x61, 0x3b1, 0x1fb3, 0x1f82, 0x1e9b, 0xac00, 0x0f77, 0x2126, 0x1d15e, 0xfb1d];
  const marks = [0x300, 0x301, 0x323, 0x345, 0x5b0, 0x64b, 0x93c, 0xe38, 0x1100, 0x1161, 0x3099, 0x1d165, 0x1d16d];
  let accepted = 0;
  for (const start of starts) {
    for (const first of marks) {
      for (const second of marks) {
        const link = `http://a${String.fromCodePoint(start, first, second)}b.example/`;
        if (!URL.canParse(link)) continue;
        accepted++;
        expect(canonicalizeUrl(link), encodeURI(link)).toBe(new URL(link).hostname);
      }
    }
  }
  expect(accepted).toBeGreaterThan(500);
  expect(canonicalizeUrl('http://a\u1fb3\u0300b.example')).toBe('xn--ab-c9b055z.example');
});
