import { crc32 } from 'node:zlib';
import { fil, iota, nano, xch } from '@ensdomains/address-encoder/coins';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base32nopad, base58xmr, base64urlnopad } from '@scure/base';
import { bech32, bech32m } from 'bech32';
import bs58check from 'bs58check';
import { c32address } from 'c32check';
import fc from 'fast-check';
import {
  base32Letters,
  base58Letters,
  bech32Letters,
  bytes,
  hex,
  inBech32,
  inBothCases,
  join,
  type Kind,
  one,
  slowCashChecksum,
} from './kind.js';

const lowerBase32 = base32Letters.toLowerCase();

const moneroAddress = (body: Uint8Array): string => base58xmr.encode(join(body, keccak_256(body).subarray(0, 4)));

const monero = (name: string, ...networks: readonly (readonly [kind: number, integrated?: number])[]): Kind => ({
  name: `Monero ${name}`,
  letters: base58Letters,
  account: fc.tuple(bytes(64), bytes(8), fc.constantFrom(...networks)).map(([keys, payment, [kind, integrated]]) => {
    const canonical = moneroAddress(join([kind], keys));
    return {
      canonical,
      spellings: integrated === undefined ? [canonical] : [canonical, moneroAddress(join([integrated], keys, payment))],
    };
  }),
});

const kaspa = (prefix: string, version: number, size: number): Kind => ({
  name: `${prefix} version ${version}`,
  letters: bech32Letters,
  account: bytes(size).map((key) => {
    const words = bech32.toWords(join([version], key));
    const bare = [...words, ...slowCashChecksum(prefix, words)].map((word) => bech32Letters[word]).join('');
    return { canonical: `${prefix}:${bare}`, spellings: [`${prefix}:${bare}`, bare, `${prefix}:${bare}`.toUpperCase()] };
  }),
});

const withCrc32 = (value: Uint8Array): Uint8Array => join(Buffer.from(crc32(value).toString(16).padStart(8, '0'), 'hex'), value);

const principal = (size: number): Kind => ({
  name: `a principal of ${size} bytes`,
  letters: lowerBase32,
  account: bytes(size).map((value) =>
    one(
      base32nopad
        .encode(withCrc32(value))
        .toLowerCase()
        .match(/.{1,5}/g)!
        .join('-'),
    ),
  ),
});

const filecoin = (protocol: number): Kind => ({
  name: `Filecoin f${protocol}`,
  letters: lowerBase32,
  account: bytes(20).map((payload) => {
    const canonical = fil.encode(join([protocol], payload));
    return { canonical, spellings: [canonical, `t${canonical.slice(1)}`] };
  }),
});

const stacks = (version: number): Kind => ({
  name: `Stacks version ${version}`,
  letters: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
  account: fc.tuple(bytes(20), fc.nat({ max: 19 })).map(([hash, zeros]) => {
    const canonical = c32address(version, hex(hash.fill(0, 0, Math.max(0, zeros - 10))));
    return { canonical, spellings: [canonical, canonical.toLowerCase()] };
  }),
});

/** Names and numbers that are accounts only with a hint. */
const hinted = (
  name: string,
  chain: string,
  account: fc.Arbitrary<readonly [canonical: string, ...spellings: string[]]>,
): Kind => ({
  name,
  account: account.map((spellings) => ({ canonical: spellings[0], spellings, chain })),
});

/** Less common kinds. */
export const otherKinds: readonly Kind[] = [
  inBech32('zs', bech32, 43),
  inBech32('ztestsapling', bech32, 43),
  ...[61, 106, 128].map((size) => inBech32('u', bech32m, size)),
  ...['utest', 'zu', 'tu'].map((prefix) => inBech32(prefix, bech32m, 38)),
  {
    name: 'Zcash Sprout',
    letters: base58Letters,
    account: bytes(64).map((keys) => one(bs58check.encode(join([0x16, 0x9a], keys)))),
  },
  { name: 'Chia', letters: bech32Letters, account: bytes(32).map((hash) => inBothCases(xch.encode(hash))) },
  { name: 'IOTA', letters: bech32Letters, account: bytes(32).map((hash) => inBothCases(iota.encode(hash))) },
  inBech32('smr', bech32, 33),
  monero('account', [18, 19]),
  monero('of any network', [42], [53, 54], [63], [24, 25], [36]),
  kaspa('kaspa', 0, 32),
  kaspa('kaspa', 1, 33),
  kaspa('kaspa', 8, 32),
  kaspa('kaspatest', 0, 32),
  principal(10),
  principal(29),
  {
    name: 'an account of the Internet Computer',
    letters: '0123456789abcdef',
    account: bytes(28).map((hash) => ({ ...inBothCases(hex(withCrc32(hash))), chain: 'icp' })),
  },
  filecoin(1),
  filecoin(2),
  hinted(
    'Filecoin f0',
    'fil',
    fc.nat().map((id) => [`f0${id}`] as const),
  ),
  ...[22, 20, 26, 21].map(stacks),
  hinted(
    'a contract of Stacks',
    'stacks',
    fc
      .tuple(bytes(20), fc.stringMatching(/^[a-zA-Z][\w-]{0,20}$/))
      .map(([hash, name]) => [`${c32address(22, hex(hash))}.${name}`] as const),
  ),
  {
    name: 'Nano',
    letters: '13456789abcdefghijkmnopqrstuwxyz',
    account: bytes(32).map((key) => {
      const canonical = nano.encode(key);
      return { canonical, spellings: [canonical, canonical.replace('nano', 'xrb')] };
    }),
  },
  {
    name: 'Mina',
    letters: base58Letters,
    account: fc
      .tuple(bytes(32), fc.nat({ max: 1 }))
      .map(([key, parity]) => one(bs58check.encode(join([0xcb, 1, 1], key, [parity])))),
  },
  ...['eos', 'wax', 'telos'].map((chain) =>
    hinted(
      `a name of ${chain}`,
      chain,
      fc.stringMatching(/^[a-z1-5]{1,5}(\.[a-z1-5]{1,5})?$/).map((name) => [`${chain}:${name}`, name] as const),
    ),
  ),
  hinted(
    'Arweave',
    'ar',
    bytes(32).map((hash) => [base64urlnopad.encode(hash)] as const),
  ),
  hinted(
    'Flow',
    'flow',
    bytes(8).map((id) => [`0x${hex(id)}`, hex(id), `0x${hex(id)}`.toUpperCase().replace('X', 'x')] as const),
  ),
];
