import { ae, ckb, icx, vsys, waves } from '@ensdomains/address-encoder/coins';
import { blake2b } from '@noble/hashes/blake2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base64urlnopad } from '@scure/base';
import { bech32, bech32m } from 'bech32';
import bs58check from 'bs58check';
import fc from 'fast-check';
import {
  type Account,
  base58Letters,
  bech32Letters,
  bytes,
  hex,
  inBech32,
  join,
  type Kind,
  one,
  slowCashChecksum,
} from './kind.js';

const publicKey = fc.tuple(fc.constantFrom(2, 3), bytes(32)).map(([sign, x]) => join([sign], x));

const silentPayment = (prefix: string): Kind => ({
  name: `a silent payment to ${prefix}`,
  letters: bech32Letters,
  account: fc
    .tuple(publicKey, publicKey, fc.integer({ min: 1, max: 30 }), fc.uint8Array({ maxLength: 500 }))
    .map(([scan, spend, version, more]) => {
      const write = (number: number, extra: Uint8Array): string =>
        bech32m.encode(prefix, [number, ...bech32m.toWords(join(scan, spend, extra))], 1023);
      const canonical = write(0, new Uint8Array());
      const later = write(version, more);
      return { canonical, spellings: [canonical, canonical.toUpperCase(), later, later.toUpperCase()] };
    }),
});

/** The message of a Spark address, and of one with the fields of an invoice behind the key: a version and an id at least. */
const spark = (network: string): Kind => ({
  name: `Spark ${network}`,
  letters: bech32Letters,
  account: fc.tuple(publicKey, fc.uint8Array({ minLength: 20, maxLength: 90 })).map(([key, fields]) => {
    const plain = join([0x0a, 0x21], key);
    const invoice = join(plain, [0x12, fields.length], fields);
    const write = (name: string, value: Uint8Array): string => bech32m.encode(name + network, bech32m.toWords(value), 1023);
    const canonical = write('spark', plain);
    const others = [write('sp', plain), write('spark', invoice), write('sp', invoice)];
    return { canonical, spellings: [canonical, canonical.toUpperCase(), ...others] };
  }),
});

const blechGenerators = [0x7d52fba40bd886n, 0x5e8dbf1a03950cn, 0x1c3a3c74072a18n, 0x385d72fa0e5139n, 0x7093e5a608865bn];

/** Blech32 as Elements defines it, with numbers of 60 bits. */
export function blech32(prefix: string, version: number, data: Uint8Array): string {
  const words = [version, ...bech32.toWords(data)];
  const codes = [...Buffer.from(prefix)];
  let sum = 1n;
  for (const value of [
    ...codes.map((code) => code >> 5),
    0,
    ...codes.map((code) => code & 31),
    ...words,
    ...new Array<number>(12).fill(0),
  ]) {
    const top = sum >> 55n;
    sum = ((sum & 0x7fffffffffffffn) << 5n) ^ BigInt(value);
    blechGenerators.forEach((generator, bit) => {
      if ((top >> BigInt(bit)) & 1n) sum ^= generator;
    });
  }
  sum ^= version === 0 ? 1n : 0x455972a3350f7a1n;
  const check = Array.from({ length: 12 }, (_, at) => Number((sum >> BigInt(5 * (11 - at))) & 31n));
  return `${prefix}1${[...words, ...check].map((word) => bech32Letters[word]).join('')}`;
}

const liquidScript = (plain: string, blinded: string, version: number, size: number): Kind => ({
  name: `Liquid ${blinded} version ${version} of ${size} bytes`,
  letters: bech32Letters,
  account: fc.tuple(publicKey, bytes(size)).map(([key, program]) => {
    const codec = version === 0 ? bech32 : bech32m;
    const canonical = codec.encode(plain, [version, ...codec.toWords(program)]);
    const confidential = blech32(blinded, version, join(key, program));
    return { canonical, spellings: [confidential, confidential.toUpperCase(), canonical, canonical.toUpperCase()] };
  }),
});

const liquidBase58 = (blinded: number, version: number): Kind => ({
  name: `Liquid base58 ${blinded} ${version}`,
  letters: base58Letters,
  account: fc.tuple(publicKey, bytes(20)).map(([key, hash]) => {
    const canonical = bs58check.encode(join([version], hash));
    return { canonical, spellings: [bs58check.encode(join([blinded, version], key, hash)), canonical] };
  }),
});

const ckbCodes: Readonly<Record<string, readonly string[]>> = {
  ckb: [
    '9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8',
    '5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8',
    'd369597ff47f29fbc0d47d2e3775370d1250b85140c670e4718af712983a2354',
  ],
  ckt: [
    '9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8',
    '5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8',
    '3419a1c09eb2567f6552ee7a8ecffd64155cffe0f1796e6e61ec088d740c1356',
  ],
};

const fullCkb = (prefix: string, code: Uint8Array, type: number, args: Uint8Array): string =>
  bech32m.encode(prefix, bech32m.toWords(join([0], code, [type], args)), 1023);
const oldCkb = (prefix: string, value: Uint8Array): string => bech32.encode(prefix, bech32.toWords(value), 1023);

const shortCkb = (prefix: string, index: number): Kind => ({
  name: `${prefix}, code ${index}`,
  letters: bech32Letters,
  account: bytes(20).map((args) => {
    const code = Buffer.from(ckbCodes[prefix]![index]!, 'hex');
    const canonical = fullCkb(prefix, code, 1, args);
    const short = join([1, index], args);
    const old = [oldCkb(prefix, short), oldCkb(prefix, join([4], code, args))];
    if (prefix === 'ckb') old.push(ckb.encode(short));
    return { canonical, spellings: [canonical, canonical.toUpperCase(), ...old] };
  }),
});

const ckbOfAnyCode: Kind = {
  name: 'ckb of any code',
  letters: bech32Letters,
  // Around 13 bytes of arguments, a few addresses have only letters of base58 and the length of a pair of keys.
  account: fc
    .tuple(bytes(32), fc.oneof(fc.uint8Array({ maxLength: 11 }), fc.uint8Array({ minLength: 16, maxLength: 90 })))
    .map(([code, args]) => {
      const canonical = fullCkb('ckb', code, 0, args);
      return { canonical, spellings: [canonical, oldCkb('ckb', join([2], code, args))] };
    }),
};

const confluxLetters = 'abcdefghjkmnprstuvwxyz0123456789';

/** CIP-37 for any bytes and any network. */
export function confluxAddress(network: string, value: Uint8Array): string {
  const words = bech32.toWords(value);
  return `${network}:${[...words, ...slowCashChecksum(network, words)].map((word) => confluxLetters[word]).join('')}`;
}

const conflux = (network: string, first: number, type: string): Kind => ({
  name: `Conflux ${network} ${type}`,
  letters: confluxLetters,
  account: bytes(20).map((hash) => {
    hash[0] = (first << 4) | (hash[0]! & 15);
    const canonical = confluxAddress(network, join([0], hash));
    const payload = canonical.slice(network.length + 1);
    const typed = `${network}:type.${type}:${payload}`;
    const more = `${network}:type.${type}:opt.random:${payload}`;
    const spellings = [canonical, typed, more, canonical, typed].map((text, at) => (at > 2 ? text.toUpperCase() : text));
    return { canonical, spellings: [...spellings, `conflux:${network}:${typed}`] };
  }),
});

/** Accounts without a checksum, or of which only a part has one. */
const plain = (name: string, account: fc.Arbitrary<Account>): Kind => ({ name, account });

const hashInBase64 = bytes(32).map((hash) => base64urlnopad.encode(hash));
const kadenaName = fc.stringMatching(/^[a-z][\w-]{0,20}(\.[a-z][\w-]{0,20}){0,2}$/);

/** Kinds that were added after the others. */
export const recentKinds: readonly Kind[] = [
  silentPayment('sp'),
  silentPayment('tsp'),
  ...['', 't', 'rt', 's', 'l'].map(spark),
  inBech32('pay', bech32m, 35),
  inBech32('payt', bech32m, 35),
  ...(
    [
      ['ex', 'lq'],
      ['tex', 'tlq'],
      ['ert', 'el'],
    ] as const
  ).flatMap(([unblinded, blinded]) => [
    liquidScript(unblinded, blinded, 0, 20),
    liquidScript(unblinded, blinded, 0, 32),
    liquidScript(unblinded, blinded, 1, 32),
  ]),
  ...(
    [
      [12, 57],
      [12, 39],
      [23, 36],
      [23, 19],
      [4, 235],
      [4, 75],
    ] as const
  ).map(([blinded, version]) => liquidBase58(blinded, version)),
  ...['ckb', 'ckt'].flatMap((prefix) => [0, 1, 2].map((index) => shortCkb(prefix, index))),
  ckbOfAnyCode,
  conflux('cfx', 1, 'user'),
  conflux('cfx', 8, 'contract'),
  conflux('cfxtest', 0, 'builtin'),
  conflux('net10086', 1, 'user'),
  plain(
    'Kadena k:',
    bytes(32).map((key) => {
      const canonical = `k:${hex(key)}`;
      return {
        canonical,
        spellings: [canonical, canonical.toUpperCase(), `kadena:${canonical}`, `kadena:mainnet01:${canonical}`],
      };
    }),
  ),
  plain(
    'Kadena w:, u:, p: and c:',
    fc
      .tuple(hashInBase64, kadenaName, fc.constantFrom('w', 'u', 'p', 'c'))
      .map(([hash, name, kind]) =>
        kind === 'c' ? one(`c:${hash}`) : one(kind === 'u' ? `u:${name}:${hash}` : `${kind}:${hash}:${name}`),
      ),
  ),
  plain(
    'Kadena r: and m:, with a hint',
    fc
      .tuple(kadenaName, fc.boolean())
      .map(([name, isModule]) => ({ ...one(isModule ? `m:${name}:guard-1` : `r:${name}`), chain: 'kadena' })),
  ),
  {
    name: 'Waves',
    letters: base58Letters,
    account: fc.tuple(bytes(20), fc.constantFrom(...Buffer.from('WTS'))).map(([hash, network]) => {
      const body = join([1, network], hash);
      return one(waves.encode(join(body, keccak_256(blake2b(body, { dkLen: 32 })).subarray(0, 4))));
    }),
  },
  plain(
    'Casper',
    fc.tuple(bytes(32), fc.constantFrom(2, 3), fc.boolean()).map(([x, sign, isEd25519]) => {
      const key = isEd25519 ? x : join([sign], x);
      const name = Buffer.from(isEd25519 ? 'ed25519' : 'secp256k1');
      const canonical = `account-hash-${hex(blake2b(join(name, [0], key), { dkLen: 32 }))}`;
      const written = `0${isEd25519 ? 1 : 2}${hex(key)}`;
      return { canonical, spellings: [written, written.toUpperCase(), canonical, canonical.toUpperCase()] };
    }),
  ),
  {
    name: 'V.Systems',
    letters: base58Letters,
    account: bytes(20).map((hash) => {
      const body = join([5, 77], hash);
      return one(vsys.encode(join(body, keccak_256(blake2b(body, { dkLen: 32 })).subarray(0, 4))));
    }),
  },
  plain(
    'ICON',
    fc.tuple(bytes(20), fc.constantFrom(0, 1)).map(([hash, kind]) => {
      const canonical = icx.encode(join([kind], hash));
      return { canonical, spellings: [canonical, canonical.toUpperCase()] };
    }),
  ),
  {
    name: 'a payment code (BIP-47)',
    letters: base58Letters,
    account: fc
      .tuple(publicKey, bytes(32))
      .map(([key, chainCode]) => one(bs58check.encode(join([0x47, 1, 0], key, chainCode, new Uint8Array(13))))),
  },
  {
    name: 'Avalanche',
    letters: bech32Letters,
    account: bytes(20).map((hash) => {
      const canonical = bech32.encode('avax', bech32.toWords(hash));
      return { canonical, spellings: [canonical, ...['X-', 'P-', 'C-'].map((chain) => chain + canonical)] };
    }),
  },
  inBech32('oasis', bech32, 21),
  inBech32('aleo', bech32m, 32),
  inBech32('tnam', bech32m, 21),
  inBech32('znam', bech32m, 43),
  inBech32('penumbra', bech32m, 80),
  inBech32('penumbracompat1', bech32, 80),
  inBech32('tpenumbra', bech32, 32),
  ...['account_rdx', 'internal_vault_rdx', 'account_tdx_2_', 'resource_sim'].map((prefix) => inBech32(prefix, bech32m, 30)),
  {
    name: 'aeternity',
    letters: base58Letters,
    labelLength: 3,
    account: bytes(32).map((key) => {
      const canonical = ae.encode(join([0x30, 0x78], key));
      return { canonical, spellings: ['ak', 'ct', 'ok'].map((kind) => kind + canonical.slice(2)) };
    }),
  },
  ...['AU', 'AS'].map(
    (kind): Kind => ({
      name: `Massa ${kind}`,
      letters: base58Letters,
      labelLength: 2,
      account: bytes(32).map((hash) => one(kind + bs58check.encode(join([0], hash)))),
    }),
  ),
];
