import { readFileSync } from 'node:fs';
import * as registry from '@ensdomains/address-encoder/coins';
import { blake2b } from '@noble/hashes/blake2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { describe, expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import { chains } from '../../../src/core/assets/chains/chains.js';
import { evm } from '../../../src/core/assets/evm.js';
import { hashed, join } from './kind.js';

/** Every coin of a public registry is read, or docs/addresses.md says that it is not. */

const { normalizeAsset } = createAssets({ families: [chains, evm] });

interface Coin {
  encode(value: Uint8Array): string;
  decode(text: string): Uint8Array;
}

const coins: Readonly<Record<string, Coin>> = { ...(registry as unknown as Record<string, Coin>) };

const some = (length: number, first = 7): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 41 + first) & 255);
const hash = some(20);
const key = some(32, 9);
const output = join([0x76, 0xa9, 0x14], hash, [0x88, 0xac]);
const checked = (body: Uint8Array, sum: Uint8Array): Uint8Array => join(body, sum.subarray(0, 4));
const doubleSha256 = (body: Uint8Array): Uint8Array => hashed('sha256', hashed('sha256', body));
const versioned = (...version: readonly number[]): Uint8Array => join(version, hash);
const wavesLike = (...version: readonly number[]): Uint8Array =>
  checked(versioned(...version), keccak_256(blake2b(versioned(...version), { dkLen: 32 })));
const moneroLike = (...version: readonly number[]): Uint8Array => {
  const body = join(version, some(64));
  return checked(body, keccak_256(body));
};

/** What the coins of a row encode, as their decoders give it. */
const payloads: readonly (readonly [names: string, payload: Uint8Array])[] = [
  [
    'celoLegacy cloLegacy etcLegacy eth ewtLegacy ftmLegacy gnoLegacy goLegacy nrgLegacy poaLegacy rbtc tfuel thetaLegacy tomoLegacy ttLegacy vet wan',
    hash,
  ],
  [
    'aib bcd bch bps btc btg cca ccxx dash dgb divi doge firo flux kmd lcc lrg ltc mona ppc rdd rvn strat sys via wicc xvg zec',
    output,
  ],
  ['atom avax bnb bsv hns iotx iris kava luna one ont rune zil', hash],
  ['aion algo dot egld grin iota iost ksm nano sc sol strk sui vlx xch', key],
  ['icx xrp', versioned(0)],
  ['ark', versioned(23)],
  ['zen', versioned(0x20, 0x89)],
  ['btm', versioned(0, 20)],
  ['mrx', versioned(0x32)],
  ['neo', versioned(0x17)],
  ['nmc', versioned(0x34)],
  ['qtum', versioned(0x3a)],
  ['trx', versioned(0x41)],
  ['ela', checked(versioned(0x21), doubleSha256(versioned(0x21)))],
  ['xlm', key],
  ['fil', versioned(1)],
  ['xtz', versioned(1)],
  ['waves', wavesLike(1, 87)],
  ['vsys', wavesLike(5, 77)],
  ['xmr', moneroLike(18)],
  ['bcn', join([6], some(64))],
  ['ae', join([0x30, 0x78], key)],
  ['ckb', join([1, 0], hash)],
  ['nas', versioned(25, 87)],
  ['nuls', versioned(1, 0, 1)],
  ['xem', checked(versioned(0x68), keccak_256(versioned(0x68)))],
  ['xhv', moneroLike(0x5a, 0xf4, 0x01)],
  ['bdx', moneroLike(0xd1, 0x01)],
  ['etn', some(64)],
  ['abbc bts eos fio gxc hive steem', join([2], key)],
  ['hnt', join([1], key)],
  ['lsk', some(8)],
  ['vlxLegacy', some(25)],
  ['nim', hash],
  ['nostr', key],
  ['sero', some(96)],
  ['ardr', new Uint8Array(17)],
];

/** Coins whose encoders do not make what their users write, and forms that need a hint: an address, and the hint. */
const written: Readonly<Record<string, readonly [address: string, chain?: string]>> = {
  ada: ['addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x'],
  ar: ['-8E8vOZAvBTH5hF0TzYVdtjXHDbzPh_t7cvzFp3P9vM', 'ar'],
  dcr: ['DsUZxxoHJSty8DCfwfartwTYbuhmVct7tJu'],
  flow: ['0x1654653399040a61', 'flow'],
  hbar: ['0.0.255', 'hedera'],
  near: ['alice.near', 'near'],
  srm: ['So11111111111111111111111111111111111111112'],
  stx: ['SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7'],
};

const addresses = new Map<string, readonly [address: string, chain?: string]>([
  ...payloads.flatMap(([names, payload]) =>
    names.split(' ').map((name) => [name, [coins[name]!.encode(Uint8Array.from(payload))]] as const),
  ),
  ...Object.entries(written),
]);

/** The rows of the table in docs/addresses.md §6. */
const notRead = readFileSync('docs/addresses.md', 'utf8')
  .split('\n## 6. ')[1]!
  .split('\n')
  .flatMap((line) => {
    const [, chain, , example] = line.split('|').map((cell) => cell.trim());
    return example?.startsWith('`') ? [[chain!, example.replaceAll('`', '')] as const] : [];
  });
const notReadExamples = new Set(notRead.map(([, example]) => example));

test('the table has every coin of the registry', () => {
  expect(Object.keys(coins).length).toBe(121);
  expect([...addresses.keys()].sort()).toEqual(Object.keys(coins).sort());
});

describe.each([...addresses])('%s', (name, [address, chain]) => {
  test('has an address that the registry decodes', () => {
    expect(coins[name]!.decode(address).length, address).toBeGreaterThan(0);
  });

  test('is read, or docs/addresses.md says that it is not', () => {
    const read = normalizeAsset(address, chain === undefined ? { type: 'ADDRESS' } : { chain });
    if ('refused' in read) expect([...notReadExamples], address).toContain(address);
    else expect(notReadExamples).not.toContain(address);
  });
});

test('the list of what is not read has at least ten rows', () => {
  expect(notRead.length).toBeGreaterThan(10);
});

test.each(notRead)('%s is not read, as docs/addresses.md says: %s', (_, example) => {
  expect(normalizeAsset(example, { type: 'ADDRESS' })).toEqual({ refused: 'unknown' });
});
