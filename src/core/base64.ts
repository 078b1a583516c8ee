import { fromUnits, fromUtf8 } from './bytes.js';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const pad = 0x3d;

let codes: Uint8Array | undefined;
let values: Int8Array | undefined;

/** Base64 (RFC 4648 §4) without `btoa`, which bare engines lack. */
export function toBase64(bytes: Uint8Array): string {
  codes ??= Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const bits = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text[at++] = codes[bits >> 18]!;
    text[at++] = codes[(bits >> 12) & 63]!;
    text[at++] = i + 1 < bytes.length ? codes[(bits >> 6) & 63]! : pad;
    text[at++] = i + 2 < bytes.length ? codes[bits & 63]! : pad;
  }
  return fromUnits(text);
}

/**
 * The bytes, or `null` if the text is not base64. Accepts one text for any bytes: padded, without white space, unused bits zero.
 * `atob` accepts more, and bare engines lack it.
 */
export function fromBase64(text: string): Uint8Array | null {
  values ??= valuesByCode();
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const end = text.length - padding;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < end; i++) {
    const value = values[text.charCodeAt(i)] ?? -1;
    if (value < 0) return null;
    bits = ((bits << 6) | value) & 0xffffff;
    // The second letter of four completes the first byte, the third the second, the fourth the third.
    if (i % 4 !== 0) bytes[at++] = bits >> (6 - 2 * (i % 4));
  }
  const unusedBits = bits & ((1 << (2 * padding)) - 1);
  return unusedBits === 0 ? bytes : null;
}

/** The text in base64 with either alphabet and without its padding, as links have it; `null` if it is none. */
export function textFromBase64(digits: string): string | null {
  const standard = digits.replace(/-/g, '+').replace(/_/g, '/');
  const bytes = fromBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='));
  return bytes === null ? null : fromUtf8(bytes);
}

function valuesByCode(): Int8Array {
  const all = new Int8Array(128).fill(-1);
  for (let value = 0; value < letters.length; value++) all[letters.charCodeAt(value)] = value;
  return all;
}
