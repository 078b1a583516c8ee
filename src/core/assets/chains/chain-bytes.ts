import { sha256 } from '@noble/hashes/sha2.js';

/** The encodings and checksums that several chains share. Nothing here throws; what is malformed is `null`. */

/** Bytes in base58: a number, behind a first letter for every zero byte. Its time grows with the square of the length. */
export function fromBase58(word: string, alphabet: string = base58Alphabet): Uint8Array | null {
  const digits = digitsOf(word, alphabet);
  if (digits === null) return null;
  const bytes = new Uint8Array(digits.length);
  let start = bytes.length;
  for (let next = 0; next < digits.length; next++) {
    let carry = digits[next]!;
    let at = bytes.length - 1;
    for (; at >= start || carry > 0; at--) {
      carry += bytes[at]! * 58;
      bytes[at] = carry;
      carry >>= 8;
    }
    start = at + 1;
  }
  return bytes.subarray(start - zerosOf(digits));
}

export function toBase58(bytes: Uint8Array, alphabet: string = base58Alphabet): string {
  const digits = new Uint8Array(2 * bytes.length);
  let start = digits.length;
  for (let next = 0; next < bytes.length; next++) {
    let carry = bytes[next]!;
    let at = digits.length - 1;
    for (; at >= start || carry > 0; at--) {
      carry += digits[at]! << 8;
      digits[at] = carry % 58;
      carry = (carry / 58) | 0;
    }
    start = at + 1;
  }
  return wordOf(digits.subarray(start - zerosOf(bytes)), alphabet);
}

function zerosOf(digits: Uint8Array): number {
  let count = 0;
  while (digits[count] === 0) count++;
  return count;
}

const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** What stands before the four bytes of the double SHA-256 of it, in Bitcoin's base58check. */
export function fromBase58Check(word: string, alphabet?: string): Uint8Array | null {
  const bytes = fromBase58(word, alphabet);
  if (bytes === null || bytes.length < 5) return null;
  const payload = bytes.subarray(0, -4);
  return endsWith(bytes, doubleSha256(payload).subarray(0, 4)) ? payload : null;
}

export function toBase58Check(payload: Uint8Array, alphabet?: string): string {
  return toBase58(joined(payload, doubleSha256(payload).subarray(0, 4)), alphabet);
}

function doubleSha256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

export function endsWith(bytes: Uint8Array, tail: ArrayLike<number>): boolean {
  const start = bytes.length - tail.length;
  for (let at = 0; at < tail.length; at++) if (bytes[start + at] !== tail[at]) return false;
  return start >= 0;
}

export function joined(...parts: readonly ArrayLike<number>[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The digits of a word in an alphabet of at most 64 letters. */
export function digitsOf(word: string, alphabet: string): Uint8Array | null {
  const digits = new Uint8Array(word.length);
  for (let at = 0; at < word.length; at++) {
    const digit = alphabet.indexOf(word[at]!);
    if (digit < 0) return null;
    digits[at] = digit;
  }
  return digits;
}

export function wordOf(digits: Uint8Array, alphabet: string): string {
  let word = '';
  for (let at = 0; at < digits.length; at++) word += alphabet[digits[at]!]!;
  return word;
}

/**
 * Digits of `from` bits as digits of `to` bits, the first ones highest. To bytes: what is left over is less than a digit and zero,
 * so that one value has one spelling. From bytes: filled up with zeros.
 */
export function regroup(digits: Uint8Array, from: number, to: number): Uint8Array | null {
  const bits = digits.length * from;
  const grouped = new Uint8Array(to === 8 ? bits >> 3 : Math.ceil(bits / to));
  let carry = 0;
  let held = 0;
  let count = 0;
  for (let at = 0; at < digits.length; at++) {
    carry = ((carry << from) | digits[at]!) & 0xffff;
    for (held += from; held >= to; count++) {
      held -= to;
      grouped[count] = (carry >> held) & ((1 << to) - 1);
    }
  }
  const rest = carry & ((1 << held) - 1);
  if (to === 8) return held < from && rest === 0 ? grouped : null;
  if (held > 0) grouped[count] = rest << (to - held);
  return grouped;
}

/** RFC 4648, without padding: Stellar and Algorand. */
export const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** CRC-16/XMODEM, bit by bit: a table would weigh more than it saves. TON writes its high byte first, Stellar its low one. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (let at = 0; at < bytes.length; at++) {
    crc ^= bytes[at]! << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x11021 : 0);
  }
  return crc;
}
