/** UTF-8 and hex without `TextEncoder`, `TextDecoder` or `Buffer`, which bare engines lack. */

/** UTF-8 of any string; a lone surrogate becomes U+FFFD, as in `TextEncoder`. */
export function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  return bytes.slice(0, writeUtf8(text, bytes));
}

/** Writes to the start of `bytes`, which must have three bytes of room per UTF-16 unit; returns the number of bytes written. */
export function writeUtf8(text: string, bytes: Uint8Array): number {
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    let point = text.charCodeAt(i);
    if (point < 0x80) {
      bytes[at++] = point;
      continue;
    }
    if (point < 0x800) bytes[at++] = 0xc0 | (point >> 6);
    else {
      if (point >= 0xd800 && point <= 0xdfff) {
        const next = text.charCodeAt(i + 1);
        // Past the end, `next` is NaN.
        const isPair = point < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
        point = isPair ? 0x10000 + ((point - 0xd800) << 10) + (next - 0xdc00) : 0xfffd;
        if (isPair) i++;
      }
      if (point < 0x10000) bytes[at++] = 0xe0 | (point >> 12);
      else {
        bytes[at++] = 0xf0 | (point >> 18);
        bytes[at++] = 0x80 | ((point >> 12) & 0x3f);
      }
      bytes[at++] = 0x80 | ((point >> 6) & 0x3f);
    }
    bytes[at++] = 0x80 | (point & 0x3f);
  }
  return at;
}

/** Decodes UTF-8; `null` if it is malformed, as overlong forms and surrogates are. */
export function fromUtf8(bytes: Uint8Array): string | null {
  if (isAscii(bytes)) return fromUnits(bytes);
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i++]!;
    if (lead < 0x80) {
      units[count++] = lead;
      continue;
    }
    const more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4) return null;
    let point = lead & (0x3f >> more);
    for (let k = 0; k < more; k++) {
      const next = bytes[i++];
      if (next === undefined || (next & 0xc0) !== 0x80) return null;
      point = (point << 6) | (next & 0x3f);
    }
    const least = more === 1 ? 0x80 : more === 2 ? 0x800 : 0x10000;
    if (point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return null;
    if (point < 0x10000) units[count++] = point;
    else {
      units[count++] = 0xd800 + ((point - 0x10000) >> 10);
      units[count++] = 0xdc00 + (point & 0x3ff);
    }
  }
  return fromUnits(units.subarray(0, count));
}

function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! > 0x7f) return false;
  return true;
}

/** The string of these UTF-16 units, or of bytes as characters; in blocks, because engines limit the arguments of one call. */
export function fromUnits(units: Uint8Array | Uint16Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += 4096) {
    text += String.fromCharCode.apply(null, units.subarray(at, at + 4096) as unknown as number[]);
  }
  return text;
}

const hexDigits = '0123456789abcdef';

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += hexDigits[bytes[i]! >> 4]! + hexDigits[bytes[i]! & 15]!;
  return text;
}

/** Four bytes as 8 hex digits. */
export function u32ToHex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** The value of a hex digit given by its character code, else -1. */
export function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Reads four bytes, big-endian, as an unsigned number. */
export function readU32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

export function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  return joined(
    parts,
    parts.reduce((sum, { length }) => sum + length, 0),
  );
}

/** Concatenates the chunks; a single one is returned without a copy. */
export function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
