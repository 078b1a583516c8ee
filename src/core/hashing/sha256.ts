import { utf8 } from '../bytes.js';
import { requireString } from '../errors.js';
import { hashedBytesPerSlice } from '../limits.js';
import { createDigest, sha256 } from './prefix.js';

/**
 * The full hash of an expression: SHA-256 of its UTF-8, 32 bytes.
 *
 * @example [...hashOf('evil.example')].slice(0, 4) // [0x9c, 0x18, 0x0d, 0xe0]
 */
export function hashOf(expression: string): Uint8Array<ArrayBuffer> {
  requireString(expression, 'expression');
  return sha256(utf8(expression));
}

export { createDigest };

/** SHA-256 in slices, because the bytes may be a whole list. */
export function* digestOf(bytes: Uint8Array): Generator<void, Uint8Array, void> {
  const digest = createDigest();
  for (let at = 0; at < bytes.length; at += hashedBytesPerSlice) {
    digest.update(bytes.subarray(at, at + hashedBytesPerSlice));
    yield;
  }
  return digest.digest();
}
