import fc from 'fast-check';
import { canonicalizeUrl, expressionsOf } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../support/arbitraries.js';

const options = { algorithm: 'safe-browsing-4' };

/** The rules of developers.google.com/safe-browsing/v4/urls-hashing that its own examples do not show. */
describe('safe-browsing-4', () => {
  test.each([
    ['https://host', 'https://host/'],
    ['http://host/a/', 'http://host/a/'],
    ['http://host/a/.', 'http://host/a/'],
    ['http://host/a%5Cb', 'http://host/a\\b'],
    ['http://host/a%3Fb', 'http://host/a?b'],
    ['http://host/a?b%23c', 'http://host/a?b%23c'],
    ['http://user@host/', 'http://host/'],
    ['http://.a..b./', 'http://a.b/'],
    ['http://256.1.1.1/', 'http://256.1.1.1/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://BÜCHER.example/', 'http://xn--bcher-kva.example/'],
    ['http://b%C3%BCcher.example/', 'http://xn--bcher-kva.example/'],
  ])('writes %s as %s', (input, expected) => {
    expect(canonicalizeUrl(input, options)).toBe(expected);
  });

  test.each(['', 'https://', 'javascript:alert(1)', 'mailto:a@b.example', 'http://[::g]/'])(
    'has no expression for %j',
    (input) => {
      expect(canonicalizeUrl(input, options)).toBeNull();
      expect(expressionsOf(input, options)).toEqual([]);
    },
  );

  test('combines five hosts with six paths', () => {
    const expressions = expressionsOf('http://a.b.c.d.e.f.g.h/1/2/3/4/5?q', options);
    expect(expressions).toHaveLength(30);
    expect(new Set(expressions).size).toBe(30);
    expect(expressions).toContain('d.e.f.g.h/1/2/3/');
    expect(expressions).not.toContain('b.c.d.e.f.g.h/');
    expect(expressions).not.toContain('h/');
  });

  test('reads links only', () => {
    expect(expressionsOf({ type: 'ADDRESS', canonical: '0x52908400098527886e0f7030069857d2e4169ee7' }, options)).toEqual([]);
    expect(expressionsOf({ type: 'URL', canonical: 'evil.example' }, options)).toEqual(['evil.example/']);
  });

  const link = fc
    .tuple(fc.constantFrom('http://', 'https://', '', 'ftp:'), fc.string({ unit: anyCodePoint, maxLength: 40 }))
    .map((parts) => parts.join('a'));
  const anyText = fc.oneof(link, fc.string({ unit: anyCodePoint }));

  test('accepts any string and returns printable ASCII', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const canonical = canonicalizeUrl(text, options);
        const expressions = expressionsOf(text, options);
        expect(expressions.length).toBeLessThanOrEqual(30);
        expect(expressions.length > 0).toBe(canonical !== null);
        if (canonical !== null) expect(canonical).toMatch(/^(?:https?|wss?|ftp):\/\/[!-~]+$/);
      }),
    );
  });

  // The rules decode characters that separate parts, so some results are not read back unchanged (docs/algorithm.md §8).
  test('returns its own result unchanged if no part holds a separator', () => {
    const readable = /^\w+:\/\/[a-z0-9.-]+\/[^\\]*$/;
    let seen = 0;
    fc.assert(
      fc.property(fc.oneof(link, fc.webUrl({ withQueryParameters: true, withFragments: true })), (text) => {
        const canonical = canonicalizeUrl(text, options);
        if (canonical === null || !readable.test(canonical) || (canonical.includes('?') && text.includes('%'))) return;
        seen++;
        expect(canonicalizeUrl(canonical, options)).toBe(canonical);
      }),
    );
    expect(seen).toBeGreaterThan(0);
    expect(canonicalizeUrl('http://a%40b.example/', options)).toBe('http://a@b.example/');
  });
});
