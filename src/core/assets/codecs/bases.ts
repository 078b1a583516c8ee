/** The text encodings that addresses, content identifiers and keys share. Nothing here throws: malformed text gives `null`. */

export const base16Alphabet = '0123456789ABCDEF';

/** RFC 4648, without padding. */
export const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const base36Alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

export const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** RFC 4648 §5. */
export const base64UrlAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Bytes written as one number, such as base58: a first letter of the alphabet stands for each leading zero byte. The time grows
 * with the square of the length.
 */
export function fromBase(word: string, alphabet: string): Uint8Array | null {
  const digits = digitsOf(word, alphabet);
  if (digits === null) return null;
  const base = alphabet.length;
  const bytes = new Uint8Array(digits.length);
  let start = bytes.length;
  for (let next = 0; next < digits.length; ) {
    // Three digits at a time need a third of the passes, and every product still fits in 31 bits.
    let carry = 0;
    let scale = 1;
    do {
      carry = carry * base + digits[next++]!;
      scale *= base;
    } while (next % 3 > 0 && next < digits.length);
    let at = bytes.length - 1;
    for (; at >= start || carry > 0; at--) {
      carry += bytes[at]! * scale;
      bytes[at] = carry;
      carry >>= 8;
    }
    start = at + 1;
  }
  return bytes.subarray(start - zerosOf(digits));
}

/** The reverse, for an alphabet of 16 letters or more. */
export function toBase(bytes: Uint8Array, alphabet: string): string {
  const base = alphabet.length;
  const digits = new Uint8Array(2 * bytes.length);
  let start = digits.length;
  for (let next = 0; next < bytes.length; ) {
    let carry = 0;
    let scale = 1;
    do {
      carry = carry * 256 + bytes[next++]!;
      scale *= 256;
    } while (next % 2 > 0 && next < bytes.length);
    let at = digits.length - 1;
    for (; at >= start || carry > 0; at--) {
      carry += digits[at]! * scale;
      digits[at] = carry % base;
      carry = (carry / base) | 0;
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

/** Bytes written in digits of `bits` bits, such as base32 and base64 without padding. */
export function fromBits(word: string, alphabet: string, bits: number): Uint8Array | null {
  const digits = digitsOf(word, alphabet);
  return digits === null ? null : regroup(digits, bits, 8);
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
 * Digits of `from` bits as digits of `to` bits, most significant first. Grouped into bytes, the bits left over must be zero and
 * fewer than a digit, so that each value has one spelling; grouped from bytes, the last digit is padded with zeros.
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
