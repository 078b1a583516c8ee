import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import { chains } from '../../../src/core/assets/chains/chains.js';
import { evm } from '../../../src/core/assets/evm.js';

interface Row {
  readonly chain: string;
  readonly hint?: string;
  /** The expected reading of all inputs; without it, each input must be refused. */
  readonly canonical?: string;
  readonly reason?: string;
  /** The public document or library that the row comes from. */
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

test('the file has 168 rows, 66 of them refusals', () => {
  expect(rows).toHaveLength(168);
  expect(rows.filter(({ canonical }) => canonical === undefined)).toHaveLength(66);
  expect(new Set(rows.map(({ chain }) => chain)).size).toBe(29);
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

/** Addresses published with their formats, in addition to the vectors above. */
test.each<[address: string, canonical?: string]>([
  // From BIP-13, and from the chain parameters of Litecoin and Dogecoin.
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
  // Monero's donation address, and an integrated one of another implementation's vectors.
  ['44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A'],
  [
    '4LHC8iDMqMkRCAUEjw3NZ6ZLqDvU7HoszJgwNyGiSQmYd56Ni2WDUN4fPt1cW8FjCV6i4M6hHk3zGBgnnwCFTDjaNJcMGquVYnCRMCw8yh',
    '4AaX7uPsE6ERCAUEjw3NZ6ZLqDvU7HoszJgwNyGiSQmYd56Ni2WDUN4fPt1cW8FjCV6i4M6hHk3zGBgnnwCFTDjaFQmT22T',
  ],
  // ZIP-316: the first vector, and one with an unknown receiver.
  [
    'u1l8xunezsvhq8fgzfl7404m450nwnd76zshscn6nfys7vyz2ywyh4cc5daaq0c7q2su5lqfh23sp7fkf3kt27ve5948mzpfdvckzaect2jtte308mkwlycj2u0eac077wu70vqcetkxf',
  ],
  [
    'u1en8ysypun4gdkdnu8zqqg6k73ankr9ffwfzg08wtzg9z939w0wupewemfrc8a630e8gc4uqucym0l4v44fszy3et4veyypt3jsyp0whfpfsn2lw30kj8nepe6wvvasf00wklh85u9v8glqndupmamk9z2ja9sanf70pp4yxvkt3dmyzxa0kkhv2c9pxmkghrxqk0590azvya3nzrtevj449nu3laskrhf7c7nj9cyw7ty38mccg4znrr876guu6pzndx7ngwzhmlsn8d89saf5araaacrhr9958xr6z23mj4qtzzn98whdpu8u7n8fhf5d2vypljda62q73du44sf0e0kxmq3gvgkta0qqgq9w6r403gc5jz2any02etmwlttkv84hgh95czhdf2jugk3u36ke0kchcthg240',
  ],
  ['t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd'],
  ['zs1z7rejlpsa98s2rrrfkwmaxu53e4ue0ulcrw0h4x5g8jl04tak0d3mm47vdtahatqrlkngh9slya'],
  // Kaspa's zero key, and an ECDSA key.
  ['kaspa:qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqkx9awp4e'],
  ['kaspa:qypyrhxkfd055qulcvu6zccq4qe63qajrzgf7t4u4uusveguw6zzc3grrceeuex'],
  // The ledger of the Internet Computer, and the key in its specification.
  ['ryjl3-tyaaa-aaaaa-aaaba-cai'],
  ['k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae'],
  // From the specifications of Filecoin and Stacks; the last one has a key of zeros.
  ['f1abjxfbp274xpdqcpuaykwkfb43omjotacm2p3za'],
  ['t24vg6ut43yw2h2jqydgbg2xq7x6f4kub3bg6as6i', 'f24vg6ut43yw2h2jqydgbg2xq7x6f4kub3bg6as6i'],
  ['SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7'],
  ['ST2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQYAC0RQ'],
  ['SP000000000000000000002Q6VF78'],
  // The genesis accounts of Nano and Dash, and an account of Mina.
  ['nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'],
  ['XpESxaUmonkq8RaLLp46Brx2K39ggQe226'],
  ['B62qkYa1o6Mj6uTTjDQCob7FYZspuhkm4RRQhgJg9j4koEBWiSrTQrS'],
  // From HIP-15, for the main, test and preview networks.
  ['0.0.123-vfmkw', '0.0.123'],
  ['0.0.123-esxsf', '0.0.123'],
  ['0.0.123-ogizo', '0.0.123'],
])('more published addresses: %s', (address, canonical = address) => {
  expect(normalizeAsset(address)).toEqual({ type: 'ADDRESS', canonical });
});
