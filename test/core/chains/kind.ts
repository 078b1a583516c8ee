import { createHash } from 'node:crypto';
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
