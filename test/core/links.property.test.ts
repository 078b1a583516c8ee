import fc from 'fast-check';
import { canonicalizeUrl, detectAssets, expressionsOf, normalizeAsset } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import {
  hostOfLabels,
  lenientLink,
  linkParts,
  linkShaped,
  longHost,
  mutatedLink,
  nasty,
  nastySoup,
  plainSegments,
  REALISTIC,
  spelledIpv4,
  spelledIpv6,
  spelledLink,
  writeParts,
} from '../support/arbitraries.js';
import { expectLinearTime, type GrowthBounds, growthBounds } from '../support/growth.js';
import * as linksAndEvm from '../support/links-and-evm.js';
import { withoutMapping } from '../support/mapped-address.js';
import { expressionsOfText, isMailbox } from '../support/oracle/portcullis-1.js';
import { isDeep, propertyRuns } from '../support/setup.js';

const expectSame = ([plain, spelled]: readonly [string, string]): void => {
  // A link without a scheme that has only a host and userinfo is read as a mailbox where mailboxes are read.
  const expressions = linksAndEvm.expressionsOf(plain);
  expect(expressions.length).toBeGreaterThan(0);
  expect(linksAndEvm.expressionsOf(spelled)).toEqual(expressions);
};

const expectFound = ([plain, spelled]: readonly [string, string]): void => {
  expect(linksAndEvm.expressionsOf(spelled)).toContain(linksAndEvm.expressionsOf(plain)[0]);
};

describe('a link in another spelling', () => {
  test.each([
    ['a host name, a path and a query', spelledLink],
    ['an IPv4 address in decimal, octal or hex and of one to four parts', spelledIpv4],
    ['an IPv6 address', spelledIpv6],
  ])('has the same expressions with %s', (_, spelled) => {
    fc.assert(fc.property(spelled, expectSame));
  });

  test('has the expressions of the page that a lenient server makes of it', () => {
    fc.assert(fc.property(lenientLink, expectFound));
  });

  // Readings of other types are subjects of their own and never replace the link.
  test('has the same expressions when every other type is read too', () => {
    const mail = fc.constantFrom('', '<a@b.com>', '#<a@b.com>', '/<a@b.com>', '?<a@b.com>', ' <a@b.com>', '@b.com>');
    const anyLink = fc.oneof(
      linkShaped,
      mutatedLink,
      nastySoup,
      ...[spelledLink, spelledIpv4, spelledIpv6, lenientLink].map((spelled) => spelled.map(([, text]) => text)),
    );
    fc.assert(
      fc.property(anyLink, mail, (link, tail) => {
        const text = link + tail;
        const cleaned = text.replace(/[\t\n\r\u200b\u2060\ufeff]/g, '');
        // A text is a mailbox instead only if it has a host and userinfo and nothing else.
        fc.pre(!isMailbox(text) && (/^[\s\0-\x20]*[a-z][a-z+.-]*:|[/?#\\]/i.test(cleaned) || !cleaned.includes('@')));
        expect(expressionsOf(text)).toEqual(expect.arrayContaining(linksAndEvm.expressionsOf(text)));
      }),
    );
  });

  test('has the same expressions inside a wrapper, without those of its path', () => {
    fc.assert(
      fc.property(
        linkParts,
        fc.constantFrom('blob:', 'filesystem:', 'BLOB:filesystem:', 'blob:blob:blob:blob:'),
        (parts, wrapper) => {
          expect(expressionsOf(wrapper + writeParts(parts))).toEqual(
            expressionsOf(writeParts({ ...parts, segments: [], query: '' })),
          );
        },
      ),
    );
  });

  test('has the same expressions as the page or the fallback of an intent', () => {
    const plainPage = fc
      .tuple(hostOfLabels(2, 5), plainSegments(0, 5))
      .map(([host, segments]) => `https://${[host, ...segments].join('/')}`);
    fc.assert(
      fc.property(linkParts, plainPage, fc.constantFrom('', ';package=x', ';S.a=b'), (parts, fallback, field) => {
        const page = writeParts(parts);
        const intent = `intent:${page.slice('http:'.length)}#Intent${field};scheme=http;S.browser_fallback_url=${encodeURIComponent(fallback)};end`;
        // The readings of other types, from both links, come first.
        const of = linksAndEvm.expressionsOf;
        expect(of(intent)).toEqual([...new Set([...of(page), ...of(fallback)])]);
      }),
    );
  });

  // A plain link takes a faster path through the code than one with userinfo or a port.
  test('has the same expressions on the fast path and in full', () => {
    const plain = fc.oneof(
      linkParts.map(writeParts),
      fc
        .tuple(
          hostOfLabels(2, 13),
          plainSegments(0, 7),
          fc.constantFrom('', '/', '?', '?a=b', '/?a', '/../x', '//', '/.', '#a', '/%41'),
        )
        .map(([host, segments, end]) => `https://${[host, ...segments].join('/')}${end}`),
      fc.constantFrom(...REALISTIC.filter((link) => link.startsWith('http'))),
    );
    fc.assert(
      fc.property(plain, fc.option(nasty, { freq: 2 }), (link, piece) => {
        const text = link + (piece ?? '');
        const expressions = expressionsOf(text);
        expect(linksAndEvm.expressionsOf(text)).toEqual(expressionsOfText(text));
        expect(expressionsOf(text.replace('://', '://x@'))).toEqual(expressions);
        expect(expressionsOf(text.replace('://', '://:@'))).toEqual(expressions);
        expect(expressionsOf(text.replace('://', '://good.example@'))).toEqual(expressions);
        const withPort = /^(\w+:\/\/[^/?#\\:@[]*)([/?#\\].*|)$/s;
        if (piece === null) expect(expressionsOf(text.replace(withPort, '$1:443$2'))).toEqual(expressions);
      }),
    );
  });

  // A plain link meets a family only if a quick look at its host or query finds that it could be one that carries another target.
  test('has the same expressions on the fast path and in full where its site carries other links', () => {
    const sites =
      'google.com google.co.uk google.de translate.goog l.facebook.com youtube.com vk.com vk.ru ok.ru t.me bing.com out.reddit.com ' +
      'href.li web.archive.org archive.ph 12ft.io link.metamask.io go.cb-w.com weibo.cn office.com x.com co.uk com.ru example.com.au';
    const tails =
      '/ /a /url?q=evil.example/a /url?url=HTTPS%3A//evil.example /amp/s/evil.example/a /?u=https://evil.example/a /?https://evil.example ' +
      '/l.php?u=//evil.example/a /redirect?q=evil.example /away.php?to=evil.example /dk?st.link=evil.example /iv?url=evil.example ' +
      '/web/2020/evil.example /evil.example/a /dapp/evil.example /dapp?cb_url=evil.example /sinaurl?u=evil.example /r?url=evil.example ' +
      `?lightning=lno1${'q'.repeat(60)} /a?b=c&LIGHTNING=LNO1${'P'.repeat(60)} /a?xlightning=lno1${'q'.repeat(60)} #lightning`;
    const link = fc.tuple(
      fc.constantFrom('', 'www.', 'a.', 'evil-example.'),
      fc.oneof(fc.constantFrom(...sites.split(' ')), hostOfLabels(2, 3)),
      fc.constantFrom('', ...tails.split(' ')),
      fc.constantFrom('', '', '#', '/', '&x=y'),
    );
    let carrying = 0;
    fc.assert(
      fc.property(link, (parts) => {
        const text = `https://${parts.join('')}`;
        const expressions = expressionsOf(text);
        if (expressions.some((expression) => /^(?:evil\.example|address:lno1)/.test(expression))) carrying++;
        expect(expressions).toEqual(expressionsOf(text.replace('://', '://x@')));
        expect(expressions).toEqual(expressionsOf(text.replace('://', '://:@')));
      }),
      { numRuns: 10 * propertyRuns },
    );
    expect(carrying).toBeGreaterThan(propertyRuns / 2);
  });
});

describe('a listed host', () => {
  const listed = (host: string): string => expressionsOf(normalizeAsset(host) as Parameters<typeof expressionsOf>[0])[0]!;
  const page = fc
    .tuple(plainSegments(0, 6), fc.constantFrom('', '/', '?q=1', '#x', '/?q'))
    .map(([segments, end]) => segments.map((s) => `/${s}`).join('') + end);

  test('is found from each of its subdomains and pages', () => {
    fc.assert(
      fc.property(
        hostOfLabels(2, 11),
        fc.array(fc.stringMatching(/^[a-z0-9]{1,5}$/), { maxLength: 8 }),
        page,
        (host, subdomains, below) => {
          expect(expressionsOf(`https://${[...subdomains, host].join('.')}${below}`)).toContain(listed(host));
        },
      ),
    );
  });

  test('is found from a host with www. and from one without', () => {
    fc.assert(
      fc.property(hostOfLabels(2, 11), page, (host, below) => {
        expect(listed(`www.${host}`)).toBe(listed(host));
        expect(expressionsOf(`www.${host}${below}`)).toContain(listed(host));
      }),
    );
  });

  test('is found from its pages but not from a subdomain if it has more than eleven labels', () => {
    fc.assert(
      fc.property(hostOfLabels(12, 16), page, (host, below) => {
        fc.pre(!host.startsWith('www.'));
        expect(expressionsOf(`http://${host}${below}`)).toContain(host);
        expect(expressionsOf(`http://sub.${host}${below}`)).not.toContain(host);
      }),
    );
  });

  test('is not found from a host that only ends in the same letters', () => {
    fc.assert(
      fc.property(hostOfLabels(2, 5), page, (host, below) => {
        fc.pre(!host.startsWith('www.'));
        expect(expressionsOf(`http://x${host}${below}`)).not.toContain(listed(host));
        expect(expressionsOf(`http://${host}.org${below}`)).not.toContain(listed(host));
      }),
    );
  });

  test('is found from its pages, and has no suffixes, if it is an IP address', () => {
    fc.assert(
      fc.property(fc.ipV4(), page, (address, below) => {
        expect(listed(address)).toBe(address);
        const hosts = expressionsOf(`http://${address}${below}`).filter((expression) => !expression.includes('/'));
        expect(hosts).toEqual([address]);
      }),
    );
  });
});

describe('a listed page', () => {
  const listed = (text: string): string => {
    const asset = normalizeAsset(text, { type: 'PAGE' });
    expect(asset).toHaveProperty('type', 'PAGE');
    return expressionsOf(asset as Parameters<typeof expressionsOf>[0])[0]!;
  };

  test('is found from everything below it if it has up to four segments', () => {
    fc.assert(
      fc.property(
        hostOfLabels(2, 5),
        plainSegments(1, 4),
        plainSegments(0, 8),
        fc.constantFrom('', '/', '?q=1', '#x', '/?q'),
        (host, segments, below, end) => {
          const pageText = [host, ...segments].join('/');
          for (const www of ['', 'www.']) {
            expect(expressionsOf(`https://${www}${[pageText, ...below].join('/')}${end}`)).toContain(listed(pageText));
          }
        },
      ),
    );
  });

  test('is found with any query but not from below it if it has more segments', () => {
    fc.assert(
      fc.property(
        hostOfLabels(2, 5),
        plainSegments(5, 8),
        fc.constantFrom('', '/', '?q=1', '#x', '/?q'),
        (host, segments, end) => {
          const pageText = [host, ...segments].join('/');
          expect(expressionsOf(`https://${pageText}${end}`)).toContain(listed(pageText));
          expect(expressionsOf(`https://${pageText}/below${end}`)).not.toContain(listed(pageText));
        },
      ),
    );
  });

  test('is found neither from its siblings nor from its subdomains', () => {
    fc.assert(
      fc.property(hostOfLabels(2, 5), plainSegments(1, 4), (host, segments) => {
        fc.pre(!host.startsWith('www.'));
        const pageText = [host, ...segments].join('/');
        expect(expressionsOf(`https://${pageText}x`)).not.toContain(listed(pageText));
        expect(expressionsOf(`https://sub.${pageText}`)).not.toContain(listed(pageText));
      }),
    );
  });
});

describe('a link that a browser opens', () => {
  const openedSchemes = ['http:', 'https:', 'ws:', 'wss:', 'ftp:'];

  /** The host a URL parser finds, if DNS or an address can carry it. */
  function openedHost(text: string): string | undefined {
    if (!URL.canParse(text)) return undefined;
    const { hostname, protocol } = new URL(text);
    if (!openedSchemes.includes(protocol)) return undefined;
    if (hostname.startsWith('[')) return withoutMapping(hostname);
    const host = hostname.replace(/\.$/, '');
    const labels = host.split('.');
    return labels.length > 1 && host.length <= 253 && labels.every((label) => label !== '' && label.length <= 63)
      ? host
      : undefined;
  }

  const opened = fc.oneof(
    linkShaped,
    mutatedLink,
    fc.tuple(fc.constantFrom('http:', 'https://', 'ws:/', 'WSS:\\', 'ftp:////'), nastySoup).map((parts) => parts.join('')),
    longHost.map((host) => `http://${host}`),
    spelledLink.map(([, spelled]) => spelled),
    spelledIpv4.map(([, spelled]) => spelled),
    spelledIpv6.map(([, spelled]) => spelled),
    // Node accepts fewer of the spellings above than browsers do; the deep suite uses browsers.
    linkParts.map(writeParts),
  );

  // No list can hold a rejected link, so each link that a browser accepts and this code rejects is a way around the lists.
  test('has the host that the browser opens, if that host is ASCII', () => {
    fc.assert(
      fc.property(opened, (text) => {
        const host = openedHost(text);
        if (host === undefined) return;
        const canonical = canonicalizeUrl(text);
        expect(canonical).not.toBeNull();
        // Parsers differ in their Unicode tables.
        if (/^[\0-\x7f]*$/.test(text) && !/%[89a-f]/i.test(text)) expect(canonical!.split('/')[0]).toBe(host);
      }),
    );
  });

  test('makes up a large part of the tested strings', () => {
    const samples = fc.sample(opened, { numRuns: 400, seed: 1 });
    expect(samples.filter((text) => openedHost(text) !== undefined).length).toBeGreaterThan(120);
  });
});

describe('time', () => {
  const unit = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length));

  /** V8 spends 4 ms on an array of more than 16,384 segments, so both texts have as many in the fast tests too. */
  const manySegments: GrowthBounds = isDeep ? growthBounds : { sizes: [2 ** 14, 2 ** 17], factor: 40, leastMs: 2 };
  /** Functions that make a text of any size, and whether it is a link. */
  const EVIL: readonly (readonly [name: string, isLink: boolean, make: (size: number) => string, bounds?: GrowthBounds])[] = [
    ['one long userinfo', true, (size) => `http://${unit('a', size)}@evil.com/`],
    ['many @', true, (size) => `http://${unit('@', size)}evil.com/`],
    ['many @ without a scheme', true, (size) => `a:b${unit('@', size)}evil.com/`],
    ['many colons', false, (size) => `http://evil.com${unit(':', size)}`],
    ['a long port', true, (size) => `http://evil.com:${unit('0', size)}/`],
    ['a long port and no end', false, (size) => `http://evil.com:${unit('0', size)}x/`],
    ['dots inside the host', true, (size) => `http://evil${unit('.', size)}com/`],
    ['dots around the host', true, (size) => `http://${unit('.', size)}evil.com${unit('.', size)}/`],
    ['many labels', false, (size) => `http://${unit('a.', size)}com/`],
    ['many www.', false, (size) => `http://${unit('www.', size)}evil.com/`],
    ['a label without an end', false, (size) => `http://${unit('a', size)}.com/`],
    ['escapes in the host', false, (size) => `http://${unit('%61', size)}.com/`],
    ['nested escapes in the host', false, (size) => `http://%${unit('25', size)}41.com/`],
    ['ignorable characters in the host', true, (size) => `http://e${unit('\u00ad', size)}vil.com/`],
    ['escaped ignorable characters in the host', true, (size) => `http://e${unit('%C2%AD', size)}vil.com/`],
    ['combining marks in the host', false, (size) => `http://a${unit('\u0315\u0300\u05ae\u0591', size)}.com/`],
    [
      'marks to be sorted among ignorable characters',
      true,
      (size) => `http://a${'\u0315\u0300'.repeat(9)}${unit('\u2060', size)}.com/`,
    ],
    ['ideographs in the host', false, (size) => `http://${unit('日本', size)}.com/`],
    ['short labels of ideographs', false, (size) => `http://${unit('日。', size)}com/`],
    ['ligatures in the host', false, (size) => `http://${unit('\ufdfa', size)}.com/`],
    ['a long hex number', true, (size) => `http://0x${unit('0', size)}7f000001/`],
    ['a long octal number', true, (size) => `http://${unit('0', size)}17700000001/`],
    ['a long decimal number', false, (size) => `http://1.${unit('9', size)}/`],
    ['many numbers', false, (size) => `http://${unit('1.', size)}1/`],
    ['colons in brackets', false, (size) => `http://[${unit(':', size)}]/`],
    ['groups in brackets', false, (size) => `http://[${unit('0:', size)}:]/`],
    ['brackets', false, (size) => `http://${unit('[', size)}${unit(']', size)}`],
    ['nested escapes in the path', true, (size) => `http://evil.com/%${unit('25', size)}41`],
    ['nested escapes of an escape', true, (size) => `http://evil.com/${unit('%2525252541', size)}`],
    ['escapes that make escapes', true, (size) => `http://evil.com/${unit('%', size)}${unit('25', size)}`],
    ['percent signs in the path', true, (size) => `http://evil.com/${unit('%', size)}`],
    ['percent signs in the query', true, (size) => `http://evil.com/?${unit('%2', size)}`],
    ['/../', true, (size) => `http://evil.com${unit('/..', size)}/x`],
    ['/a/../', true, (size) => `http://evil.com${unit('/a/..', size)}/x`],
    ['/a/a/../../', true, (size) => `http://evil.com${unit('/a', size / 2)}${unit('/..', size / 2)}/x`],
    ['/./', true, (size) => `http://evil.com${unit('/.', size)}/x`],
    ['/%2e%2e/', true, (size) => `http://evil.com${unit('/%252e%2E', size)}/x`],
    ['slashes in the path', true, (size) => `http://evil.com${unit('/', size)}x`, manySegments],
    ['slashes behind the scheme', true, (size) => `http:${unit('/\\', size)}evil.com`],
    ['slashes without a scheme', true, (size) => `${unit('\\', size)}evil.com`],
    ['many segments', true, (size) => `http://evil.com${unit('/a', size)}`],
    ['a path to be escaped', true, (size) => `http://evil.com/${unit('é😀\ud800', size)}`],
    ['a long query', true, (size) => `http://evil.com/?${unit('a=b&', size)}`],
    ['question marks', true, (size) => `http://evil.com/${unit('?', size)}`],
    ['a long fragment', true, (size) => `http://evil.com/#${unit('a?b/#', size)}`],
    ['nested blob:', false, (size) => `${unit('blob:', size)}http://evil.com/`],
    ['nested schemes', true, (size) => `http://a@evil.com/${unit('http:', size)}//@evil.com/`],
    ['a scheme without an end', false, (size) => unit('a+-', size)],
    ['a long scheme', false, (size) => `${unit('a', size)}://evil.com`],
    ['intent: fields', true, (size) => `intent://evil.com#Intent;${unit('a=b;', size)}scheme=https;end`],
    [
      'intent: fields that are nearly found',
      true,
      (size) => `intent://evil.com#Intent;${unit(';scheme;S.browser_fallback_url', size)};scheme=https;end`,
    ],
    ['intent: marks that are nearly found', false, (size) => `intent://evil.com${unit('#Intent', size)}x;scheme=https;end`],
    [
      'intent: with a nested fallback',
      true,
      (size) => `intent:#Intent;S.browser_fallback_url=https://evil.com/%${unit('25', size)}41;end`,
    ],
    ['spaces around a link', true, (size) => `${unit(' ', size)}http://evil.com${unit('\u00a0', size)}`],
    ['spaces inside', false, (size) => `http://evil.com${unit(' ', size)}x`],
    [
      'marks of direction around no link',
      false,
      (size) => `${unit('\u202e', size)}x${unit('\u200b', size)}x${unit('\u2060', size)}`,
    ],
    ['tabs and line ends', true, (size) => `h${unit('\t\r\n', size)}ttp://ev${unit('\n', size)}il.com/`],
    ['words', false, (size) => unit('abandon ', size)],
    ['numbered words', false, (size) => unit('1. abandon, ', size)],
    ['white space and commas', false, (size) => unit(' ,', size)],
    ['names in front of an address', false, (size) => `${unit('a:', size)}0x5290084d6acd01ab9f1d2ea5e8bdcc5bd0cb5ba4`],
    ['a long chain behind an address', false, (size) => `0x5290084d6acd01ab9f1d2ea5e8bdcc5bd0cb5ba4@${unit('1', size)}`],
    ['hex digits', false, (size) => `0x${unit('5', size)}`],
    ['base58', false, (size) => unit('5KJvsngHeMpm884wtkJNzQGaCErckhHJBGFsvd3VyK5qMZXj3hS', size)],
    ['unpaired surrogates', false, (size) => unit('\udc00\ud800', size)],
  ];

  test.for(EVIL)('grows at most in proportion to the text: %s', ([, isLink, make, bounds]) => {
    for (const size of [3 * 1024, ...growthBounds.sizes, 2 ** 17]) expect(canonicalizeUrl(make(size)) !== null).toBe(isLink);
    const work = (text: string): void => {
      expressionsOf(text);
      canonicalizeUrl(text);
      normalizeAsset(text);
      detectAssets(text);
    };
    expectLinearTime(work, make, bounds);
  });
});
