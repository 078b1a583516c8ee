import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { canonicalizeUrl, detectAssets, expressionsOf, hashOf, normalizeAsset, prefixOf } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { tableVectorInputs } from '../../tools/table-vector-inputs.js';
import * as linksAndEvm from '../support/links-and-evm.js';
import * as oracle from '../support/oracle/portcullis-1.js';

const read = (name: string): unknown => JSON.parse(readFileSync(`docs/vectors/${name}.json`, 'utf8'));
const safeBrowsing = { algorithm: 'safe-browsing-4' };
const short = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}… (${text.length})` : text);

interface Vector {
  input: string;
  refused?: string;
  assets?: { type: string; canonical: string }[];
  canonicalUrl: string | null;
  expressions: string[];
  hashes: string[];
}

describe('docs/vectors/portcullis-1.json', () => {
  const { vectors } = read('portcullis-1') as { vectors: Vector[] };

  test('has the number of vectors it states', () => {
    expect(vectors.length).toBeGreaterThan(150);
    expect(vectors.filter(({ refused }) => refused !== undefined).length).toBeGreaterThan(30);
  });

  test.each(vectors.map((vector) => [short(vector.input), vector] as const))('%s', (_, vector) => {
    const { input, expressions, hashes, canonicalUrl, refused, assets } = vector;
    expect(expressionsOf(input)).toEqual(expressions);
    expect(canonicalizeUrl(input)).toBe(canonicalUrl);
    expect(detectAssets(input)).toEqual(assets ?? []);
    expect(normalizeAsset(input)).toEqual(refused === undefined ? assets?.[0] : { refused });
    expect(oracle.canonicalLink(input)).toBe(canonicalUrl);
    // The oracle implements links and EVM addresses; without the other types, the two agree.
    const some = linksAndEvm.normalizeAsset(input);
    expect(oracle.expressionsOfText(input)).toEqual(linksAndEvm.expressionsOf(input));
    expect(oracle.assetsOf(input)).toEqual(linksAndEvm.detectAssets(input));
    expect(oracle.reasonOf(input)).toBe('refused' in some ? some.refused : undefined);
    expect(expressions.map((expression) => Buffer.from(hashOf(expression)).toString('hex'))).toEqual(hashes);
    expect(expressions.map((expression) => createHash('sha256').update(expression).digest('hex'))).toEqual(hashes);
    expect(expressions.map(prefixOf)).toEqual(hashes.map((hash) => Number.parseInt(hash.slice(0, 8), 16)));
  });
});

describe.each(['redirectors', 'platforms', 'addresses'])('docs/vectors/%s.json', (name) => {
  const { vectors } = read(name) as { vectors: Pick<Vector, 'input' | 'canonicalUrl' | 'expressions'>[] };

  test('has the expressions of every text', () => {
    expect(vectors.length).toBeGreaterThan(80);
    const inputs = vectors.map(({ input }) => input);
    expect(inputs, 'run npm run docs:vectors').toEqual([...new Set(tableVectorInputs[name])]);
    const made = vectors.map(({ input }) => ({ input, canonicalUrl: canonicalizeUrl(input), expressions: expressionsOf(input) }));
    expect(made).toEqual(vectors);
  });
});

test('the link of every row of redirectors names the link inside', () => {
  const { vectors } = read('redirectors') as { vectors: Vector[] };
  const { rows } = JSON.parse(readFileSync('docs/tables/redirectors.json', 'utf8')) as { rows: unknown[] };
  expect(vectors.length).toBeGreaterThanOrEqual(rows.length);
  expect(vectors.filter(({ expressions: [first] }) => first !== 'inside.example/a?b=c' && first !== 'inside.eth')).toEqual([]);
});

describe('the public Safe Browsing vectors', () => {
  const urls = read('safe-browsing-urls') as { input: string; expected: string; input_hex?: string }[];
  const lists = read('safe-browsing-expressions') as { input: string; expressions: string[] }[];
  // No string can hold the byte 0x80 of the one row given in bytes (docs/algorithm.md §8); its escaped spelling is tested instead.
  const inText = urls.map(({ input, expected, input_hex }) => [input_hex === undefined ? input : 'http://%01%80.com/', expected]);

  test('are complete', () => {
    expect(urls).toHaveLength(36);
    expect(urls.filter(({ input_hex }) => input_hex !== undefined)).toHaveLength(1);
    expect(lists).toHaveLength(3);
  });

  test.each(inText)('%j becomes %j', (input, expected) => {
    expect(canonicalizeUrl(input ?? '', safeBrowsing)).toBe(expected);
  });

  test.each(lists)('$input has the listed expressions', ({ input, expressions }) => {
    expect(expressionsOf(input, safeBrowsing).sort()).toEqual([...expressions].sort());
  });
});

describe('the public EVM address vectors', () => {
  const rows = read('addresses-evm') as { inputs: string[]; canonical: string; valid: boolean }[];

  test.each(rows.flatMap(({ inputs, canonical }) => inputs.map((input) => [input, canonical] as const)))(
    '%s is %s',
    (input, canonical) => {
      expect(normalizeAsset(input)).toEqual({ type: 'ADDRESS', canonical });
      expect(expressionsOf(input)).toEqual([`address:${canonical}`]);
    },
  );

  test('are 9 accounts in 31 spellings', () => {
    expect(rows).toHaveLength(9);
    expect(rows.every(({ valid }) => valid)).toBe(true);
    expect(rows.flatMap(({ inputs }) => inputs)).toHaveLength(31);
  });
});
