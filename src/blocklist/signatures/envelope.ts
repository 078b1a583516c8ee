import { fromBase64, toBase64 } from '../../core/base64.js';
import { toHex, utf8 } from '../../core/bytes.js';
import { PortcullisError, refuse, requireString } from '../../core/errors.js';
import { sha256 } from '../../core/hashing/sha256.js';
import { objectOf } from '../formats/spelling.js';
import { rawSigned } from '../formats/version-document.js';

/**
 * A version document with its signatures, as DSSE 1.0 (https://github.com/secure-systems-lab/dsse) writes it. What is signed are the exact
 * bytes of `payload`, so that signer and verifier need not write JSON the same way.
 */
export interface Envelope {
  readonly payloadType: string;
  /** Base64. */
  readonly payload: string;
  readonly signatures: readonly EnvelopeSignature[];
}

/** One signature, in base64, and which key made it. */
export interface EnvelopeSignature {
  readonly keyid: string;
  readonly sig: string;
}

/** Names what is signed, so that a signature of something else cannot be used for it. */
export const payloadType = 'application/vnd.portcullis.version+json';

/** Signatures that are read: two keys during a rotation, and room for a threshold of later releases. */
const maxSignatures = 8;

const publicKeyBytes = 32;
const signatureBytes = 64;

/** The bytes that are signed: DSSE's pre-authentication encoding. */
export function signedBytesOf(payload: Uint8Array): Uint8Array {
  const head = utf8(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `);
  const bytes = new Uint8Array(head.length + payload.length);
  bytes.set(head);
  bytes.set(payload, head.length);
  return bytes;
}

/** The short name of a key: which of the trusted keys a signature belongs to. It proves nothing. */
export function keyIdOf(publicKey: Uint8Array): string {
  return toHex(sha256(publicKey)).slice(0, 16);
}

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function publicKeyOf(text: unknown): Uint8Array {
  requireString(text, 'a public key');
  const bytes = fromBase64(text.trim());
  if (bytes?.length !== publicKeyBytes) refuse('a public key must be the base64 of 32 bytes, as portcullis keygen prints it');
  return bytes;
}

export function writeSignature(publicKey: Uint8Array, signature: Uint8Array): EnvelopeSignature {
  if (signature.length !== signatureBytes) refuse(`a signer must return ${signatureBytes} bytes`);
  return { keyid: keyIdOf(publicKey), sig: toBase64(signature) };
}

/** The payload, and the signatures by their key. */
export interface OpenEnvelope {
  readonly payload: Uint8Array;
  readonly signatures: ReadonlyMap<string, Uint8Array>;
}

/**
 * Reads the envelope of a version answer. Verifies nothing.
 *
 * @throws PortcullisError `SIGNATURE_MISSING`, `SIGNATURE_INVALID`
 */
export function readEnvelope(answer: unknown): OpenEnvelope {
  const signed = rawSigned(answer);
  if (signed === undefined) throw new PortcullisError('SIGNATURE_MISSING', 'the version document is not signed');
  const { payloadType: type, payload: text, signatures: some } = objectOf(signed);
  const payload = typeof text === 'string' ? fromBase64(text) : null;
  if (type !== payloadType || payload === null || !Array.isArray(some)) throw invalidSignature('its envelope is malformed');
  const signatures = new Map<string, Uint8Array>();
  for (const one of some.slice(0, maxSignatures)) {
    const { keyid, sig } = objectOf(one);
    const signature = typeof sig === 'string' ? fromBase64(sig) : null;
    if (typeof keyid === 'string' && signature?.length === signatureBytes) signatures.set(keyid, signature);
  }
  return { payload, signatures };
}

export function invalidSignature(what: string, cause?: unknown): PortcullisError {
  return new PortcullisError('SIGNATURE_INVALID', `the signed version document is invalid: ${what}`, { cause });
}
