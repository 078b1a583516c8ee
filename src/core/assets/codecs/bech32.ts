import { digitsOf, regroup, wordOf } from './bases.js';

export interface Bech32 {
  readonly prefix: string;
  /** The data in digits of five bits, without the checksum. */
  readonly digits: Uint8Array;
  /** Whether it has the checksum of BIP-350 (bech32m) rather than that of BIP-173. */
  readonly isModified: boolean;
}

/** Reads either checksum, all in one case, and any length: a caller whose format ends at 90 characters checks that itself. */
export function fromBech32(word: string): Bech32 | null {
  const lower = word.toLowerCase();
  const separator = lower.lastIndexOf('1');
  if (separator < 1 || (word !== lower && word !== word.toUpperCase())) return null;
  const digits = digitsOf(lower.slice(separator + 1), bech32Alphabet);
  if (digits === null || digits.length < checksumLength) return null;
  const prefix = lower.slice(0, separator);
  const sum = checksum(prefix, digits);
  return sum === 1 || sum === modified
    ? { prefix, digits: digits.subarray(0, -checksumLength), isModified: sum === modified }
    : null;
}

/** The same with the data as bytes; `null` if the digits are not bytes and zeros. */
export function fromBech32Bytes(word: string): (Bech32 & { readonly bytes: Uint8Array }) | null {
  const read = fromBech32(word);
  const bytes = read === null ? null : regroup(read.digits, 5, 8);
  return read === null || bytes === null ? null : { ...read, bytes };
}

/** Bytes with the checksum of BIP-350, after a version of five bits if there is one. */
export function toBech32m(prefix: string, bytes: Uint8Array, ...version: readonly number[]): string {
  return toBech32(prefix, Uint8Array.of(...version, ...regroup(bytes, 8, 5)!), true);
}

/** The word with the checksum of BIP-173, or of BIP-350 if `isModified`. */
export function toBech32(prefix: string, digits: Uint8Array, isModified = false): string {
  const all = new Uint8Array(digits.length + checksumLength);
  all.set(digits);
  const sum = checksum(prefix, all) ^ (isModified ? modified : 1);
  for (let at = 0; at < checksumLength; at++) all[digits.length + at] = (sum >> (25 - 5 * at)) & 31;
  return `${prefix}1${wordOf(all, bech32Alphabet)}`;
}

/** CashAddr has the same alphabet. */
export const bech32Alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

const checksumLength = 6;
const modified = 0x2bc830a3;

/** BIP-173: the high bits of the prefix, a zero, its low bits, the data. */
function checksum(prefix: string, digits: Uint8Array): number {
  let sum = 1;
  for (let at = 0; at < prefix.length; at++) sum = next(sum) ^ (prefix.charCodeAt(at) >> 5);
  sum = next(sum);
  for (let at = 0; at < prefix.length; at++) sum = next(sum) ^ (prefix.charCodeAt(at) & 31);
  for (let at = 0; at < digits.length; at++) sum = next(sum) ^ digits[at]!;
  return sum;
}

function next(sum: number): number {
  const top = sum >>> 25;
  let shifted = (sum & 0x1ffffff) << 5;
  for (let bit = 0; bit < 5; bit++) if ((top >> bit) & 1) shifted ^= generator[bit]!;
  return shifted;
}

const generator: readonly number[] = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
