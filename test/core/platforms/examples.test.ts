import { readFileSync } from 'node:fs';
import { ASSET_TYPES, type AssetType, detectAssets, expressionsOf, normalizeAsset } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { platformTables } from '../../../src/core/assets/platforms/all-platforms.js';

interface Row {
  type: AssetType;
  pattern: string;
  spellings: [spelling: string, canonical: string][];
  others: string[];
}

/** The examples of the service's asset type table (source: contract of the service), but those of links and addresses. */
const { rows } = JSON.parse(readFileSync('test/core/platforms/examples.json', 'utf8')) as { rows: Row[] };

test('has examples of every type, and every type of a platform has one row', () => {
  expect(rows.map(({ type }) => type)).toEqual(ASSET_TYPES.filter((type) => !['URL', 'PAGE', 'ADDRESS'].includes(type)));
  const inTables = platformTables.flat().map(([type]) => type);
  expect(inTables).toHaveLength(86);
  expect([...inTables, 'URL', 'PAGE', 'ADDRESS', 'EMAIL', 'PHONE_NUMBER', 'IPFS'].sort()).toEqual([...ASSET_TYPES].sort());
});

describe.each(rows.map((row) => [row.type, row] as const))('%s', (type, { pattern, spellings, others }) => {
  test.each(spellings)('reads %s as %s', (spelling, canonical) => {
    expect(normalizeAsset(spelling, { type })).toEqual({ type, canonical });
    expect(normalizeAsset(canonical, { type })).toEqual({ type, canonical });
    expect(expressionsOf({ type, canonical: spelling })).toEqual([`${type.toLowerCase()}:${canonical}`]);
    expect(canonical).toMatch(new RegExp(pattern));
  });

  test.each(others)('does not read %s', (text) => {
    expect(detectAssets(text).map((asset) => asset.type)).not.toContain(type);
  });
});
