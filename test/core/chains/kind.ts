import { createHash } from 'node:crypto';
import type { bech32 } from 'bech32';
import fc from 'fast-check';

/** One account: a spelling to test, all of its known spellings, and the one that is listed. */
export interface Account {
  readonly canonical: string;
  readonly spellings: readonly string[];
  /** The hint that every spelling needs. */
  readonly chain?: string;
}

export interface Kind {
  readonly name: string;
  readonly account: fc.Arbitrary<Account>;
  /** The letters to mistype; a kind without them has no checksum. */
  readonly letters?: string;
  /** Letters in front that the checksum does not cover. */
  readonly labelLength?: number;
  /** The bits of a checksum that is short enough to miss some mistakes. */
  readonly checksumBits?: 16;
}

export const base58Letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
export const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
export const base64Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
export const bech32Letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

export const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
export const join = (...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));
export const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');
export const hashed = (algorithm: string, value: Uint8Array): Uint8Array => createHash(algorithm).update(value).digest();
export const one = (canonical: string): Account => ({ canonical, spellings: [canonical] });
export const inBothCases = (canonical: string): Account => ({ canonical, spellings: [canonical, canonical.toUpperCase()] });

const cashGenerators = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** The checksum of CashAddr as in its specification, with 40-bit numbers. */
export function slowCashChecksum(prefix: string, words: readonly number[]): readonly number[] {
  let sum = 1n;
  for (const value of [...Buffer.from(prefix).map((code) => code & 31), 0, ...words, ...new Array<number>(8).fill(0)]) {
    const top = sum >> 35n;
    sum = ((sum & 0x07ffffffffn) << 5n) ^ BigInt(value);
    cashGenerators.forEach((generator, bit) => {
      if ((top >> BigInt(bit)) & 1n) sum ^= generator;
    });
  }
  return Array.from({ length: 8 }, (_, at) => Number(((sum ^ 1n) >> BigInt(5 * (7 - at))) & 31n));
}

/** Accounts of this many bytes in bech32 or bech32m after a prefix. */
export const inBech32 = (prefix: string, codec: typeof bech32, size: number): Kind => ({
  name: `${prefix} of ${size} bytes`,
  letters: bech32Letters,
  account: bytes(size).map((value) => inBothCases(codec.encode(prefix, codec.toWords(value), 1023))),
});
