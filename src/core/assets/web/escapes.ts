import { fromUnits, fromUtf8, hexValue, writeUtf8 } from '../../bytes.js';

/**
 * Percent-escapes. Reading decodes repeatedly until none is left, so that no scam hides behind `%2561`. Writing escapes the bytes that
 * Safe Browsing escapes: up to 0x20 and from 0x7F on, `#` and `%`.
 */

/** UTF-8 of the text with every escape decoded, including those that decoding creates; each byte is a character. */
export function decodeToEnd(text: string): string {
  return fromUnits(bytesToEnd(text));
}

/** The same as text; `null` if the bytes are not UTF-8. */
export function textToEnd(text: string): string | null {
  return fromUtf8(bytesToEnd(text));
}

/** The bytes are valid until the next call. */
function bytesToEnd(text: string): Uint8Array {
  const source = roomFor(text);
  return source.subarray(0, decodeInPlace(source, writeUtf8(text, source)));
}

function roomFor(text: string): Uint8Array {
  return text.length * 3 <= scratch.length ? scratch : new Uint8Array(text.length * 3);
}

/** Room for most paths and queries. */
const scratch: Uint8Array = /* @__PURE__ */ new Uint8Array(6 * 1024);

/**
 * The bytes form a stack: an escape in its top three is replaced by the byte it encodes, which may complete another escape.
 * Each replacement removes two bytes, so the time is linear however deeply escapes are nested. Escapes cannot overlap, so the
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

/** Decodes every escape once, as a browser reads a host. `null` if the bytes are not UTF-8. */
export function decodedOnce(text: string): string | null {
  const bytes = roomFor(text);
  const length = writeUtf8(text, bytes);
  let end = 0;
  for (let at = 0; at < length; at++) {
    const high = bytes[at] === percent && at + 2 < length ? hexValue(bytes[at + 1]!) : -1;
    const low = high >= 0 ? hexValue(bytes[at + 2]!) : -1;
    if (low >= 0) at += 2;
    bytes[end++] = low >= 0 ? high * 16 + low : bytes[at]!;
  }
  return fromUtf8(bytes.subarray(0, end));
}

/** The text with every escape decoded once, or unchanged if that is not UTF-8. */
export function decoded(text: string): string {
  return text.indexOf('%') < 0 ? text : (decodedOnce(text) ?? text);
}

/** The bytes, given as characters, with escapes in upper-case hex where needed, and for those in `alsoEscaped`. */
export function escapeBytes(bytes: string, alsoEscaped = ''): string {
  let escapes = 0;
  for (let at = 0; at < bytes.length; at++) if (mustEscape(bytes.charCodeAt(at), alsoEscaped)) escapes++;
  if (escapes === 0) return bytes;
  const written = new Uint8Array(bytes.length + 2 * escapes);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at);
    if (mustEscape(byte, alsoEscaped)) {
      written[end++] = percent;
      written[end++] = upperHex.charCodeAt(byte >> 4);
      written[end++] = upperHex.charCodeAt(byte & 15);
    } else written[end++] = byte;
  }
  return fromUnits(written);
}

function mustEscape(byte: number, alsoEscaped: string): boolean {
  return (
    byte <= 0x20 ||
    byte >= 0x7f ||
    byte === 0x23 ||
    byte === percent ||
    (alsoEscaped !== '' && alsoEscaped.indexOf(String.fromCharCode(byte)) >= 0)
  );
}

const upperHex = '0123456789ABCDEF';
