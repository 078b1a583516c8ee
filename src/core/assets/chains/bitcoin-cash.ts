import { digitsOf, regroup, wordOf } from '../codecs/bases.js';
import { bech32Alphabet } from '../codecs/bech32.js';
import { cashChecksum, isCashAddress } from '../codecs/cash-checksum.js';
import { joined } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * CashAddr of Bitcoin Cash and eCash, and Kaspa's variant: a prefix that may be omitted but is part of the checksum, a byte for type and
 * size, then a hash or key. After any other prefix it is not read, because the wrong prefix makes the address invalid.
 */
export const readCashAddress: Reader = (word, { chain, scheme }) => {
  if (word.length < 42 || word.length > 112 || !firstLetters.test(word)) return null;
  const lower = word.toLowerCase();
  const digits = word === lower || word === word.toUpperCase() ? digitsOf(lower, bech32Alphabet) : null;
  if (digits === null) return null;
  const mayBeAny = scheme === '' || chain === 'bitcoin-cash' || chain === 'ecash';
  const possible = prefixes.includes(scheme) ? [scheme] : mayBeAny ? prefixes : [];
  const prefix = possible.find((name) => isCashAddress(name, digits));
  const bytes = prefix === undefined ? null : regroup(digits.subarray(0, -8), 5, 8);
  if (prefix === undefined || bytes === null) return null;
  const kind = bytes[0]!;
  if (prefix.startsWith('kaspa')) return bytes.length === kaspaLengths[kind] ? `${prefix}:${lower}` : null;
  if (kind > maxKind || bytes.length !== 1 + sizes[kind & 7]!) return null;
  return encode(withoutTokens[prefix] ?? prefix, kind & ~tokenAware, bytes.subarray(1));
};

/** Converts an address from Bitcoin's form, which has the same version bytes, to CashAddr. */
export function toCashAddress(version: number, hash: Uint8Array, chain: 'bitcoin-cash' | 'ecash'): string | null {
  const at = [0x00, 0x05, 0x6f, 0xc4].indexOf(version);
  return at < 0 ? null : encode(prefixes[(at >> 1) + (chain === 'ecash' ? 3 : 0)]!, (at & 1) << 3, hash);
}

/** The first letters of the four types. */
const firstLetters = /^[qpzrQPZR]/;

const prefixes: readonly string[] = [
  'bitcoincash',
  'bchtest',
  'bchreg',
  'ecash',
  'ectest',
  'simpleledger',
  'etoken',
  'kaspa',
  'kaspatest',
];

/** Maps the prefix that wallets show for an account that holds tokens to the prefix of the account itself. */
const withoutTokens: Readonly<Record<string, string>> = { simpleledger: 'bitcoincash', etoken: 'ecash' };

/** Hash size in bytes, indexed by the lowest three bits. */
const sizes: readonly number[] = [20, 24, 28, 32, 40, 48, 56, 64];

/** Key and script hashes; each type also has a token-aware variant, which is another spelling of the same account. */
const maxKind = 0x1f;
const tokenAware = 0x10;

/** Payload length by kind, including the kind byte: a Schnorr key, an ECDSA key, a script. */
const kaspaLengths: Readonly<Record<number, number>> = { 0: 33, 1: 34, 8: 33 };

function encode(prefix: string, kind: number, hash: Uint8Array): string {
  const payload = regroup(joined([kind], hash), 8, 5)!;
  const [high, low] = cashChecksum(prefix, joined(payload, new Uint8Array(8)));
  const sum = Uint8Array.from({ length: 8 }, (_, at) => ((at < 4 ? high : low) >> (15 - (at & 3) * 5)) & 31);
  return `${prefix}:${wordOf(joined(payload, sum), bech32Alphabet)}`;
}
