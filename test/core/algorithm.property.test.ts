import fc from 'fast-check';
import { expressionsOf as expressionsWith, hashOf, prefixOf } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import {
  addressShaped,
  anyString,
  anyText,
  linkShaped,
  longHost,
  longLink,
  mutatedLink,
  nastySoup,
  SCHEMES,
  secretShaped,
} from '../support/arbitraries.js';
import { LINK_CLASSES } from '../support/browser-links.js';
import { canonicalizeUrl, detectAssets, expressionsOf, normalizeAsset } from '../support/links-and-evm.js';
import {
  assetsOf,
  canonicalLink,
  expressionsOfAsset,
  expressionsOfText,
  hashOfExpression,
  readingCount,
  reasonOf,
} from '../support/oracle/portcullis-1.js';
import { isDeep, propertyRuns } from '../support/setup.js';

/** An `intent:`, which can have two links, even with line ends inside the word. */
const isIntent = (text: string): boolean => /intent:/i.test(text.replace(/[\t\n\r]/g, ''));

/** Whether all browsers read it alike: no NUL, no invisible characters at the end, no slashes that Firefox resolves. */
const isPlain = (text: string): boolean =>
  !text.includes('\0') && /[!-~]$/.test(text) && !/:[\t\n\r]*[/\\][\t\n\r]*[/\\][\t\n\r]*[/\\]/.test(text);

/** Everything the library says about a text, and what the oracle says. */
function readings(text: string): unknown[] {
  return [canonicalizeUrl(text), expressionsOf(text), detectAssets(text)];
}

function oracleReadings(text: string): unknown[] {
  return [canonicalLink(text), expressionsOfText(text), assetsOf(text)];
}

const expectAgreement = (text: string): void => {
  expect(readings(text)).toEqual(oracleReadings(text));
};

/** Counts how many of `count` samples satisfy a condition that a generator claims to reach. */
function share(arbitrary: fc.Arbitrary<string>, holds: (text: string) => boolean): number {
  const samples = fc.sample(arbitrary, { numRuns: 400, seed: 1 });
  return samples.filter(holds).length / samples.length;
}

const isLink = (text: string): boolean => canonicalizeUrl(text) !== null;

const HASHED = [anyText, addressShaped, longLink] as const;

describe('portcullis-1 and its oracle', () => {
  test.each<readonly [name: string, texts: fc.Arbitrary<string>]>([
    ['any string', fc.oneof(anyString, nastySoup)],
    ['link-shaped strings', linkShaped],
    ['realistic links with pieces cut out and put in', mutatedLink],
    ['hosts at the limits of DNS', longHost.map((host) => `http://${host}/x`)],
    ['paths and queries at their limit', longLink],
    ['addresses in every form', addressShaped],
    ['secrets', secretShaped],
    ...LINK_CLASSES.map(([name, , texts]) => [`what browsers open: ${name}`, texts] as const),
  ])('agree on %s', (name, texts) => {
    // The oracle takes 30 ms for a text of 32 kB.
    const numRuns = isDeep || !/ limit$|long links$/.test(name) ? propertyRuns : propertyRuns / 4;
    fc.assert(fc.property(texts, expectAgreement), { numRuns });
  });

  test('agree on every scheme before a port, userinfo or a host', () => {
    const rests = [
      '',
      ...'80 8a a@evil.com a@evil a.b@evil a@b@evil.com evil.com'.split(' '),
      ' x',
      '//evil.com',
      '/evil.com',
      '\\\\evil.com',
    ];
    for (const scheme of SCHEMES) {
      for (const rest of rests) {
        for (const end of ['', '/x', '\\x', '?x', '#x', '/x@evil.org']) expectAgreement(`${scheme}:${rest}${end}`);
      }
    }
  });

  test('agree on keys of every shape, and on words one character shorter or longer', () => {
    const digits = 'n2'.repeat(60);
    const fronts = [
      ...'5679KLTQXc16PS',
      ...['x', 'y', 'z', 't', 'u', 'v', 'Y', 'Z', 'U', 'V', 'X'].map((first) => `${first}prv`),
    ];
    for (const front of [...fronts, '6P', 'edsk', 'nsec1', 'suiprivkey1', 'age-secret-key-1', 'NSEC1', 'AGE-SECRET-KEY-1', '']) {
      for (let length = 40; length <= 115; length++) {
        for (const body of [digits, digits.toUpperCase(), 'ab'.repeat(60)]) {
          const key = front + body.slice(0, length);
          const asset = normalizeAsset(key);
          expect(reasonOf(key)).toBe('refused' in asset ? asset.refused : undefined);
        }
      }
    }
  });

  test('agree on the reason of a refusal', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, secretShaped, addressShaped), fc.constantFrom(undefined, 'eip155:1'), (text, chain) => {
        const result = normalizeAsset(text, chain === undefined ? {} : { type: 'ADDRESS', chain });
        // With a hint that fits no reading, only the reason of a secret stays the same.
        if ('refused' in result && (chain === undefined || result.refused === 'secret')) {
          expect(reasonOf(text, chain)).toBe(result.refused);
        } else if (!('refused' in result)) {
          expect(reasonOf(text, chain)).toBeUndefined();
        }
      }),
    );
  });

  test('agree on the expressions of an asset', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, addressShaped), (text) => {
        for (const asset of assetsOf(text)) expect(expressionsOf(asset)).toEqual(expressionsOfAsset(asset));
      }),
    );
  });

  test('agree on hashes and prefixes', () => {
    fc.assert(
      fc.property(fc.oneof(anyString, fc.string({ minLength: 40, maxLength: 200 })), (expression) => {
        expect({ hash: hashOf(expression), prefix: prefixOf(expression) }).toEqual(hashOfExpression(expression));
      }),
    );
  });
});

describe('faults the oracle found', () => {
  test('ignores the invisible musical controls in a host', () => {
    expect(canonicalizeUrl('http://a\u{1d173}b.com')).toBe('ab.com');
  });

  test('reads pay- only after a name', () => {
    const address = '0x5290084d6acd01ab9f1d2ea5e8bdcc5bd0cb5ba4';
    expect(expressionsOf(`ethereum:pay-${address}`)).toEqual([`address:${address}`]);
    for (const text of [`pay-${address}`, `pay-${address}:`, `https:pay-${address}`]) expect(expressionsOf(text)).toEqual([]);
  });
});

test('safe-browsing-4 looks up every host that portcullis-1 reads', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, longHost), (text) => {
      const expressions = expressionsWith(text, { algorithm: 'safe-browsing-4' });
      for (const { type, canonical } of detectAssets(text)) {
        if (type === 'ADDRESS') continue;
        // Of a long host it looks up few suffixes, so that each `www.` stays; it also removes dots at the end.
        const host = canonical.replace(/[/?].*/s, '').replace(/\.+$/, '');
        expect(
          expressions.map((exact) => exact.replace(/^(?:www\.)+/, '')),
          host,
        ).toContain(`${host.replace(/^(?:www\.)+/, '')}/`);
      }
    }),
  );
});

describe('the generators cover the cases they claim', () => {
  test('make mostly links of link-shaped strings, and some other texts', () => {
    expect(share(linkShaped, isLink)).toBeGreaterThan(0.4);
    expect(share(linkShaped, isLink)).toBeLessThan(0.95);
    expect(share(mutatedLink, isLink)).toBeGreaterThan(0.3);
  });

  test('make links with a path, a query, an IP address, a mapped host, and several wrappers', () => {
    const reaches = (pattern: RegExp): number => share(linkShaped, (text) => pattern.test(canonicalizeUrl(text) ?? ''));
    expect(reaches(/\//)).toBeGreaterThan(0.2);
    expect(reaches(/\?/)).toBeGreaterThan(0.1);
    expect(reaches(/^[0-9.]+(\/|$)/)).toBeGreaterThan(0.02);
    expect(reaches(/^\[/)).toBeGreaterThan(0);
    expect(reaches(/(^|\.)xn--/)).toBeGreaterThan(0.1);
    expect(share(linkShaped, (text) => /^blob:/i.test(text) && isLink(text))).toBeGreaterThan(0);
    expect(share(linkShaped, (text) => /^intent:/i.test(text) && isLink(text))).toBeGreaterThan(0.02);
  });

  test('make some links of random pieces', () => {
    expect(share(nastySoup, isLink)).toBeGreaterThan(0.01);
  });

  test('make hosts on both sides of each limit', () => {
    expect(share(longHost, isLink)).toBeGreaterThan(0.1);
    expect(share(longHost, isLink)).toBeLessThan(0.9);
  });

  test('make paths and queries on both sides of their limits', () => {
    const hasPath = (text: string): boolean => canonicalizeUrl(text)!.length > 16_384;
    expect(share(longLink, hasPath)).toBeGreaterThan(0.2);
    expect(share(longLink, hasPath)).toBeLessThan(0.9);
  });

  test('make addresses and secrets, and near misses', () => {
    const isAddress = (text: string): boolean => detectAssets(text).some(({ type }) => type === 'ADDRESS');
    const isSecret = (text: string): boolean => JSON.stringify(normalizeAsset(text)) === '{"refused":"secret"}';
    for (const reached of [share(addressShaped, isAddress), share(secretShaped, isSecret)]) {
      expect(reached).toBeGreaterThan(0.1);
      expect(reached).toBeLessThan(0.9);
    }
  });
});

describe('canonicalizeUrl', () => {
  test.each([
    ['of any text', anyText],
    ['at the limits', fc.oneof(longLink, longHost)],
  ])('returns its own result unchanged %s', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const canonical = canonicalizeUrl(text);
        if (canonical !== null) expect(canonicalizeUrl(canonical)).toBe(canonical);
      }),
    );
  });

  test('returns a link with the same expressions as the text', () => {
    fc.assert(
      fc.property(fc.oneof(linkShaped, mutatedLink), (text) => {
        const canonical = canonicalizeUrl(text);
        // An intent: can have two links, but the canonical form holds only one.
        if (canonical === null || isIntent(text)) return;
        const expressions = expressionsOf(text);
        // A text that a browser cuts, or whose end it requests, has readings that its canonical form lacks.
        expect(expressions).toEqual(expect.arrayContaining(expressionsOf(canonical)));
        if (isPlain(text))
          expect(expressions.filter((expression) => !expression.startsWith('address:'))).toEqual(expressionsOf(canonical));
      }),
    );
  });
});

describe('expressionsOf', () => {
  test('never throws, nor does any other reading', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, addressShaped, secretShaped), (text) => {
        expect(Array.isArray(expressionsOf(text))).toBe(true);
        expect(Array.isArray(detectAssets(text))).toBe(true);
        expect(typeof normalizeAsset(text)).toBe('object');
        expect(['string', 'object']).toContain(typeof canonicalizeUrl(text));
      }),
    );
  });

  test('never throws for an asset that is not normalized', () => {
    fc.assert(
      fc.property(fc.constantFrom('URL', 'PAGE', 'ADDRESS', 'EMAIL', 'PHONE'), anyText, (type, canonical) => {
        expect(Array.isArray(expressionsOf({ type, canonical } as Parameters<typeof expressionsOf>[0]))).toBe(true);
      }),
    );
  });

  test('returns printable ASCII, hosts in lower case, and tags that no link can imitate', () => {
    fc.assert(
      fc.property(fc.oneof(...HASHED), (text) => {
        for (const expression of expressionsOf(text)) {
          expect(expression).toMatch(/^[\x21-\x7e]+$/);
          expect(expression.split('/')[0]).toMatch(/^(address:0x[0-9a-f]{40}|\[[0-9a-f:]+\]|[^A-Z:]+)$/);
        }
      }),
    );
  });

  test('returns each expression once, and at most 17 for each reading of a link', () => {
    fc.assert(
      fc.property(fc.oneof(...HASHED), (text) => {
        const expressions = expressionsOf(text);
        expect(new Set(expressions).size).toBe(expressions.length);
        const typed = expressions.filter((expression) => expression.startsWith('address:')).length;
        expect(typed).toBeLessThanOrEqual(4);
        expect(expressions.length - typed).toBeLessThanOrEqual(17 * Math.max(1, readingCount(text)));
      }),
    );
  });

  test('returns 17 expressions for a long link', () => {
    expect(expressionsOf('http://a.b.c.d.e.f.g.h.i.j.k.l.com/1/2/3/4/5/6?q')).toHaveLength(17);
  });

  test('returns the most specific first: the query, the path, its prefixes, then the host and its suffixes', () => {
    fc.assert(
      fc.property(fc.oneof(linkShaped, mutatedLink, longLink), (text) => {
        if (isIntent(text) || readingCount(text) > 1) return;
        const all = expressionsOf(text).filter((expression) => !expression.startsWith('address:'));
        const hosts = all.filter((expression) => !expression.includes('/'));
        const pages = all.filter((expression) => expression.includes('/'));
        expect(all).toEqual([...pages, ...hosts]);
        for (const [i, page] of pages.slice(1).entries()) {
          expect(pages[i]!.startsWith(page)).toBe(true);
          expect('/?').toContain(pages[i]![page.length]);
        }
        for (const [i, host] of hosts.slice(1).entries()) expect(hosts[i]!.endsWith(`.${host}`)).toBe(true);
      }),
    );
  });

  test('returns for a text the expression that lists its asset', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, addressShaped), (text) => {
        const expressions = expressionsOf(text);
        for (const asset of detectAssets(text)) {
          const listed = expressionsOf(asset)[0];
          expect(listed).toBe(asset.type === 'ADDRESS' ? `address:${asset.canonical}` : asset.canonical);
          expect(expressions).toContain(listed);
        }
      }),
    );
  });

  test('returns nothing for a secret', () => {
    fc.assert(
      fc.property(secretShaped, (text) => {
        const asset = normalizeAsset(text);
        if ('refused' in asset) expect(expressionsOf(text)).toEqual([]);
      }),
    );
  });
});

describe('normalizeAsset', () => {
  test('returns its own result unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, addressShaped), (text) => {
        for (const asset of detectAssets(text)) expect(normalizeAsset(asset.canonical)).toEqual(asset);
      }),
    );
  });

  test('returns the first reading, or the first of the requested type', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, addressShaped), (text) => {
        const assets = detectAssets(text);
        const first = normalizeAsset(text);
        expect('refused' in first ? undefined : first).toEqual(assets[0]);
        for (const type of ['URL', 'PAGE', 'ADDRESS'] as const) {
          const meant = normalizeAsset(text, { type });
          expect('refused' in meant ? undefined : meant).toEqual(assets.find((asset) => asset.type === type));
        }
      }),
    );
  });
});
