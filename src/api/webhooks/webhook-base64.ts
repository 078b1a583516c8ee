/**
 * Decodes base64 (RFC 4648 §4); `null` if it is malformed. Strict, so that no two texts decode to the same bytes: padding is required,
 * white space is not allowed, unused bits must be zero. `atob` is more lenient, and bare engines have none.
 */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let word = 0;
  let count = 0;
  for (let at = 0; at < digits; at++) {
    const value = alphabet.indexOf(text[at]!);
    if (value < 0) return null;
    word = ((word << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[count++] = word >>> bits;
  }
  return (word & ((1 << bits) - 1)) === 0 ? bytes : null;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
