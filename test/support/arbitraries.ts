import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { webPlatformLinks } from './web-platform.js';

/** Picks one of these by their weights. */
export const weighted = <Value>(...options: readonly (readonly [number, fc.Arbitrary<Value>])[]): fc.Arbitrary<Value> =>
  fc.oneof(...options.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const surrogates = 0x800;

/**
 * Any code point but surrogates, as a unit of `fc.string`. For its own unit `binary`, fast-check first builds a map of a million entries,
 * which takes a second.
 */
export const anyCodePoint: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - surrogates }).map(
  (at) => String.fromCodePoint(at < 0xd800 ? at : at + surrogates),
  (unit) => {
    const point = typeof unit === 'string' ? unit.codePointAt(0) : undefined;
    if (point === undefined || unit !== String.fromCodePoint(point) || (point >= 0xd800 && point < 0xe000)) {
      throw new Error('not a code point');
    }
    return point < 0xd800 ? point : point - surrogates;
  },
);

/** Every kind of string: any UTF-16 units (including unpaired surrogates), any code points, and readable text. */
export const anyString: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCodePoint }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 }).map((units) => String.fromCharCode(...units)),
);

/** A value of foreign JSON: any, or an object whose fields hide the methods of every object. */
export const foreignJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue() },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('toString', 'valueOf', 'toJSON', 'length', 'constructor'), fc.jsonValue()),
  },
);

/**
 * Input that breaks link parsers: delimiters, complete and truncated escapes, characters that are removed or replaced, odd numbers.
 */
const NASTY = [
  ...'/\\?#@:.%[]{}|^<>"`\'~!$&()*+,;=-_ \t\n\r\0\x01\x7f\x80\xa0\xad',
  ...'// \\\\ /\\ .. /./ /../ /.. /%2e%2E/ :: @@ ## ?? %% &amp; %25 %2525 %2 % %41 %2F %5c %2e %3F %23 %00 %0A'.split(' '),
  ...'%20 %80 %C3%A9 %c3 %EF%BB%BF %EF%BC%8E %E3%80%82 %EF%BF%BD %ED%A0%80 %F4%90%80%80 %C0%AE %zz %4 %ZZ41'.split(' '),
  ...'%25%32%35 %%32%35 \u3002 \uff0e \uff61 \u2024 \u2025 \uff0f \uff1a \uff20 \uff05 \uff03 \u2100 \u2488'.split(' '),
  ...'\u200b \u200c \u200d \u2060 \ufeff \u034f \ufe0f \u180e \u{e0101} \u{1bca1} \u3164 \u115f \u2028 \u202e'.split(' '),
  ...'\u3000 \u1680 \u205f \u2066 \u202f ß ẞ ς Σ ϲ \u{1d6d3} İ ı ſ K Å ÿ Ꭰ ꭰ ᏸ \u1c80 \u1c88 \u0345 ᾳ ΐ e\u0301'.split(' '),
  ...'\u0301 \u0307 ﬀ ㎢ \ufdfa １ ２ Ａ ｚ ① ½ 日本 한 \u1112\u1161\u11ab 😀 𐐀 \ud800 \udc00 \ufffd \uffff \u{10ffff}'.split(
    ' ',
  ),
  ...'\u0378 \u3099 \u05b0 xn-- xn--a xn--bcher-kva XN-- www. WWW. www .com com evil example a b g 0 1 80 08 0x'.split(' '),
  ...'0X7f 0x7F000001 017700000001 2130706433 4294967295 4294967296 127.1 256 1.2.3.4 [::1] [ ] [::ffff:1.2.3.4]'.split(' '),
  ...'[64:ff9b::102:304] [1:2:3:4:5:6:7:8] [::] [fe80::1%25eth0] [v1.a] ffff ::1 #Intent; ;end ;scheme='.split(' '),
  ...'S.browser_fallback_url= ;S.browser_fallback_url=https%3A%2F%2Fevil.com%2Fx; https%3A end'.split(' '),
  ...'0x5290084d6acd01ab9f1d2ea5e8bdcc5bd0cb5ba4 0x0000000000000000000000000000000000000001 xdc pay- eip155:1:'.split(' '),
  ...'web3:// <a@b.com> #<a@b.com> /<a@b.com> > \uff05 \ufe6a \uff0565 %EF%BC%8565 \uff052e \uff1a //.. \0x \0@ :80\0 %2F.. %2f%2e%2e'.split(
    ' ',
  ),
  ...'..%5C /%252e%252e/ %C2%AD %E2%80%8B .1.2.3.4.. 01.2.3.4 [::ffff:01.2.3.4] [::ffff:0x1.2.3.4] [%3A%3A1] [\uff1a\uff1a\uff11] /16909060 \\\\\\ \\// /\\/ ../'.split(
    ' ',
  ),
];

/** All schemes that the specification names, and lookalikes. */
export const SCHEMES: readonly string[] = [
  ...'http https ws wss ftp HTTP hTTps httpx h http+x a.b evil.com localhost user file about acct bitcoin data'.split(' '),
  ...'ethereum facetime javascript mailto market sip sips sms smsto ssh tel tg whatsapp xmpp blob filesystem BLOB'.split(' '),
  ...'intent Intent chrome view-source did 1a -a'.split(' '),
];

export const nasty: fc.Arbitrary<string> = fc.constantFrom(...NASTY);
const scheme: fc.Arbitrary<string> = fc.constantFrom(...SCHEMES);

const pick = (...options: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...options);
const joined = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((strings) => strings.join(''));
const several = (part: fc.Arbitrary<string>, maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.array(part, { minLength, maxLength }).map((strings) => strings.join(''));

/** Hostile pieces in any order; most results are not links, and every delimiter occurs in unexpected places. */
export const nastySoup: fc.Arbitrary<string> = several(
  weighted([8, nasty], [2, scheme.map((name) => `${name}:`)], [1, anyString]),
  12,
);

const plainLabel = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const nastyLabel = several(fc.oneof(plainLabel, nasty), 3, 1);
const mostlyPlainLabel = weighted([20, plainLabel], [1, nastyLabel]);
const dot = weighted([12, fc.constant('.')], [1, pick('..', '\u3002', '\uff0e', '%2e', '%EF%BD%A1')]);

const number = weighted(
  [8, fc.integer({ min: 0, max: 255 })],
  [1, fc.constantFrom(255, 256, 65535, 65536, 16777215, 16777216, 4294967295, 4294967296)],
);
const ipv4Part = fc
  .tuple(number, fc.integer({ min: 0, max: 3 }))
  .map(
    ([value, form]) =>
      [`${value}`, `0${value.toString(8)}`, `0x${value.toString(16)}`, `0X00${value.toString(16).toUpperCase()}`][form]!,
  );
const ipv4Host = fc.array(ipv4Part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));
const ipv6Group = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }).map((group) => group.toString(16)),
  pick('0', '0', 'FFFF', '64', 'ff9b', '0001'),
);
const ipv6Part = weighted([20, ipv6Group], [1, pick('', '1.2.3.4', '00001', 'g')]);
const ipv6Parts = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(ipv6Part, { maxLength }).map((groups) => groups.join(':'));
const ipv6Host = fc.oneof(
  fc.array(ipv6Part, { minLength: 8, maxLength: 8 }).map((groups) => `[${groups.join(':')}]`),
  fc.tuple(ipv6Parts(4), pick('::', '::', '::ffff:', '64:ff9b::'), ipv6Parts(4)).map((parts) => `[${parts.join('')}]`),
  fc.tuple(pick('::', '::ffff:', '64:ff9b::', '1:2:3:4:5:6:'), ipv4Host).map((parts) => `[${parts.join('')}]`),
  fc.array(ipv6Part, { minLength: 1, maxLength: 9 }).map((groups) => `[${groups.join(':')}]`),
);

const hostShaped = weighted(
  [
    12,
    fc
      .tuple(
        fc.array(fc.tuple(mostlyPlainLabel, dot), { minLength: 1, maxLength: 4 }),
        pick('com', 'example', 'co.uk', 'XYZ', 'рф', 'xn--p1ai'),
        pick('', '', '', '.'),
      )
      .map(([labels, last, tail]) => labels.flat().join('') + last + tail),
  ],
  [1, fc.array(plainLabel, { minLength: 9, maxLength: 16 }).map((labels) => labels.join('.'))],
  [2, ipv4Host],
  // A browser sees an empty label between two dots at the end, so the number before them is part of a name.
  [1, joined(pick('', 'www.', 'WWW.www.', 'a.'), ipv4Host, pick('.', '..', '\u3002.', '...'))],
  [2, ipv6Host],
  [1, several(nastyLabel, 4)],
);

const userinfo = weighted(
  [6, fc.constant('')],
  [3, pick('@', 'user@', 'user:pw@', 'good.example@', 'good.example:443@', 'a@b@', '%40@', ':@', '1:2@')],
  [1, nastyLabel.map((name) => `${name}@`)],
);
const port = weighted(
  [20, fc.constant('')],
  [8, pick(':', ':80', ':443', ':0', ':99999')],
  [1, pick(':8a', '::80', ':80:', ':٨')],
);

const pathPiece = weighted([3, fc.stringMatching(/^[a-zA-Z0-9._~-]{0,6}$/)], [1, nasty]);
const pathShaped = joined(
  pick('/', '/', '/', '/', '\\', ''),
  several(joined(pathPiece, pick('/', '/', '/', '\\', '%2F', '%5C', '%252f')), 5),
  pathPiece,
);
const queryShaped = fc.oneof(
  fc.constant(''),
  several(fc.oneof(pathPiece, pick('=', '&', '/', '?')), 5).map((query) => `?${query}`),
);
const fragmentShaped = weighted([3, fc.constant('')], [1, several(pathPiece, 3).map((fragment) => `#${fragment}`)]);
const colon = pick('://', '://', '://', ':', ':/', ':\\\\', ':///', ': ');
const front = weighted(
  [8, pick('http://', 'https://', 'HTTPS://', 'ftp://', 'wss:/', 'http:\\\\', 'https:')],
  [3, pick('', '', '//', '\\\\', '/\\/')],
  [1, joined(scheme, colon)],
  [
    1,
    joined(
      pick('blob:', 'filesystem:', 'blob:blob:', 'blob:filesystem:blob:blob:', 'blob:blob:blob:blob:blob:', 'blob:intent:'),
      scheme,
      colon,
    ),
  ],
);
const tail = joined(userinfo, hostShaped, port, pathShaped, queryShaped);

/** Texts in which a port, userinfo and a scheme are hard to distinguish. */
const schemeOrHost = joined(
  fc.oneof(scheme, hostShaped),
  colon,
  pick('', '', 'user', '80', '8a', 'a.b', 'a:b', '/'),
  pick('', '@', '@', '@@', '/@'),
  fc.oneof(hostShaped, pick('', 'com')),
  pathShaped,
);

const intentField = fc.oneof(
  pick(...'scheme=https scheme=HTTP scheme=http%73 scheme=market scheme= package=com.evil end ending=1 S.x=y'.split(' '), ''),
  joined(
    fc.constant('S.browser_fallback_url='),
    pick('https://', 'https%3A%2F%2F', 'http%253A//', '%20https://', 'javascript:', ''),
    tail,
  ),
);
const intentShaped = fc
  .tuple(
    pick('//', '', '/', 'user@', '1', 'user@good.example'),
    tail,
    pick('#Intent;', '#Intent;', '#intent;', '#x#Intent;', '#Intent;scheme=a;end#Intent;', ''),
    fc.array(intentField, { maxLength: 4 }),
  )
  .map(([slashes, link, mark, fields]) => `intent:${slashes}${link}${mark}${fields.join(';')};end`);

/** Strings from a grammar of links with hostile pieces in every part; most of them are links. */
export const linkShaped: fc.Arbitrary<string> = weighted(
  [8, joined(front, tail, fragmentShaped)],
  [1, schemeOrHost],
  [1, intentShaped],
);

/** Links as written in messages, warnings and lists. */
export const REALISTIC: readonly string[] = [
  ...'https://www.paypal.com.evil.example/signin?country.x=DE&locale.x=de_DE#top'.split(' '),
  ...'http://metamask.io-restore.evil.example/wallet/unlock/step/3/confirm/now?seed=1'.split(' '),
  ...'https://user:secret@login.example.co.uk:8443/a/b/../c/%7Euser/?q=a%20b&q=%C3%BC'.split(' '),
  ...'uniswap.exchange.evil.example/claim bücher.example/straße?größe=1 https://xn--bcher-kva.example/'.split(' '),
  ...'http://3627734062/login http://0x7f.0.0.1:8080/admin https://[2001:db8:0:0:1::1]:443/x'.split(' '),
  ...'http://[::ffff:192.0.2.1]/ //cdn.evil.example/x.js blob:https://evil.example/5a6f0c2e'.split(' '),
  ...'filesystem:https://evil.example/temporary/x'.split(' '),
  ...'intent://evil.example/pay?x=1#Intent;scheme=https;package=com.android.chrome;S.browser_fallback_url=https%3A%2F%2Fother.example%2Fy;end'.split(
    ' ',
  ),
  ...'https://ipfs.evil.example/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG mailto:someone@evil.example'.split(' '),
  ...'ethereum:0x5290084d6ACD01aB9F1d2EA5E8BDCC5bd0cb5ba4@1/transfer?value=1'.split(' '),
  'ethereum:0x5290084d6ACD01aB9F1d2EA5E8BDCC5bd0cb5ba4@1/transfer?address=0x6B175474E89094C44Da98b954EedeAC495271d0F&uint256=1',
  ...'eip155:1:0x5290084d6ACD01aB9F1d2EA5E8BDCC5bd0cb5ba4 evil.example:8080/path Ｅｖｉｌ。ｅｘａｍｐｌｅ／ｘ'.split(' '),
  'abandon ability able about above absent absorb abstract absurd abuse access accident',
];

type Mutation = readonly [at: number, remove: number, insert: string];
const mutation: fc.Arbitrary<Mutation> = fc.tuple(
  fc.nat(999).map((thousandths) => thousandths / 1000),
  fc.constantFrom(0, 0, 0, 1, 1, 2, 7),
  weighted([6, nasty], [1, scheme], [1, anyString], [1, fc.constant('')]),
);

const seedLink = weighted([5, fc.constantFrom(...REALISTIC)], [1, fc.constantFrom(...Object.keys(webPlatformLinks))]);

/** Realistic links, and those of the web platform tests, with a few pieces removed or inserted. */
export const mutatedLink: fc.Arbitrary<string> = fc
  .tuple(seedLink, fc.array(mutation, { minLength: 1, maxLength: 3 }))
  .map(([link, mutations]) =>
    mutations.reduce((text, [where, remove, insert]) => {
      const at = Math.floor(where * text.length);
      return text.slice(0, at) + insert + text.slice(at + remove);
    }, link),
  );

const filler = pick('a', 'é', '日', '\u0301', '\u0316', '\u00ad', '\ufdfa', 'ᾂ', '\u1112\u1161\u11ab', 'ß');

/** Plain hosts of 250 to 256 octets. */
const hostAtLimit = fc.tuple(fc.integer({ min: 250, max: 256 }), fc.integer({ min: 1, max: 31 })).map(([octets, labelLength]) => {
  const labels = `${'a'.repeat(labelLength)}.`.repeat(Math.floor((octets - 4) / (labelLength + 1)));
  return `${labels}com`.padStart(octets, 'b');
});

/** Hosts at the length limits of a label, of a host, and of normalization. */
export const longHost: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(fc.tuple(pick('a', 'é', 'ab', 'A', '%41', '\uff21'), fc.integer({ min: 58, max: 65 })), { minLength: 1, maxLength: 5 })
    .map((labels) => `${labels.map(([unit, length]) => unit.repeat(length)).join('.')}.com`),
  fc.tuple(filler, fc.integer({ min: 300, max: 340 })).map(([unit, count]) => `${unit.repeat(count)}.com`),
  fc.tuple(filler, filler, fc.integer({ min: 500, max: 510 })).map(([one, other, count]) => `${(one + other).repeat(count)}.com`),
  fc.tuple(filler, filler, fc.integer({ min: 1, max: 16 })).map(([one, other, count]) => `${(one + other).repeat(count)}.com`),
  fc.tuple(filler, fc.integer({ min: 1004, max: 1016 })).map(([unit, count]) => `${unit.repeat(count)}.com`),
  hostAtLimit,
  fc.tuple(filler, fc.integer({ min: 118, max: 130 })).map(([unit, count]) => `${`${unit}.`.repeat(count)}com`),
);

/** Links whose canonical path or query is at its limit, plain and escaped. */
export const longLink: fc.Arbitrary<string> = fc
  .tuple(
    pick('/a', '/', '%00', '%41', 'é', '/./', '/a/../b', '%'),
    fc.integer({ min: -8, max: 3 }),
    pick('', '?q', '?', '?%00'),
    fc.integer({ min: -2, max: 2 }),
    fc.boolean(),
  )
  .map(([unit, extra, query, more, isQueryLong]) => {
    const limit = 16_384;
    const path = isQueryLong ? unit : unit + 'x'.repeat(limit + extra - unit.length);
    return `http://a.evil.example/${path}${query}${isQueryLong ? '%20'.repeat(limit / 3 - 1) + 'x'.repeat(3 + more) : ''}`;
  });

/** The mix for comparing the implementation with the oracle. */
export const anyText: fc.Arbitrary<string> = weighted(
  [1, anyString],
  [2, nastySoup],
  [4, linkShaped],
  [3, mutatedLink],
  [1, longHost.map((host) => `http://${host}/x`)],
);

/** Anything that looks like an EVM address in one of its wrappings, whole or slightly broken. */
export const addressShaped: fc.Arbitrary<string> = fc
  .tuple(
    pick('', '', '', ' ', '\u200b', '\ufeff'),
    fc.oneof(
      pick(
        '',
        ...'ethereum: ETHEREUM: web3:// Web3:// eip155:1: eip155:1/erc20: did:pkh:eip155:1: http: https: HTTP:'.split(' '),
        ...'ws: xdc:'.split(' '),
      ),
      fc
        .array(joined(fc.stringMatching(/^[a-zA-Z0-9-]{0,4}$/), pick(':', ':', '/')), { maxLength: 5 })
        .map((names) => names.join('')),
      fc.integer({ min: 30, max: 34 }).map((length) => `${'n'.repeat(length)}:`),
    ),
    pick('', '', '', '', 'pay-', 'Pay-', 'pay-pay-'),
    pick('0x', '0x', '0x', '0X', 'xdc', 'XDC', ''),
    fc.oneof(
      { weight: 6, arbitrary: fc.stringMatching(/^[0-9a-fA-F]{40}$/) },
      { weight: 1, arbitrary: fc.stringMatching(/^[0-9a-fA-F]{39,41}$/) },
      fc.integer({ min: 0, max: 0xffffff }).map((value) => value.toString(16).padStart(40, '0')),
    ),
    fc.oneof(pick('', '', '@', '@1', '@0x1', '@0X1', '@0x', '@g', '@1@1'), fc.stringMatching(/^@[0-9a-f]{63,65}$/)),
    weighted(
      [3, pick('', '/', '/transfer?x=1', '?', '#', ':', ':1', '\u2060')],
      [1, pick('.', ' x', '\\', '.com', '@1.example')],
      [
        2,
        fc
          .tuple(
            pick('/transfer?', '?', '#', ':', '/', ''),
            pick('', '', 'uint256=1&', 'x', '_'),
            pick('address=0x', 'address=0x', 'Address=0X', 'address='),
            fc.stringMatching(/^[0-9a-fA-F]{40}$/),
            pick('', '', '&uint256=1', '0', 'g', '_', '-', '%', '&address=0x', `&address=0x${'1'.repeat(40)}`),
          )
          .map((parts) => parts.join('')),
      ],
    ),
  )
  .map((parts) => parts.join(''));

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const keyShaped = fc
  .tuple(
    pick('', '', '', ' ', 'key:', 'key://', 'key1:', 'http:', 'https://'),
    fc.oneof(
      ...[`[5679KLTQXc]${BASE58}{49,52}`, `[xyztuvXYZTUV]prv${BASE58}{106,109}`, `6P${BASE58}{55,57}`, `${BASE58}{85,89}`].map(
        (pattern) => fc.stringMatching(new RegExp(`^${pattern}$`)),
      ),
      ...[`edsk${BASE58}{49,51}`, `edsk${BASE58}{93,95}`, 'S[A-Z2-7]{54,56}', '(0x|0X)?[0-9a-fA-F]{63,65}', '0{56}[0-9]{8}'].map(
        (pattern) => fc.stringMatching(new RegExp(`^${pattern}$`)),
      ),
      ...['nsec1', 'suiprivkey1', 'age-secret-key-1', 'AGE-SECRET-KEY-1', 'Nsec1'].map((front) =>
        fc.stringMatching(/^[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{49,81}$/).map((body) => front + body),
      ),
    ),
    pick('', '', '', '\n', '\u200b', '.', '/', '?'),
  )
  .map((parts) => parts.join(''));

const word = weighted([60, fc.stringMatching(/^[a-zA-Z]{1,8}$/)], [1, fc.stringMatching(/^[a-zA-Zà-ÿ가-나ぁ-ん𐐀-𐐏]{1,21}$/u)]);
const separator = weighted(
  [60, fc.constant(' ')],
  [20, pick('  ', ', ', ',', ' 1. ', ' 12) ', ' 123 ', '; ', '\u3000')],
  [1, pick('\n', '\t', '.', '-', '_', '\u00a0')],
);
const phraseShaped = fc
  .tuple(
    fc.constantFrom(11, 12, 12, 13, 15, 18, 21, 24, 25),
    pick('', '', '1. ', ' ', '"', 'seed: '),
    fc.array(fc.tuple(word, separator), { minLength: 25, maxLength: 25 }),
    fc.boolean(),
  )
  .map(([count, before, words, same]) => {
    const between = words[0]![1];
    return (
      before +
      words
        .slice(0, count)
        .map(([text, separated], i) => text + (i === count - 1 ? '' : same ? between : separated))
        .join('')
    );
  });

/** Private keys and seed phrases, and near misses. */
export const secretShaped: fc.Arbitrary<string> = fc.oneof(keyShaped, phraseShaped);

// The parts of a link, and the ways of writing it.

/**
 * Numbers that choose the spelling of one part after another. Small numbers choose the plain spelling, so that shrinking ends
 * there.
 */
type Dice = () => number;

function diceOf(numbers: readonly number[]): Dice {
  let next = 0;
  return () => numbers[next++ % numbers.length] ?? 0;
}

const roll = (dice: Dice, options: readonly string[]): string => options[dice() % options.length]!;

const percent = (byte: number): string => `%${byte.toString(16).padStart(2, '0')}`;
const escaped = (text: string): string => [...Buffer.from(text, 'utf8')].map(percent).join('');

/** A character escaped this many times: `A`, `%41`, `%2541`, `%25%34%31`… */
function nested(dice: Dice, character: string, depth: number): string {
  let text = character;
  for (let i = 0; i < depth; i++) text = i === 0 || dice() % 3 === 0 ? escaped(text) : text.replaceAll('%', '%25');
  return depth === 0 || dice() % 2 === 0 ? text : text.toUpperCase();
}

export interface LinkParts {
  readonly labels: readonly string[];
  readonly segments: readonly string[];
  readonly query: string;
}

/** Characters that a path can contain only in escaped form, because they end the path or are removed by cleaning. */
const NEVER_RAW = /[?#\\\s\0-\x20\x7f-\xa0]/;

const plainIdn = pick('münchen', 'пример', 'ελλάδα', '例え', '한국', 'ıi', 'ñandú');
/** A label that begins with `xn--` is no host unless it is Punycode. */
const hostLabel = fc.stringMatching(/^[a-z]([a-z0-9-]{0,6}[a-z])?$/).filter((label) => !label.startsWith('xn--'));
const partLabel = weighted([5, hostLabel], [1, plainIdn]);
const segmentUnit = weighted(
  [8, fc.stringMatching(/^[a-zA-Z0-9]$/)],
  [2, pick('.', '-', '_', '~', '+', '=', '&', ':', '@', ',', ';', '(', '!', '$', '*', "'", '[', '|', '"', '<', '`', '{')],
  [2, pick('é', '日', '😀', ' ', '?', '#', '\t', '\0', '\x7f', '%z', 'ſ')],
);
const segmentText = several(segmentUnit, 5, 1).filter((segment) => segment !== '.' && segment !== '..');

export const linkParts: fc.Arbitrary<LinkParts> = fc.record({
  labels: fc
    .tuple(fc.array(partLabel, { minLength: 1, maxLength: 4 }), pick('com', 'example', 'xyz'))
    .map(([labels, last]) => [...labels, last]),
  segments: fc.array(segmentText, { maxLength: 6 }),
  query: fc.oneof(fc.constant(''), several(fc.oneof(segmentUnit, pick('/', '\\', '&', '=')), 6)),
});

const writePlainly = (text: string): string =>
  [...text].map((character) => (/[a-zA-Z0-9]/.test(character) ? character : escaped(character))).join('');

/** The plain spelling: ASCII, with every special character escaped once. */
export function writeParts({ labels, segments, query }: LinkParts): string {
  const path = segments.map((segment) => `/${writePlainly(segment)}`).join('');
  return `http://${labels.map((label) => domainToASCII(label)).join('.')}${path}${query === '' ? '' : `?${writePlainly(query)}`}`;
}

const fullWidth = (character: string): string =>
  /^[!-~]$/.test(character) ? String.fromCharCode(character.charCodeAt(0) + 0xfee0) : character;

/** A character in upper case, if lower case restores the original. */
const upper = (character: string): string => {
  const up = character.toUpperCase();
  return up.toLowerCase() === character && [...up].length === 1 ? up : character;
};

/** A full-width percent sign begins an escape, which Node rejects, so it is used in some hosts only and next to ASCII only. */
function spellHostCharacter(dice: Dice, character: string, mayBeWide: boolean): string {
  const ignorable = ['\u00ad', '\u200b', '\u2060', '\ufe0f', '\u034f'];
  const spelled = [
    ...[upper(character), escaped(character), fullWidth(character), escaped(upper(fullWidth(character)))],
    ...[character.normalize('NFD'), character + roll(dice, ignorable)],
    ...(mayBeWide ? [escaped(character).replaceAll('%', roll(dice, ['\uff05', '\ufe6a', '%EF%BC%85']))] : [character]),
  ];
  return spelled[(dice() % 14) - 7] ?? character;
}

const spellDot = (dice: Dice): string =>
  roll(dice, ['.', '.', '.', '.', '\u3002', '\uff0e', '\uff61', '%2E', '%2e', '%E3%80%82', '..', '.\u3002']);

function spellHost(dice: Dice, labels: readonly string[]): string {
  const isWide = dice() % 16 === 15;
  const spelled = labels.map((label) => {
    // The characters of a label that begins with xn-- are respelled too; the label itself is never decoded.
    const written = dice() % 4 === 0 ? domainToASCII(label) : label;
    return [...written].map((character) => spellHostCharacter(dice, character, isWide && /^[\0-\x7f]*$/.test(written))).join('');
  });
  const outer = ['', '', '', '', '', '.', '..', '\u3002'];
  let host = roll(dice, outer);
  spelled.forEach((label, i) => {
    host += (i === 0 ? '' : spellDot(dice)) + label;
  });
  return host + roll(dice, outer);
}

function spellText(dice: Dice, text: string, raw: RegExp): string {
  return [...text]
    .map((character) => {
      const depth = Math.max(0, (dice() % 8) - 4);
      return nested(dice, character, raw.test(character) ? Math.max(1, depth) : depth);
    })
    .join('');
}

function spellPath(dice: Dice, segments: readonly string[]): string {
  const slashes = '/ / / / \\ // /./ /x/../ \\.\\ /%2e/ /y%2Fz/%2E%2e/ /%78/..\\ /%252E/.%2e/'.split(' ');
  const path = segments.map((segment) => roll(dice, slashes) + spellText(dice, segment, NEVER_RAW)).join('');
  return path + roll(dice, ['', '', '', '/', '//', '\\', '/.', '/./', '/q/..', '/%2E', '/q%2F/.%2e']);
}

const FRAGMENTS = ['', '', '', '#<a@b.com>', '#', '#top', '#/a?b=c@d', '##', '#Intent;scheme=ftp;end', '#%', '#\u202e'];
const USERINFO = ['', '', '', '', ...'user@ user:pw@ @ good.example@ good.example:443@ a@b@c@ :@ %40%2F@ é@ [::1]@'.split(' ')];
const PORTS = ['', '', '', '', ':', ':80', ':443', ':0', ':00080', ':99999999'];
const LINK_SCHEMES = ['http', 'https', 'ws', 'wss', 'ftp'];

/** Text that may precede an authority without changing its expressions. */
function spellFront(dice: Dice, mayLackScheme: boolean): { front: string; hasScheme: boolean } {
  if (mayLackScheme && dice() % 3 === 2) return { front: roll(dice, ['', '', '', '//', '\\\\', '/\\', '///']), hasScheme: false };
  const name = [...roll(dice, LINK_SCHEMES)].map((letter) => (dice() % 3 === 2 ? letter.toUpperCase() : letter)).join('');
  return { front: `${name}:${roll(dice, ['//', '//', '//', '', '/', '\\\\', '/\\', '////', '\\'])}`, hasScheme: true };
}

/** Tabs and line feeds anywhere, and white space and formatting characters around it. */
function spellAround(dice: Dice, text: string): string {
  if (dice() % 3 !== 2) return text;
  const before = ['', '', ' ', '\u00a0', '\u200b', '\ufeff', '\u202e', '\0', '\n \t', '\u3000'];
  // A browser keeps the other edge characters at the end in its request, which is a second reading.
  const outer = ['', '', ' ', '\0', '\n \t', '\x1f'];
  const place = dice() % (text.length + 1);
  // Between the halves of a surrogate pair a tab changes the text: a browser replaces both before it removes the tab.
  const at = /^[\udc00-\udfff]/.test(text.slice(place)) ? place - 1 : place;
  return roll(dice, before) + text.slice(0, at) + roll(dice, ['', '\t', '\n', '\r\n']) + text.slice(at) + roll(dice, outer);
}

/** Starts over when the numbers are used up. */
const rolls = fc.array(fc.nat(5039), { minLength: 40, maxLength: 160 });

function spellLink(roller: Dice, host: string, mayLackScheme: boolean, path: string, query: string): string {
  const { front, hasScheme } = spellFront(roller, mayLackScheme);
  // Without a scheme, the password would decide whether the user name is read as a scheme.
  const user = roll(roller, hasScheme ? USERINFO : ['', '', 'user@', 'good.example@', 'a@b@', '@']);
  // `evil.example://x` begins with a scheme.
  const port = roll(roller, hasScheme || !path.startsWith('//') ? PORTS : ['', ':80']);
  const needsPath = path !== '' && !/^[/\\]/.test(path);
  const written = `${front}${user}${host}${port}${needsPath ? '/' : ''}${path}${query}${roll(roller, FRAGMENTS)}`;
  return spellAround(roller, written);
}

const writeQuery = (roller: Dice, query: string): string =>
  query === '' ? roll(roller, ['', '', '?']) : `?${spellText(roller, query, /[#\s\0-\x20\x7f-\xa0]/)}`;

/** Two spellings of one link, the plain one first. */
export const spelledLink: fc.Arbitrary<readonly [plain: string, spelled: string]> = fc
  .tuple(linkParts, rolls)
  .map(([parts, numbers]) => {
    const roller = diceOf(numbers);
    const host = spellHost(roller, parts.labels);
    const spelled = spellLink(roller, host, true, spellPath(roller, parts.segments), writeQuery(roller, parts.query));
    return [writeParts(parts), spelled];
  });

/** Links about which a lenient server and a browser disagree: the plain link, and a spelling that must find it too. */
export const lenientLink: fc.Arbitrary<readonly [plain: string, spelled: string]> = fc
  .tuple(linkParts, rolls)
  .filter(([{ segments }]) => segments.length > 0)
  .map(([parts, numbers]) => {
    const roller = diceOf(numbers);
    const slashes = '/ / %2F %2f %5C %252F %25252f /.%2F /z%2F..%2F /z/%252e%252E/ %2F%2F /%2F/'.split(' ');
    const path = parts.segments
      .map((segment, i) => (i === 0 ? '/' : roll(roller, slashes)) + spellText(roller, segment, NEVER_RAW))
      .join('');
    // Edge characters after the last segment would remove these as well.
    const ends = /[\s\0\x7f]$/.test(parts.segments.at(-1)!)
      ? ['', '#<a@b.com>']
      : ['', '', '%2F', '%20', '%E2%80%8B', '\u200b', '\u00a0', '%C2%AD', '/%252e', '#<a@b.com>', '?<a@b.com>'];
    const end = roll(roller, ends);
    return [writeParts({ ...parts, query: '' }), `https://${parts.labels.join('.')}${path}${end}`];
  });

const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 1, 8, 9, 10, 127, 255));

/** A character of an IP address, usually unchanged. */
const spellDigit = (dice: Dice, character: string, isWide: boolean): string => {
  const wide = isWide ? escaped(character).replace('%', '\uff05') : character;
  return roll(dice, [...new Array<string>(8).fill(character), fullWidth(character), escaped(character), wide]);
};

function spellIpv4(roller: Dice, bytes: readonly number[]): string {
  const isWide = roller() % 16 === 15;
  const count = 1 + (roller() % 4);
  const parts = bytes.slice(0, count - 1);
  parts.push(bytes.slice(count - 1).reduce((value, next) => value * 256 + next, 0));
  return parts
    .map((part) => {
      const hex = part.toString(16);
      const forms = [
        `${part}`,
        `${part}`,
        `0${part.toString(8)}`,
        `000${part.toString(8)}`,
        `0x${hex}`,
        `0X00${hex.toUpperCase()}`,
      ];
      const written = part === 0 && roller() % 4 === 3 ? '0x' : roll(roller, forms);
      return [...written].map((character) => spellDigit(roller, character, isWide)).join('');
    })
    .reduce((host, part) => host + spellDot(roller) + part);
}

/** Two spellings of a link to an IPv4 address, the plain one first. */
export const spelledIpv4: fc.Arbitrary<readonly [plain: string, spelled: string]> = fc
  .tuple(fc.tuple(byte, byte, byte, byte), rolls)
  .map(([bytes, numbers]) => {
    const roller = diceOf(numbers);
    return [`http://${bytes.join('.')}/x`, spellLink(roller, spellIpv4(roller, bytes), false, '/x', '')];
  });

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));

function spellIpv6(roller: Dice, groups: readonly number[]): string {
  const written = groups.map((value) => {
    const hex = value.toString(16);
    return roll(roller, [hex, hex, hex.toUpperCase(), hex.padStart(4, '0')]);
  });
  const tail = groups.slice(6).flatMap((value) => [value >> 8, value & 255]);
  const pieces = roller() % 3 === 2 ? [...written.slice(0, 6), spellIpv4Tail(roller, tail)] : written;
  // Any run of zero groups may be omitted, including a run of one.
  const zeros = groups.slice(0, 6).flatMap((value, i) => (value === 0 ? [i] : []));
  const isWide = roller() % 16 === 15;
  // Chromium also reads full-width digits in brackets.
  const inside = (text: string): string =>
    `[${[...text].map((character) => (isWide ? spellDigit(roller, character, true) : character)).join('')}]`;
  if (zeros.length === 0 || roller() % 2 === 0) return inside(pieces.join(':'));
  const from = zeros[roller() % zeros.length]!;
  let to = from + 1;
  while (to < 6 && groups[to] === 0 && roller() % 4 !== 3) to++;
  return inside(`${pieces.slice(0, from).join(':')}::${pieces.slice(to).join(':')}`);
}

const spellIpv4Tail = (dice: Dice, bytes: readonly number[]): string =>
  bytes
    .map((value) =>
      roll(dice, [`${value}`, `${value}`, `0${value.toString(8)}`, `0x${value.toString(16)}`, `0X${value.toString(16)}`]),
    )
    .join('.');

/** Two spellings of a link to an IPv6 address, the plain one first: all eight groups. */
export const spelledIpv6: fc.Arbitrary<readonly [plain: string, spelled: string]> = fc
  .tuple(
    fc.oneof(
      fc.array(group, { minLength: 8, maxLength: 8 }),
      fc.tuple(group, group).map((last) => [0, 0, 0, 0, 0, 0xffff, ...last]),
      fc.tuple(group, group).map((last) => [0x64, 0xff9b, 0, 0, 0, 0, ...last]),
    ),
    rolls,
  )
  .map(([groups, numbers]) => {
    const roller = diceOf(numbers);
    const plain = `http://[${groups.map((value) => value.toString(16)).join(':')}]/x`;
    return [plain, spellLink(roller, spellIpv6(roller, groups), false, '/x', '')];
  });

/** A host with this many plain labels. */
export const hostOfLabels = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,4}[a-z0-9])?$/), { minLength: minLength - 1, maxLength: maxLength - 1 }),
      pick('com', 'example', 'xyz'),
    )
    .map(([labels, last]) => [...labels, last].join('.'));

/** Segments of a path in their canonical spelling. */
export const plainSegments = (minLength: number, maxLength: number): fc.Arbitrary<string[]> =>
  fc.array(fc.stringMatching(/^[a-zA-Z0-9_~-]{1,6}$/), { minLength, maxLength });

/** Links with an edit or two. */
export const edited = (links: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      links,
      fc.array(
        fc.tuple(
          fc.nat(80),
          fc.nat(2),
          fc.oneof(
            nasty,
            fc.constantFrom(...'.-_~/?#%&=:@aA0'),
            fc.constantFrom(...'%41 %2e %2F %20 %25 // .. /. /../ /%2e/'.split(' ')),
          ),
        ),
        { maxLength: 2 },
      ),
    )
    .map(([text, edits]) => edits.reduce((left, [at, cut, piece]) => left.slice(0, at) + piece + left.slice(at + cut), text));
