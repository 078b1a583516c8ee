import { sha256 } from '@noble/hashes/sha2.js';
import { utf8 } from '../bytes.js';
import { requireString } from '../errors.js';
import { hashedBytesPerSlice } from '../limits.js';

/**
 * The full hash of an expression: SHA-256 of its UTF-8, 32 bytes.
 *
 * @example [...hashOf('evil.example')].slice(0, 4) // [0x9c, 0x18, 0x0d, 0xe0]
 */
export function hashOf(expression: string): Uint8Array<ArrayBuffer> {
  requireString(expression, 'expression');
  return sha256(utf8(expression));
}

/** SHA-256 of a few bytes; `digestOf` is for many. */
export function sumOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return sha256(bytes);
}

/** SHA-256 of bytes that arrive in parts. */
export interface Digest {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

export function createDigest(): Digest {
  return sha256.create();
}

/** SHA-256 in slices, because the bytes may be a whole list. */
export function* digestOf(bytes: Uint8Array): Generator<void, Uint8Array, void> {
  const digest = createDigest();
  for (let at = 0; at < bytes.length; at += hashedBytesPerSlice) {
    digest.update(bytes.subarray(at, at + hashedBytesPerSlice));
    yield;
  }
  return digest.digest();
}
