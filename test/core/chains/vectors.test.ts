import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import { chains } from '../../../src/core/assets/chains/chains.js';
import { evm } from '../../../src/core/assets/evm.js';

interface Row {
  readonly chain: string;
  readonly hint?: string;
  /** What all inputs are; without one, each of them is to be refused. */
  readonly canonical?: string;
  readonly reason?: string;
  /** The public document or library the row comes from. */
  readonly source: string;
  readonly inputs: readonly string[];
}

/** Vectors that the chains' specifications and libraries publish; those of EVM are in docs/vectors/addresses-evm.json. */
const rows: readonly Row[] = JSON.parse(readFileSync('test/core/chains/addresses.json', 'utf8'));

const { normalizeAsset, expressionsOf } = createAssets({ families: [chains, evm] });

const inputsOf = (isValid: boolean): (readonly [input: string, row: Row])[] =>
  rows
    .filter(({ canonical }) => (canonical !== undefined) === isValid)
    .flatMap((row) => row.inputs.map((input) => [input, row] as const));

test('the file has 87 rows, 39 of them refusals', () => {
  expect(rows).toHaveLength(87);
  expect(rows.filter(({ canonical }) => canonical === undefined)).toHaveLength(39);
  expect(new Set(rows.map(({ chain }) => chain)).size).toBe(10);
});

describe('the public vectors', () => {
  test.each(inputsOf(true))('%s is read', (input, { canonical, hint }) => {
    expect(normalizeAsset(input, hint === undefined ? {} : { chain: hint })).toEqual({ type: 'ADDRESS', canonical });
  });

  test.each(inputsOf(false))('%s is not an address', (input, { hint }) => {
    expect(normalizeAsset(input, { type: 'ADDRESS', ...(hint === undefined ? {} : { chain: hint }) })).toHaveProperty('refused');
    if (hint === undefined) expect(normalizeAsset(input)).not.toHaveProperty('type', 'ADDRESS');
  });

  test.each(rows.flatMap(({ canonical }) => canonical ?? []))('%s is listed unchanged', (canonical) => {
    expect(expressionsOf({ type: 'ADDRESS', canonical })).toEqual([`address:${canonical}`]);
  });
});

/** Published where the format is, beside those above. */
describe('more published addresses', () => {
  test.each<[address: string, canonical?: string]>([
    // BIP-13, and the chain parameters of Litecoin and Dogecoin.
    ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG'],
    ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
    ['2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'],
    // The examples of Algorand's and Tezos' documentation.
    ['VCMJKWOY5P5P7SKMZFFOCEROPJCZOTIJMNIYNUCKH7LRO45JMJP6UYBIJA'],
    ['tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb'],
    ['KT1PWx2mnDueood7fEmfbBDKx1D9BAnnXitn'],
    // Wrapped SOL and the system program.
    ['So11111111111111111111111111111111111111112'],
    ['11111111111111111111111111111111'],
    ['cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh'],
    // HIP-15, for the main, the test and the preview network.
    ['0.0.123-vfmkw', '0.0.123'],
    ['0.0.123-esxsf', '0.0.123'],
    ['0.0.123-ogizo', '0.0.123'],
  ])('%s', (address, canonical = address) => {
    expect(normalizeAsset(address)).toEqual({ type: 'ADDRESS', canonical });
  });
});
