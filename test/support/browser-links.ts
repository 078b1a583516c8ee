import fc from 'fast-check';
import { linkShaped, mutatedLink, nasty, spelledIpv4, spelledIpv6, spelledLink, weighted } from './arbitraries.js';

/** Links whose host, path or reading depends on the browser, with many spellings about which parsers disagree. */

const pick = (...options: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...options);
const joined = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((strings) => strings.join(''));
const several = (part: fc.Arbitrary<string>, maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.array(part, { minLength, maxLength }).map((strings) => strings.join(''));

/** The host of a link is either one of these or an unusual spelling of it. */
export const PLAIN_HOSTS = ['evil.example', 'good.example', 'shared.example', 'www.evil.example', 'a.b.evil.example'] as const;

const scheme = weighted(
  [6, pick('http:', 'http:', 'https:')],
  [3, pick('')],
  [2, pick('HTTP:', 'hTTps:', 'ws:', 'wss:', 'ftp:', 'ht\ttp:', ' http:', '\0https:', 'http\n:', '\u00a0http:', '\u200bhttps:')],
);
const slashes = weighted(
  [4, pick('//')],
  [2, pick('\\\\', '/\\', '\\/', '')],
  [3, several(pick('/', '/', '\\', '\\', '\t', '\n', '/\\'), 5)],
  [1, several(pick('/', '\\', '/..', '/.', '\\..', '/%2e%2E', '/.%2e'), 5)],
);
const userinfo = weighted(
  [8, pick('')],
  [2, pick('user@', 'good.example@', 'a:b@', '@', '@@', ':@', '%40@', '％40@', '<@', '[::1]@')],
  [1, pick('a\0b@', '\0@', 'good.example\0@', 'x@y\0@')],
);

const respelledLetter = pick(
  ...'e E ｅ Ｅ ⓔ %65 %45 ％65 ﹪65 ％6５ ％６５ %EF%BC%8565 %EF%BD%85 𝐞 𝔢 🄴 ᵉ ℯ'.split(' '),
  ...'e\u00ad \u200be e\u2060 e\ufe0f e\u034f \u180ee e\u200d e\u200c %E2%80%8Be %C2%ADe %2565 %٦5'.split(' '),
);
const respelledDot = weighted(
  [3, pick('.')],
  [2, pick(...'%2e %2E 。 ． ｡ ％2e ％2Ｅ ﹪2E %E3%80%82 %EF%BC%8E %EF%BC%852e ․ ‥ ﹒ .\u00ad ..'.split(' '))],
);
const respelledHost = weighted(
  [3, joined(respelledLetter, fc.constant('vil'), respelledDot, fc.constant('example'))],
  [1, joined(fc.constant('evil'), respelledDot, respelledLetter, fc.constant('xample'), pick('', '.', '。', '..', '％2e'))],
  [1, joined(fc.constant('xn--bcher-kva'), respelledDot, fc.constant('example'))],
  [
    1,
    joined(
      pick('bücher', 'BÜCHER', 'bu\u0308cher', 'faß', 'ΒΌΛΟΣ', 'аррӏе', 'ꭰ', '日本', 'İ', '㍿', 'x\u0301'),
      respelledDot,
      fc.constant('example'),
    ),
  ],
);

const number = pick(
  ...'0 1 2 3 4 01 0x1 0X1 08 255 256 0x １ ％31 %31 ① １６９０９０６０ 16909060 0x01020304 0377 00000001 0xg'.split(' '),
  '4294967296',
);
const ipv4 = weighted(
  [4, fc.array(number, { minLength: 4, maxLength: 4 }).map((parts) => parts.join('.'))],
  [
    2,
    joined(
      fc.array(number, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.')),
      pick('', '.', '..', '...', '%2e', '。'),
    ),
  ],
  [
    2,
    joined(
      pick('evil.example.', 'evil.', 'a..', ''),
      fc.array(number, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.')),
      pick('', '.', '..', '...'),
    ),
  ],
);
const ipv6Colon = weighted([8, pick(':')], [2, pick('：', '%3A', '%3a', '%EF%BC%9A', '﹕', '︓')]);
const ipv6Group = pick(
  ...'0 1 ffff FFFF ｆｆｆｆ %66fff 64 ff9b 1.2.3.4 01.2.3.4 0x1.2.3.4 1.2.772 0x01020304 １.2.3.4 １ 00001 g'.split(' '),
  ...'1.2.3.4. 256.1.1.1 1．2．3．4'.split(' '),
);
const ipv6 = joined(
  weighted([9, pick('[')], [1, pick('%5B', '［', '')]),
  fc.oneof(
    joined(ipv6Colon, ipv6Colon, ipv6Group),
    joined(ipv6Colon, ipv6Colon, pick('ffff', 'FFFF', '%66fff', 'ｆｆｆｆ', 'ﬀff'), ipv6Colon, ipv6Group),
    joined(pick('64', '6４', '064'), ipv6Colon, pick('ff9b'), ipv6Colon, ipv6Colon, ipv6Group),
    fc.array(fc.tuple(ipv6Group, ipv6Colon), { minLength: 2, maxLength: 8 }).map((groups) => groups.flat().join('')),
  ),
  weighted([9, pick(']')], [1, pick('%5D', '］', '', ']x', ']\u00ad')]),
);
const host = weighted(
  [8, pick(...PLAIN_HOSTS)],
  [5, respelledHost],
  [2, ipv4],
  [2, ipv6],
  [1, joined(pick(...PLAIN_HOSTS), nasty)],
  [1, joined(nasty, pick(...PLAIN_HOSTS))],
  [
    1,
    joined(
      pick('evil.example', 'evil'),
      pick('\0', '\0.', '%00', '\u00ad.', '.\0', '\x01'),
      pick('good.example', '.example', ''),
    ),
  ],
  [1, pick('..', '.', '%2e%2e', '', 'localhost', '日本', 'evil')],
);
const port = weighted(
  [10, pick('')],
  [3, pick(':80', ':443', ':', ':0080', ':8080', ':65535', ':65536')],
  [2, pick(':80\0', ':\0', ':80\0x', ':80x', ':%38', ':８０', ':80\t', '\0:80', ':8\0' + '0')],
);

const mail = pick(...'<a@b.com>·<a@evil.example>·a@b.com·<mailto:a@b.com>· <a.b@c.example>·%3Ca@b.com>·x<a@b.com>'.split('·'));
const segment = weighted(
  [4, pick('a', 'm2', 'mallory', 'good.example', 'evil.example', 'Ab', '')],
  [5, pick(...'.. . %2e%2e %2E. .%2e %2e ..%2F %2e%2e%2fm2 %252e%252e %252E ％2e％2e ．． %25%32%65%25%32%65'.split(' '))],
  [3, pick('a%2Fb', 'a%5Cb', '%2F', '%5c', 'a%252Fb', '%2F..', '..%5C', 'm2%2F..%2F..%2Fx', '%25252e%25252e', '%2f%2e%2e')],
  [
    2,
    pick(
      ...'m2\u200b·m2%E2%80%8B·m2%20·m2 ·m2%00·m2\0·\0·%00·\0x·m2%0A·m2\u00a0·é·%C3%A9·%FF·%·%%32%65·%zz·%2'.split('·'),
      '%u002e',
    ),
  ],
  [1, mail],
  [1, nasty],
);
const separator = weighted([8, pick('/')], [3, pick('\\', '//', '/\t', '\\\\', '/./', '\n/')]);
const path = fc.oneof(fc.constant(''), several(joined(separator, segment), 6), several(joined(separator, segment), 3));
const query = weighted(
  [4, pick('')],
  [2, pick('?', '?q=1', '?a/../b', '?\0', '?q\0x', '?%00', '?\\..', '?<a@b.com>', '??')],
  [1, mail.map((text) => `?${text}`)],
);
const fragment = weighted(
  [4, pick('')],
  [1, pick('#', '#x', '#\0', '#@good.example', '#\u200b')],
  [1, mail.map((text) => `#${text}`)],
);
const edge = weighted(
  [6, pick('')],
  [2, pick(' ', '\0', '\u200b', '\u00a0', '\u2028', '\ufeff', '\x01 ', '\u200b ', '\u3000', '>', '\x7f', '\u00ad')],
);

/** Anything after the slashes. */
const behind = joined(userinfo, host, port, path, query, fragment, edge);

/**
 * The class in which Firefox resolves dots before the host: three or more slashes that do not begin with exactly two forward
 * slashes.
 */
const resolvedFirst = joined(
  pick('http:', 'https:', 'HTTP:', 'ht\ttp:'),
  pick(...'\\// /\\/ \\\\\\ \\\\/ /\\\\ \\/\t/ /\n\\/ \\//// \\\\//\\ /// /\\%2e%2e/ \\\\../ \\/../'.split(' ')),
  several(
    fc.oneof(
      joined(pick('good.example', 'a', '..', '.', '%2e%2E', 'x@y', ':80', '', 'evil.example', 'a\0b'), pick('/', '\\', '//')),
      segment,
    ),
    4,
  ),
  behind,
);

/** Long paths, which must not hide the host or the first folders. */
const long = fc
  .tuple(
    pick('http://evil.example/m2/x/', 'https://evil.example/', '//evil.example/a/b/c/d/e/'),
    pick('%', '/', 'a', '/..', '%2e', 'é', '\0', '<a@b.com>'),
    fc.integer({ min: 1000, max: 17_000 }),
  )
  .map(([front, unit, length]) => front + unit.repeat(Math.ceil(length / unit.length)));

/** Each class of texts with its weight. */
export const LINK_CLASSES: readonly (readonly [name: string, share: number, texts: fc.Arbitrary<string>])[] = [
  ['any spelling of a host and a path', 0.4, joined(scheme, slashes, behind)],
  ['dots before the host', 0.15, resolvedFirst],
  [
    'paths on one host',
    0.2,
    joined(
      pick('http://shared.example', '//shared.example', 'http:\\\\shared.example:80', '\\/shared.example'),
      path,
      query,
      fragment,
      edge,
    ),
  ],
  ['the grammar of links', 0.098, linkShaped],
  ['realistic links with changes', 0.05, mutatedLink],
  ['equal spellings', 0.1, fc.oneof(spelledLink, spelledIpv4, spelledIpv6).map(([, spelled]) => spelled)],
  ['long links', 0.002, long],
];
