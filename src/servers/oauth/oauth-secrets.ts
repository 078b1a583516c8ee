import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as signedHash } from '@noble/hashes/sha2.js';
import { toBase64 } from '../../core/base64.js';
import { utf8 } from '../../core/bytes.js';
import { sha256 } from '../../core/hashing/sha256.js';

/** A random text of 256 bits that a URL can contain. */
export function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** What is kept of a secret, so that no comparison of texts takes longer the more of it is right. */
export function digest(secret: string): string {
  return base64Url(sha256(utf8(secret)));
}

/** A MAC of the text under the key. */
export const signatureOf = (key: string, text: string): string => base64Url(hmac(signedHash, utf8(key), utf8(text)));

/** Compares digests, so that the comparison takes no longer the more of it is right. */
export const isSignature = (given: string, key: string, text: string): boolean =>
  digest(given) === digest(signatureOf(key, text));

const base64Url = (bytes: Uint8Array): string => toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Whether the verifier is the one that the challenge was made of (PKCE, S256). */
export const provesChallenge = (verifier: string, challenge: string): boolean =>
  /^[\w.~-]{43,128}$/.test(verifier) && digest(verifier) === challenge;
