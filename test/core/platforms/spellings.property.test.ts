import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type AssetType, detectAssets, expressionsOf, normalizeAsset } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { platformTables } from '../../../src/core/assets/all-families.js';
import { parseHosts } from '../../../src/core/assets/platforms/platform-rules.js';
import { maxTypedReadings } from '../../../src/core/limits.js';
import { anyString, linkShaped, nastySoup } from '../../support/arbitraries.js';
import { expectLinearTime } from '../../support/growth.js';

const { rows } = JSON.parse(readFileSync('test/core/platforms/examples.json', 'utf8')) as {
  rows: { type: AssetType; spellings: [string, string][] }[];
};

const types = rows.map(({ type }) => type);
const hosts = [
  ...new Set(platformTables.flat().flatMap(([, list]) => parseHosts(list).map((host) => host.replace(/^[*~]/, 'some')))),
];

const canonicalOf = (text: string, type: AssetType): string | undefined => {
  const asset = normalizeAsset(text, { type });
  return 'canonical' in asset ? asset.canonical : undefined;
};

/** Links of the examples that have their own host, from the path on. */
const links = rows.flatMap(({ type, spellings }) =>
  spellings.flatMap(([spelling, canonical]) => {
    const match = /^(?:https?:\/\/)?(?:www\.|m\.|mobile\.)?((?:[\w-]+\.)+[a-z]+)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i.exec(spelling);
    const isOwn =
      match !== null && platformTables.flat().some(([name]) => name === type) && !/^(?:[\w-]+\.)+[\w-]+$/.test(spelling);
    return isOwn
      ? [{ type, canonical, host: match[1]!, path: match[2] ?? '', query: match[3] ?? '', fragment: match[4] ?? '' }]
      : [];
  }),
);

const upper = (text: string, every: number): string =>
  [...text].map((character, at) => (at % every === 0 ? character.toUpperCase() : character)).join('');

describe('an asset of a platform', () => {
  test('is the same however its link is written', () => {
    expect(links.length).toBeGreaterThan(200);
    fc.assert(
      fc.property(
        fc.constantFrom(...links),
        fc.constantFrom('https://', 'HTTP://', '//', '', 'https:\\\\', 'https://user:word@'),
        fc.constantFrom('', 'www.', 'WWW.'),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom('', '/'),
        fc.constantFrom('', 'utm_source=x', 'fbclid=1&ref=a%20b'),
        fc.constantFrom('', ' ', '\u00a0', '\u3000', '\u200b', '\n', '\ufeff'),
        ({ type, canonical, host, path, query, fragment }, scheme, www, every, slash, tracking, space) => {
          const port = canonical.includes(':') || scheme === '' ? '' : ':443';
          const end = path === '' || path.endsWith('/') || fragment !== '' ? '' : slash;
          const parameters = tracking === '' ? query : query === '' ? `?${tracking}` : `${query}&${tracking}`;
          const text = `${space}${scheme}${www}${upper(host, every)}${port}${path}${end}${parameters}${fragment}${space}`;
          expect(canonicalOf(text, type)).toBe(canonical);
          expect(detectAssets(text)).toContainEqual({ type, canonical });
          expect(expressionsOf(text)).toContain(`${type.toLowerCase()}:${canonical}`);
        },
      ),
    );
  });

  test('is the same on a mobile host, unless a subdomain is the name', () => {
    const ofOneHost = links.filter(
      ({ type }) => !platformTables.flat().some(([name, list]) => name === type && /[*~]/.test(list)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...ofOneHost), fc.constantFrom('m.', 'mobile.', 'touch.', 'www.m.'), (link, prefix) => {
        const text = `https://${prefix}${link.host}${link.path}${link.query}${link.fragment}`;
        expect(canonicalOf(text, link.type)).toBe(link.canonical);
      }),
    );
  });

  test('is the same on each of its hosts', () => {
    for (const name of ['x.com', 'twitter.com', 'mobile.twitter.com', 'm.x.com']) {
      expect(canonicalOf(`https://${name}/Example_User`, 'TWITTER')).toBe('twitter.com/example_user');
    }
    for (const name of ['farcaster.xyz', 'warpcast.com']) {
      expect(canonicalOf(`https://${name}/Example`, 'FARCASTER')).toBe('farcaster.xyz/example');
    }
    for (const name of ['threads.net', 'threads.com']) expect(canonicalOf(`${name}/@A.b`, 'THREADS')).toBe('threads.net/@a.b');
    for (const name of ['lu.ma', 'luma.com']) expect(canonicalOf(`${name}/Some-Event`, 'LUMA')).toBe('lu.ma/some-event');
  });

  test('is read from a name with or without @ only when the type is named', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{4,12}$/);
    const named: AssetType[] = [
      ...('TWITTER INSTAGRAM TIKTOK THREADS TELEGRAM SNAPCHAT TWITCH MEDIUM GITHUB'.split(' ') as AssetType[]),
    ];
    fc.assert(
      fc.property(name, fc.constantFrom(...named), (text, type) => {
        const canonical = canonicalOf(`@${text}`, type);
        expect(canonical).toContain(text);
        expect(canonicalOf(` ${text.toUpperCase()}\u00a0`, type)).toBe(canonical);
        expect(canonicalOf(canonical!, type)).toBe(canonical);
        expect(detectAssets(`@${text}`)).toEqual([]);
      }),
    );
  });

  test('differs from another asset of the same platform', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{5,12}$/);
    fc.assert(
      fc.property(
        name,
        name,
        fc.constantFrom('x.com', 'instagram.com', 't.me', 'github.com', 'patreon.com'),
        (one, other, host) => {
          fc.pre(one !== other);
          const [first, second] = [one, other].map((text) => detectAssets(`https://${host}/${text}`)[0]!);
          expect(first!.type).not.toBe('PAGE');
          expect(first).not.toEqual(second);
        },
      ),
    );
  });
});

describe('any text', () => {
  const escapes = fc.constantFrom(
    ...'%00 %23 %3F %25 %2525 %20 %C2%A0 %E2%80%8B %C4%B0 e%CC%81 %2F ? # \u0130 \u03a3 .. //'.split(' '),
  );
  const onHost = fc
    .tuple(fc.constantFrom(...hosts), fc.oneof(anyString, nastySoup, fc.webPath()))
    .map(([host, rest]) => `https://${host}/${rest.replace(/^\//, '')}`);
  const spoiled = fc
    .tuple(
      fc.constantFrom(...rows.flatMap(({ spellings }) => spellings.map(([spelling]) => spelling))),
      fc.nat(),
      fc.oneof(anyString, escapes),
    )
    .map(([text, at, piece]) => text.slice(0, at % text.length) + piece + text.slice(at % text.length));
  const text = fc.oneof(onHost, spoiled, nastySoup, linkShaped, anyString);

  test('is read as any type without an error, and the canonical string reads as itself', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...types), (sample, type) => {
        const asset = normalizeAsset(sample, { type });
        if ('refused' in asset) return;
        expect(asset.type).toBe(type);
        expect(normalizeAsset(asset.canonical, { type })).toEqual(asset);
      }),
    );
  });

  test('has at most four typed expressions, and all its readings are canonical', () => {
    fc.assert(
      fc.property(text, (sample) => {
        const typed = expressionsOf(sample).filter((expression) => /^[a-z0-9_]+:/.test(expression));
        expect(typed.length).toBeLessThanOrEqual(maxTypedReadings);
        for (const { type, canonical } of detectAssets(sample)) expect(canonicalOf(canonical, type)).toBe(canonical);
      }),
    );
  });

  const starts = [
    ...'https://x.com/ https://facebook.com/ https://form.jotform.com/ https://soundcloud.com/'.split(' '),
    ...'https://a.medium.com/ tg://resolve?domain= pkg:npm/ mailto: ipfs:// tel: https://gateway.example/ipfs/'.split(' '),
    ...'https://etherscan.io/ https://nearblocks.io/address/ https://lu.ma/ https://www.quora.com/ intent://'.split(' '),
    ...'at:// flatpak+https://'.split(' '),
    '',
  ];
  const pieces = [
    'a',
    'a-',
    'a/',
    '0',
    '@',
    '.',
    '(',
    'form/',
    '%2',
    'b.eth.',
    'ipfs/Qm',
    '+',
    '&id=',
    '#',
    'send/',
    '#Intent;scheme=tg;',
  ];
  test.each(starts)('takes time in proportion to its length after %j', (start) => {
    for (const piece of pieces) {
      expectLinearTime(
        (sample) => {
          expressionsOf(sample);
          normalizeAsset(sample, { type: 'PYPI' });
          normalizeAsset(sample, { type: 'NPM' });
        },
        (size) => start + piece.repeat(size / piece.length),
      );
    }
  });
});
