import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { PortcullisError, refuse } from '../../core/errors.js';
import { type Kind, listOf, text } from '../../core/options/read-options.js';

/** The claim in a request's headers: one of the keys signed `prefix` and the body, with one of these signatures. */
export interface Claim {
  readonly keys: readonly Uint8Array[];
  /** Bytes that are signed before the body. */
  readonly prefix: Uint8Array;
  /** The candidate signatures, each `signatureBytes` long. */
  readonly signatures: readonly Uint8Array[];
  readonly id: string | null;
  readonly signedAtMs: number | null;
}

export const signatureBytes = 32;

/**
 * Whether one of the keys made one of the signatures. Compares every key with every signature to the last byte, so that the time it
 * takes reveals neither which pair matched nor how many bytes were right.
 */
export function holds({ keys, prefix, signatures }: Claim, body: Uint8Array): boolean {
  let held = 0;
  for (const key of keys) {
    const expected = hmac.create(sha256, key).update(prefix).update(body).digest();
    for (const signature of signatures) held |= sameBytes(expected, signature);
  }
  return held === 1;
}

/** Returns 1 or 0 without branching on the bytes. */
function sameBytes(expected: Uint8Array, signature: Uint8Array): number {
  let different = expected.length ^ signature.length;
  for (let at = 0; at < expected.length; at++) different |= expected[at]! ^ signature[at]!;
  return ((different - 1) >>> 31) & 1;
}

/** Rotation needs two. Each secret costs one HMAC of the body per request, even for requests that are not signed. */
const maxSecrets = 16;

const secret: Kind<string> = (value, path) => {
  const given = text()(value, path);
  if (given === '') refuse(`${path} must not be empty, because anyone could sign; set the webhook's secret`);
  if (given !== given.trim()) refuse(`${path} must not start or end with white space, such as a line break from a file; trim it`);
  return given;
};

/** One secret, or several. Errors name a secret by its position only. */
export const secrets: Kind<readonly string[]> = (value, path) =>
  Array.isArray(value) ? listOf(secret, maxSecrets, 1)(value, path) : [secret(value, path)];

/** The limit for signatures; a sender makes two during a rotation. */
const maxSignatures = 16;

export function requireFewSignatures(count: number): void {
  if (count > maxSignatures) throw new PortcullisError('LIMIT_EXCEEDED', `the request has more than ${maxSignatures} signatures`);
}
