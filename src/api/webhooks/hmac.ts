import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { PortcullisError } from '../../core/errors.js';

/** What a request's headers claim: one of the keys, over `prefix` and the body, makes one of the signatures. */
export interface Claim {
  readonly keys: readonly Uint8Array[];
  /** Signed in front of the body. */
  readonly prefix: Uint8Array;
  /** Each of `signatureBytes`. */
  readonly signatures: readonly Uint8Array[];
  readonly id: string | null;
  readonly signedAtMs: number | null;
}

export const signatureBytes = 32;

/**
 * One HMAC a key, however many signatures there are. Every pair is compared, and each to its end: how long it takes tells
 * neither which pair held nor how many bytes were right.
 */
export function holds({ keys, prefix, signatures }: Claim, body: Uint8Array): boolean {
  let held = 0;
  for (const key of keys) {
    const expected = hmac.create(sha256, key).update(prefix).update(body).digest();
    for (const signature of signatures) held |= sameBytes(expected, signature);
  }
  return held === 1;
}

/** 1 or 0, without a branch on what the bytes are. */
function sameBytes(expected: Uint8Array, signature: Uint8Array): number {
  let different = expected.length ^ signature.length;
  for (let at = 0; at < expected.length; at++) different |= expected[at]! ^ signature[at]!;
  return ((different - 1) >>> 31) & 1;
}

/** Secrets at a time: rotation needs two. Each costs an HMAC of the body for everyone who calls. */
const secretsMax = 16;

/** The secrets as a list that can be used; nothing of them in an error but their place. */
export function requireSecrets(secrets: string | readonly string[]): readonly string[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length === 0) throw new PortcullisError('INVALID_INPUT', 'secrets must hold at least one secret');
  if (list.length > secretsMax) throw new PortcullisError('INVALID_INPUT', `secrets holds more than ${secretsMax}`);
  return list.map((secret, at) => {
    const name = Array.isArray(secrets) ? `secrets[${at}]` : 'secrets';
    if (typeof secret !== 'string') throw new TypeError(`${name} must be a string, not ${typeof secret}`);
    if (secret === '') throw new PortcullisError('INVALID_INPUT', `${name} is empty, and with it everybody could sign`);
    if (secret !== secret.trim()) {
      throw new PortcullisError('INVALID_INPUT', `${name} has white space around it, as a line end read from a file: trim it`);
    }
    return secret;
  });
}

/** Signatures of one request that are looked at: during a rotation a sender makes two. */
const signaturesMax = 16;

export function requireFewSignatures(count: number): void {
  if (count > signaturesMax)
    throw new PortcullisError('LIMIT_EXCEEDED', `the request carries more than ${signaturesMax} signatures`);
}
