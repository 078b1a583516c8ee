import { sha256 } from '../../hashing/prefix.js';
import { base58Alphabet, fromBase, toBase } from '../codecs/bases.js';

/** The checksums that several chains share. Nothing here throws: a word with a wrong checksum gives `null`. */

/** The payload of Bitcoin's base58check, which the first four bytes of its double SHA-256 follow. */
export function fromBase58Check(word: string, alphabet: string = base58Alphabet): Uint8Array | null {
  const bytes = fromBase(word, alphabet);
  if (bytes === null || bytes.length < 5) return null;
  const payload = bytes.subarray(0, -4);
  return endsWith(bytes, doubleSha256(payload).subarray(0, 4)) ? payload : null;
}

export function toBase58Check(payload: Uint8Array, alphabet: string = base58Alphabet): string {
  return toBase(joined(payload, doubleSha256(payload).subarray(0, 4)), alphabet);
}

export function doubleSha256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/** CRC-32 as in ISO 3309, bit by bit. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (let at = 0; at < bytes.length; at++) {
    crc ^= bytes[at]!;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
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

/** CRC-16/XMODEM, bit by bit: a table would take more bytes than the speed is worth. TON writes the high byte first, Stellar the low one. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (let at = 0; at < bytes.length; at++) {
    crc ^= bytes[at]! << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x11021 : 0);
  }
  return crc;
}
