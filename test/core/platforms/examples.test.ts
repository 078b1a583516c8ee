import { readFileSync } from 'node:fs';
import { ASSET_TYPES, type AssetType, detectAssets, expressionsOf, normalizeAsset } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { platformTables } from '../../../src/core/assets/all-families.js';

type Pair = readonly [string, string];

interface Examples {
  spellings: readonly (readonly [spelling: string, canonical: string])[];
  others: readonly string[];
  apart?: readonly Pair[];
}

interface Row extends Examples {
  type: AssetType;
  pattern: string;
  respelled?: readonly (readonly [spelling: string, canonical: string])[];
}

/**
 * The examples of the service's asset type table (source: contract of the service), except those of links and addresses, and
 * further examples.
 */
const { rows, explorers } = JSON.parse(readFileSync('test/core/platforms/examples.json', 'utf8')) as {
  rows: Row[];
  explorers: Required<Examples>;
};

const canonicalOf = (text: string, type: AssetType): string => {
  const asset = normalizeAsset(text, { type });
  return 'canonical' in asset ? asset.canonical : asset.refused;
};

test('has examples of every type, and every type of a platform has one row', () => {
  const exampleTypes = ASSET_TYPES.filter((type) => !['URL', 'PAGE', 'ADDRESS'].includes(type));
  expect(
    rows.map(({ type }) => type),
    'the rows of examples.json are in the order of asset-types.ts',
  ).toEqual(exampleTypes);
  const inTables: AssetType[] = platformTables
    .flatMap((table) => table.map(([type]) => type))
    .filter((type) => type !== 'ADDRESS');
  const read = [...inTables, 'URL', 'PAGE', 'ADDRESS', 'EMAIL', 'PHONE_NUMBER', 'IPFS'];
  expect(read.sort(), 'src/core/assets/platforms has one row for each type of asset-types.ts').toEqual([...ASSET_TYPES].sort());
  const ofPlatforms = rows.filter(({ type }) => inTables.includes(type));
  const incomplete = ofPlatforms.filter(({ respelled, apart }) => !respelled?.length || !apart?.length);
  expect(
    incomplete.map(({ type }) => type),
    'add respelled and apart to these rows',
  ).toEqual([]);
});

describe.each(rows.map((row) => [row.type, row] as const))('%s', (type, { pattern, spellings, respelled, others, apart }) => {
  test.each([...spellings, ...(respelled ?? [])])('reads %s as %s', (spelling, canonical) => {
    expect(normalizeAsset(spelling, { type })).toEqual({ type, canonical });
    expect(normalizeAsset(canonical, { type })).toEqual({ type, canonical });
    expect(expressionsOf({ type, canonical: spelling })).toEqual([`${type.toLowerCase()}:${canonical}`]);
    expect(canonical).toMatch(new RegExp(pattern));
  });

  test.each(others)('does not read %s', (text) => {
    expect(detectAssets(text).map((asset) => asset.type)).not.toContain(type);
  });

  test.each(apart ?? [])('keeps %s apart from %s', (one, other) => {
    const [first, second] = [canonicalOf(one, type), canonicalOf(other, type)];
    for (const canonical of [first, second]) expect(canonical).toMatch(new RegExp(pattern));
    expect(first).not.toBe(second);
  });
});

test('reads the address or the number in a link to a platform, if the caller names that type', () => {
  const address = '0x52908400098527886e0f7030069857d2e4169ee7';
  for (const link of [
    `https://debank.com/profile/${address}`,
    `https://opensea.io/token/base/${address}`,
    `opensea.io/${address}`,
  ]) {
    expect(normalizeAsset(link, { type: 'ADDRESS' })).toEqual({ type: 'ADDRESS', canonical: address });
  }
  expect(canonicalOf('https://wa.me/12025550142', 'PHONE_NUMBER')).toBe('+12025550142');
  expect(canonicalOf('https://t.me/+12025550142', 'PHONE_NUMBER')).toBe('+12025550142');
});

describe('a link to an explorer or a wallet', () => {
  test.each(explorers.spellings)('%s names the address %s', (link, canonical) => {
    const assets = detectAssets(link);
    expect(assets[0]).toEqual({ type: 'ADDRESS', canonical });
    expect(normalizeAsset(link, { type: 'ADDRESS' })).toEqual(assets[0]);
    expect(expressionsOf(link)[0]).toBe(`address:${canonical}`);
    // The page is read as before.
    if (link.startsWith('https:')) expect(assets.map(({ type }) => type)).toContain('URL');
  });

  test.each(explorers.others)('%s does not name an address', (link) => {
    expect(detectAssets(link).map(({ type }) => type)).not.toContain('ADDRESS');
  });

  test.each(explorers.apart)('keeps %s apart from %s', (one, other) => {
    expect(canonicalOf(one, 'ADDRESS')).not.toBe(canonicalOf(other, 'ADDRESS'));
  });
});
