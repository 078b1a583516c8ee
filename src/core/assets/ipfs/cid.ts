import { base16, base32nopad, base36, base58, base64urlnopad } from '@scure/base';

/** What a content identifier names (multiformats CID). */
export interface Cid {
  /** A key of the naming system, whose content changes, and no content. */
  readonly isKey: boolean;
  /** The one spelling: version 1, in base32, or base36 for a key. */
  readonly canonical: string;
}

/**
 * Reads a content identifier of either version in any of its usual alphabets; `null` for what does not decode to its last byte.
 * `asKey`: it stands where the naming system is asked, and a bare hash is one of a key.
 */
export function readCid(text: string, asKey: boolean): Cid | null {
  if (text.length < minText || text.length > maxText) return null;
  const bytes = bytesOf(text);
  if (bytes === null) return null;
  // Version 0, and a key's old spelling, is a hash and nothing else.
  const hashAt = bytes[0] === 1 && !isHash(bytes, 0) ? (varint(bytes, 1)?.end ?? -1) : 0;
  if (hashAt < 0 || !isHash(bytes, hashAt)) return null;
  const codec = hashAt === 0 ? (asKey ? keyCodec : dagPb) : varint(bytes, 1)!.value;
  const isKey = asKey || codec === keyCodec;
  const hash = bytes.subarray(hashAt);
  const whole = Uint8Array.from([1, ...(hashAt === 0 ? [codec] : bytes.subarray(1, hashAt)), ...hash]);
  return { isKey, canonical: isKey ? `k${base36.encode(whole)}` : `b${base32nopad.encode(whole).toLowerCase()}` };
}

/** Shorter ones hold no hash worth listing, the longest known have 64 bytes of one in hex. */
const minText = 20;
const maxText = 256;

const dagPb = 0x70;
const keyCodec = 0x72;

/** By the letter in front that names the alphabet (multibase); a bare base58 text is a hash. */
function bytesOf(text: string): Uint8Array | null {
  const rest = text.slice(1);
  try {
    if (/^(?:Qm|12D3Koo|16Uiu2HA)/.test(text)) return base58.decode(text);
    switch (text[0]) {
      case 'b':
      case 'B':
        return base32nopad.decode(rest.toUpperCase());
      case 'k':
      case 'K':
        return base36.decode(rest.toLowerCase());
      case 'z':
        return base58.decode(rest);
      case 'f':
      case 'F':
        return base16.decode(rest.toUpperCase());
      case 'u':
        return base64urlnopad.decode(rest);
      default:
        return null;
    }
  } catch {
    return null;
  }
}

/** Whether from there to the end stands a hash: its function, its length, and as many bytes. */
function isHash(bytes: Uint8Array, at: number): boolean {
  const name = varint(bytes, at);
  const length = name && varint(bytes, name.end);
  return Boolean(length) && length!.value > 0 && length!.end + length!.value === bytes.length;
}

function varint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let at = start; at < bytes.length && at < start + 4; at++) {
    value += (bytes[at]! & 0x7f) * 2 ** (7 * (at - start));
    if (bytes[at]! < 0x80) return { value, end: at + 1 };
  }
  return null;
}
