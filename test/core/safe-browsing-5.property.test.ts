import fc from 'fast-check';
import { canonicalizeUrl, expressionsOf } from 'portcullis/assets';
import { getDomain } from 'tldts';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../support/arbitraries.js';

const options = { algorithm: 'safe-browsing-5' };
const former = { algorithm: 'safe-browsing-4' };

/** The public rules of Safe Browsing v5: expressions of a canonical link, with the public suffixes of another library. */
function expected(host: string, path: string, query: string): string[] {
  const domain = getDomain(host);
  const hosts = [host];
  if (domain !== null) {
    const labels = host.split('.');
    const first = domain.split('.').length;
    for (let count = first; count < labels.length && count < first + 4; count++) hosts.push(labels.slice(-count).join('.'));
  }
  const folders = path.split('/').slice(1, -1);
  const paths = [path, '/', ...folders.slice(0, 3).map((_, at) => `/${folders.slice(0, at + 1).join('/')}/`)];
  if (query !== '') paths.unshift(`${path}?${query}`);
  return hosts.flatMap((one) => paths.map((other) => one + other));
}

describe('safe-browsing-5', () => {
  const label = fc.stringMatching(/^[a-z]{1,5}$/);
  const link = fc.record({
    labels: fc.array(label, { minLength: 1, maxLength: 9 }),
    suffix: fc.constantFrom('com', 'co.uk', 'example', 'tokyo.jp', 'chuo.tokyo.jp', 'k12.ma.us'),
    folders: fc.array(label, { maxLength: 6 }),
    file: fc.constantFrom('', 'index.html'),
    query: fc.constantFrom('', 'a=1&b'),
  });

  test('has every expression of the public rules, most specific host first', () => {
    fc.assert(
      fc.property(link, ({ labels, suffix, folders, file, query }) => {
        const host = [...labels, suffix].join('.');
        const path = `/${folders.map((folder) => `${folder}/`).join('')}${file}`;
        const found = expressionsOf(`https://${host}${path}${query === '' ? '' : `?${query}`}`, options);
        expect(found).toEqual(expect.arrayContaining(expected(host, path, query)));
        expect(found.length).toBeLessThanOrEqual(42);
        expect(new Set(found).size).toBe(found.length);
        const lengths = found.map((one) => one.indexOf('/'));
        expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
      }),
    );
  });

  test('writes links as version 4 does, and has at least its expressions', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string({ unit: anyCodePoint })), (text) => {
        expect(canonicalizeUrl(text, options)).toBe(canonicalizeUrl(text, former));
        expect(expressionsOf(text, options)).toEqual(expect.arrayContaining(expressionsOf(text, former)));
      }),
    );
  });

  test.each([
    ['http://[2001:DB8:0:0:0:0:0:1]/a', ['[2001:db8::1]/a', '[2001:db8::1]/']],
    ['http://[::ffff:192.0.2.1]/', ['192.0.2.1/']],
    ['http://[64:ff9b::c000:201]/', ['192.0.2.1/']],
    ['http://0xC0000201/', ['192.0.2.1/']],
    [
      'http://a.b.c.d.e.f.g.h.i/',
      ['a.b.c.d.e.f.g.h.i/', 'c.d.e.f.g.h.i/', 'd.e.f.g.h.i/', 'e.f.g.h.i/', 'f.g.h.i/', 'g.h.i/', 'h.i/'],
    ],
    ['http://com/', ['com/']],
  ])('reads %s as %j', (text, expressions) => {
    expect(expressionsOf(text, options)).toEqual(expressions);
  });
});
