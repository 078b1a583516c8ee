import { hashedBytesPerSlice } from '../limits.js';
import { type Digest, kernel } from './prefix.js';

/**
 * The full hash of an expression: SHA-256 of its UTF-8, 32 bytes.
 *
 * @example [...hashOf('evil.example')].slice(0, 4) // [0x9c, 0x18, 0x0d, 0xe0]
 */
export function hashOf(expression: string): Uint8Array<ArrayBuffer> {
  return kernel.hashOf(expression);
}

export function createDigest(): Digest {
  return kernel.createDigest();
}

/** SHA-256 of a few bytes; `digestOf` is for many. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = createDigest();
  digest.update(bytes);
  return digest.digest();
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
