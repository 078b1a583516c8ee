import {
  base16Alphabet,
  base32Alphabet,
  base36Alphabet,
  base58Alphabet,
  base64UrlAlphabet,
  fromBase,
  fromBits,
  regroup,
  toBase,
  wordOf,
} from '../codecs/bases.js';

/** A content identifier (multiformats CID). */
export interface Cid {
  /** Whether it is a key of IPNS, whose content changes. */
  readonly isKey: boolean;
  /** The canonical spelling: version 1 in base32, or base36 for a key. */
  readonly canonical: string;
}

/**
 * Reads a content identifier of either version in any common alphabet; `null` if it does not decode to its last byte. `asKey`: it is the
 * name in an IPNS link, where a bare hash is the hash of a key.
 */
export function readCid(text: string, asKey: boolean): Cid | null {
  if (text.length < minText || text.length > maxText) return null;
  const bytes = decodedBytes(text);
  if (bytes === null) return null;
  // Version 0 and the old spelling of a key consist of a hash only.
  const hashAt = bytes[0] === 1 && !isHash(bytes, 0) ? (varint(bytes, 1)?.end ?? -1) : 0;
  if (hashAt < 0 || !isHash(bytes, hashAt)) return null;
  const codec = hashAt === 0 ? (asKey ? keyCodec : dagPb) : varint(bytes, 1)!.value;
  const isKey = asKey || codec === keyCodec;
  const hash = bytes.subarray(hashAt);
  const whole = Uint8Array.from([1, ...(hashAt === 0 ? [codec] : bytes.subarray(1, hashAt)), ...hash]);
  return {
    isKey,
    canonical: isKey ? `k${toBase(whole, base36Alphabet)}` : `b${wordOf(regroup(whole, 8, 5)!, base32Alphabet).toLowerCase()}`,
  };
}

/** Shorter identifiers hold no hash worth listing; the longest known ones hold a 64-byte hash in hex. */
const minText = 20;
const maxText = 256;

const dagPb = 0x70;
const keyCodec = 0x72;

/** Decodes by the first letter, which names the alphabet (multibase); a bare base58 text is a hash. */
function decodedBytes(text: string): Uint8Array | null {
  const rest = text.slice(1);
  if (/^(?:Qm|12D3Koo|16Uiu2HA)/.test(text)) return fromBase(text, base58Alphabet);
  switch (text[0]) {
    case 'b':
    case 'B':
      return fromBits(rest.toUpperCase(), base32Alphabet, 5);
    case 'k':
    case 'K':
      return fromBase(rest.toLowerCase(), base36Alphabet);
    case 'z':
      return fromBase(rest, base58Alphabet);
    case 'f':
    case 'F':
      return fromBits(rest.toUpperCase(), base16Alphabet, 4);
    case 'u':
      return fromBits(rest, base64UrlAlphabet, 6);
    default:
      return null;
  }
}

/** Whether a hash fills the rest: its function, its length, and that many bytes. */
function isHash(bytes: Uint8Array, at: number): boolean {
  const name = varint(bytes, at);
  const length = name && varint(bytes, name.end);
  return Boolean(length) && length!.value > 0 && length!.end + length!.value === bytes.length;
}

function varint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let at = start; at < bytes.length && at < start + 4; at++) {
    value += (bytes[at]! & 0x7f) * 2 ** (7 * (at - start));
    // Only the shortest spelling is valid.
    if (bytes[at] === 0 && at > start) return null;
    if (bytes[at]! < 0x80) return { value, end: at + 1 };
  }
  return null;
}
