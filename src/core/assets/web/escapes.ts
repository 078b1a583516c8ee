import { fromUnits, fromUtf8, hexValue, utf8, writeUtf8 } from '../../bytes.js';

/**
 * Percent-escapes. Reading decodes to the end: a scam must not hide behind `%2561`. Writing escapes what Safe Browsing escapes:
 * bytes up to 0x20 and from 0x7F on, `#` and `%`.
 */

/** UTF-8 of the text with every escape decoded, and what decoding brings to light decoded again. */
export function decodeToEnd(text: string): Uint8Array {
  const source = text.length * 3 <= scratch.length ? scratch : new Uint8Array(text.length * 3);
  return source.slice(0, decodeInPlace(source, writeUtf8(text, source)));
}

/** Most paths and queries fit; longer ones get their own room. Reused: nothing in between calls out. */
const scratch: Uint8Array = new Uint8Array(6 * 1024);

/**
 * The bytes form a stack: whenever its top three are an escape, they become the byte it stands for, which may complete another.
 * Each step takes two bytes away, so the time is linear however deep the escapes are nested; escapes cannot overlap, so the
 * order of decoding makes no difference (docs/algorithm.md §4.1).
 */
function decodeInPlace(bytes: Uint8Array, length: number): number {
  let top = 0;
  for (let at = 0; at < length; at++) {
    bytes[top++] = bytes[at]!;
    while (top >= 3 && bytes[top - 3] === percent) {
      const value = hexValue(bytes[top - 2]!) * 16 + hexValue(bytes[top - 1]!);
      if (hexValue(bytes[top - 2]!) < 0 || hexValue(bytes[top - 1]!) < 0) break;
      top -= 2;
      bytes[top - 1] = value;
    }
  }
  return top;
}

const percent = 0x25;

/** Every escape decoded once, as a browser reads a host; bytes, because what comes out need not be UTF-8. */
export function decodeOnce(text: string): Uint8Array {
  const bytes = utf8(text);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const high = bytes[at] === percent ? hexValue(bytes[at + 1] ?? 0) : -1;
    const low = high >= 0 ? hexValue(bytes[at + 2] ?? 0) : -1;
    if (low >= 0) at += 2;
    bytes[end++] = low >= 0 ? high * 16 + low : bytes[at]!;
  }
  return bytes.subarray(0, end);
}

/** The text with every escape decoded once, where that gives a text. */
export function decoded(text: string): string {
  return text.indexOf('%') < 0 ? text : (fromUtf8(decodeOnce(text)) ?? text);
}

/** The text with the bytes that must not stand plain escaped in upper-case hex; `alsoEscaped` names one more. */
export function escapeBytes(bytes: Uint8Array, alsoEscaped: number = percent): string {
  let escapes = 0;
  for (let at = 0; at < bytes.length; at++) if (mustEscape(bytes[at]!, alsoEscaped)) escapes++;
  if (escapes === 0) return fromUnits(bytes);
  const written = new Uint8Array(bytes.length + 2 * escapes);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (mustEscape(byte, alsoEscaped)) {
      written[end++] = percent;
      written[end++] = upperHex.charCodeAt(byte >> 4);
      written[end++] = upperHex.charCodeAt(byte & 15);
    } else written[end++] = byte;
  }
  return fromUnits(written);
}

function mustEscape(byte: number, alsoEscaped: number): boolean {
  return byte <= 0x20 || byte >= 0x7f || byte === 0x23 || byte === percent || byte === alsoEscaped;
}

const upperHex = '0123456789ABCDEF';
