import { crc32 } from 'node:zlib';
import { base32nopad, base58 } from '@scure/base';
import { bech32, bech32m } from 'bech32';
import bs58check from 'bs58check';
import { encodeCashAddress } from 'ecashaddrjs';
import fc from 'fast-check';
import { classicAddressToXAddress, encodeAccountID } from 'ripple-address-codec';
import {
  base32Letters,
  base58Letters,
  base64Letters,
  bech32Letters,
  bytes,
  hashed,
  hex,
  inBothCases,
  join,
  type Kind,
  one,
} from './kind.js';
import { otherKinds } from './other-kinds.js';
import { recentKinds } from './recent-kinds.js';

/** CRC-16/XMODEM by its definition: the remainder of a polynomial division over GF(2). */
export function slowCrc16(value: Uint8Array): number {
  let rest = BigInt(`0x${hex(value)}0000`);
  const divisor = 0x11021n;
  for (let degree = value.length * 8 + 15; degree >= 16; degree--) {
    if ((rest >> BigInt(degree)) & 1n) rest ^= divisor << BigInt(degree - 16);
  }
  return Number(rest);
}

const littleEndian = (value: number): number[] => [value & 255, value >> 8];
const bigEndian = (value: number): number[] => [value >> 8, value & 255];

const base58Check = (
  name: string,
  prefix: readonly number[],
  extra?: (canonical: string, hash: Uint8Array) => readonly string[],
): Kind => ({
  name,
  letters: base58Letters,
  account: bytes(20).map((hash) => {
    const canonical = bs58check.encode(join(prefix, hash));
    return { canonical, spellings: [canonical, ...(extra?.(canonical, hash) ?? [])] };
  }),
});

const segwit = (prefix: string, version: number, size: number): Kind => ({
  name: `${prefix} version ${version}`,
  letters: bech32Letters,
  account: bytes(size).map((program) => {
    const codec = version === 0 ? bech32 : bech32m;
    return inBothCases(codec.encode(prefix, [version, ...codec.toWords(program)]));
  }),
});

const shelley = (prefix: string, header: number, size: number): Kind => ({
  name: `${prefix} ${header.toString(16)}`,
  letters: bech32Letters,
  account: bytes(size).map((parts) => inBothCases(bech32.encode(prefix, bech32.toWords(join([header], parts)), 200))),
});

const cosmos = (prefix: string, size: number): Kind => ({
  name: `${prefix} of ${size} bytes`,
  letters: bech32Letters,
  account: bytes(size).map((account) => inBothCases(bech32.encode(prefix, bech32.toWords(account)))),
});

const ss58 = (network: readonly number[], account: Uint8Array): string => {
  const body = join(network, account);
  return base58.encode(join(body, hashed('blake2b512', join(Buffer.from('SS58PRE'), body)).subarray(0, 2)));
};

/** CBOR of an array with a tagged byte string and a number in its shortest form. */
export const byron = (payload: Uint8Array): string => {
  const sum = crc32(payload);
  const head = sum < 2 ** 16 ? [0x19] : [0x1a, sum >>> 24, (sum >>> 16) & 255];
  return base58.encode(join([0x82, 0xd8, 0x18, 0x58, payload.length], payload, head, [(sum >>> 8) & 255, sum & 255]));
};

const friendlyTon = (tag: number, workchain: number, account: Uint8Array): string => {
  const body = join([tag, workchain & 255], account);
  return Buffer.from(join(body, bigEndian(slowCrc16(body)))).toString('base64url');
};

const strkey = (kind: number, value: Uint8Array): string => {
  const body = join([kind << 3], value);
  return base32nopad.encode(join(body, littleEndian(slowCrc16(body))));
};

const cashAddress = (chain: string, prefixes: readonly string[], type: 'p2pkh' | 'p2sh', version: number): Kind => ({
  name: `${prefixes[0]} ${type}`,
  letters: bech32Letters,
  account: bytes(20).map((hash) => {
    const written = prefixes.map((prefix) => encodeCashAddress(prefix, type, hash));
    const bare = written.map((address) => address.replace(/.*:/, ''));
    const legacy = bs58check.encode(join([version], hash));
    const upper = [...written, ...bare].map((address) => address.toUpperCase());
    return { canonical: written[0]!, chain, spellings: [...written, ...bare, ...upper, legacy] };
  }),
});

const hexAccount = (chain: string): Kind => ({
  name: chain,
  account: fc.tuple(bytes(31), fc.nat({ max: 30 })).map(([value, zeros]) => {
    const digits = hex(value.fill(0, 0, zeros)).replace(/^0+/, '') || '0';
    const canonical = `0x${digits.padStart(64, '0')}`;
    return {
      canonical,
      chain,
      spellings: [canonical, `0x${digits}`, `0X${digits.toUpperCase()}`, `0x${digits.padStart(63, '0')}`],
    };
  }),
});

/** Every supported kind of address, encoded by libraries other than the tested ones. */
export const kinds: readonly Kind[] = [
  base58Check('Bitcoin key', [0x00]),
  base58Check('Bitcoin script', [0x05]),
  base58Check('Bitcoin test key', [0x6f]),
  base58Check('Bitcoin test script', [0xc4]),
  base58Check('Litecoin key', [0x30]),
  base58Check('Litecoin script', [0x32]),
  base58Check('Dogecoin key', [0x1e]),
  base58Check('Dogecoin script', [0x16]),
  base58Check('Dash key', [0x4c]),
  base58Check('Dash script', [0x10]),
  base58Check('Ravencoin key', [0x3c]),
  base58Check('Ravencoin script', [0x7a]),
  base58Check('Zcash key', [0x1c, 0xb8], (_, hash) => [bech32m.encode('tex', bech32m.toWords(hash))]),
  base58Check('Zcash test key', [0x1d, 0x25], (_, hash) => [bech32m.encode('textest', bech32m.toWords(hash)).toUpperCase()]),
  base58Check('Zcash script', [0x1c, 0xbd]),
  ...['bc', 'tb', 'bcrt', 'ltc', 'tltc', 'rltc'].flatMap((prefix) => [
    segwit(prefix, 0, 20),
    segwit(prefix, 0, 32),
    segwit(prefix, 1, 32),
  ]),
  segwit('bc', 16, 40),
  ...['dgb', 'grs', 'tgrs', 'vtc', 'btg', 'mona', 'sys', 'via', 'xpc', 'nc', 'hs', 'bcd', 'lcc', 'qc'].map((prefix) =>
    segwit(prefix, 0, 20),
  ),
  segwit('dgb', 1, 32),
  ...(['p2pkh', 'p2sh'] as const).flatMap((type, at) => [
    cashAddress('bch', ['bitcoincash', 'simpleledger'], type, at === 0 ? 0x00 : 0x05),
    cashAddress('xec', ['ecash', 'etoken'], type, at === 0 ? 0x00 : 0x05),
    cashAddress('bchtest', ['bchtest'], type, at === 0 ? 0x6f : 0xc4),
    cashAddress('ectest', ['ectest'], type, at === 0 ? 0x6f : 0xc4),
  ]),
  { name: 'Solana', account: bytes(32).map((key) => one(base58.encode(key))) },
  base58Check('Tron', [0x41], (_, hash) => [`41${hex(hash)}`, `0x41${hex(hash).toUpperCase()}`]),
  {
    name: 'TON',
    letters: base64Letters,
    checksumBits: 16,
    account: fc.tuple(bytes(32), fc.constantFrom(0, -1)).map(([account, workchain]) => {
      const canonical = `${workchain}:${hex(account)}`;
      const friendly = [0x11, 0x51, 0x91, 0xd1].map((tag) => friendlyTon(tag, workchain, account));
      const standard = friendly.map((spelling) => spelling.replace(/-/g, '+').replace(/_/g, '/'));
      const links = standard.map((spelling) => `ton://transfer/${spelling}?amount=1`);
      return { canonical, spellings: [...friendly, canonical, canonical.toUpperCase(), ...standard, ...links] };
    }),
  },
  ...['cosmos', 'osmo', 'inj', 'secret', 'c4e'].flatMap((prefix) => [cosmos(prefix, 20), cosmos(prefix, 32)]),
  {
    name: 'Polkadot',
    letters: base58Letters,
    checksumBits: 16,
    account: bytes(32).map((account) => {
      const networks = [[42], [0], [2], [63], [64, 0], [0x4e, 0xc1], [127, 255]];
      return { canonical: ss58([42], account), spellings: networks.map((network) => ss58(network, account)) };
    }),
  },
  {
    name: 'XRP',
    letters: 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz',
    account: fc.tuple(bytes(20), fc.nat({ max: 2 ** 32 - 1 })).map(([account, tag]) => {
      const canonical = encodeAccountID(account);
      const tagged = ([false, tag] as const).flatMap((value) =>
        [true, false].map((isTest) => classicAddressToXAddress(canonical, value, isTest)),
      );
      return { canonical, spellings: [canonical, ...tagged] };
    }),
  },
  shelley('addr', 0x01, 56),
  shelley('addr', 0x31, 56),
  shelley('addr_test', 0x20, 56),
  shelley('addr', 0x61, 28),
  shelley('addr_test', 0x70, 28),
  shelley('stake', 0xe1, 28),
  shelley('stake_test', 0xf0, 28),
  {
    name: 'Cardano with a pointer',
    letters: bech32Letters,
    account: bytes(28).map((key) =>
      inBothCases(bech32.encode('addr', bech32.toWords(join([0x41], key, [0x82, 0x03, 0x05, 0x07])), 200)),
    ),
  },
  {
    name: 'Byron',
    letters: base58Letters,
    account: bytes(28).map((root) => one(byron(join([0x83, 0x58, 0x1c], root, [0xa0, 0x00])))),
  },
  {
    name: 'Stellar',
    letters: base32Letters,
    checksumBits: 16,
    account: fc.tuple(bytes(32), bytes(8)).map(([key, id]) => {
      const canonical = strkey(6, key);
      return { canonical, spellings: [canonical, strkey(12, join(key, id))] };
    }),
  },
  {
    name: 'Stellar contract',
    letters: base32Letters,
    checksumBits: 16,
    account: bytes(32).map((value) => one(strkey(2, value))),
  },
  {
    name: 'Algorand',
    letters: base32Letters,
    account: bytes(32).map((key) => one(base32nopad.encode(join(key, hashed('sha512-256', key).subarray(28))))),
  },
  base58Check('Tezos tz1', [0x06, 0xa1, 0x9f]),
  base58Check('Tezos tz4', [0x06, 0xa1, 0xa6]),
  base58Check('Tezos contract', [0x02, 0x5a, 0x79], (canonical) => [`${canonical}%mint`]),
  base58Check('Tezos rollup', [0x06, 0x7c, 0x75]),
  hexAccount('aptos'),
  hexAccount('sui'),
  hexAccount('starknet'),
  {
    name: 'Hedera',
    account: fc.nat({ max: 2 ** 31 - 1 }).map((number) => {
      const canonical = `0.0.${number}`;
      return {
        canonical,
        chain: 'hedera',
        spellings: [canonical, `0.0.0${number}`, `0x${number.toString(16).padStart(40, '0')}`],
      };
    }),
  },
  {
    name: 'NEAR',
    account: fc
      .stringMatching(/^[a-z0-9]{1,12}([-_.][a-z0-9]{1,12}){0,3}$/)
      .map((name) => ({ ...one(`${name}.near`), chain: 'near' })),
  },
  ...otherKinds,
  ...recentKinds,
];
