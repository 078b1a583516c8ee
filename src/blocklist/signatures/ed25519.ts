import { fromBase64, toBase64 } from '../../core/base64.js';
import { toHex } from '../../core/bytes.js';
import { PortcullisError, refuse, requireString } from '../../core/errors.js';
import { type Verifier, verifierOf } from './verifier.js';

/** The part of Web Crypto that is used; structural, because bare engines have no types for it. */
interface Subtle {
  importKey(format: string, key: Uint8Array, algorithm: object, extractable: boolean, usages: readonly string[]): Promise<object>;
  exportKey(format: 'jwk', key: object): Promise<{ readonly x?: string }>;
  exportKey(format: 'pkcs8', key: object): Promise<ArrayBuffer>;
  generateKey(algorithm: object, extractable: boolean, usages: readonly string[]): Promise<{ readonly privateKey: object }>;
  sign(algorithm: object, key: object, message: Uint8Array): Promise<ArrayBuffer>;
  verify(algorithm: object, key: object, signature: Uint8Array, message: Uint8Array): Promise<boolean>;
}

const algorithm = { name: 'Ed25519' };

/** Verifies Ed25519 signatures with the platform's Web Crypto: Node, Deno, Bun, workerd, Chrome 137, Firefox 129, Safari 17 and later. */
export const ed25519: Verifier = /* @__PURE__ */ verifierOf(async (signature, message, publicKey) => {
  const key = await supported((subtle) => subtle.importKey('raw', publicKey, algorithm, false, ['verify']));
  return subtleOf().verify(algorithm, key, signature, message);
});

/** Signs version documents. The key may be anywhere: in a file, or in a device that does not give it away. */
export interface Signer {
  /** Base64 of 32 bytes. */
  readonly publicKey: string;
  /** The Ed25519 signature of the message, 64 bytes. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** A new pair of keys. */
export interface KeyPair {
  /** Base64 of 32 bytes: for `publicKeys` of a source. */
  readonly publicKey: string;
  /** PKCS #8 in PEM, as other programs read and write it: for `signerOf`. Keep it secret. */
  readonly privateKey: string;
}

/** @throws PortcullisError `SIGNATURE_UNSUPPORTED` */
export async function generateKeys(): Promise<KeyPair> {
  const { privateKey } = await supported((subtle) => subtle.generateKey(algorithm, true, ['sign', 'verify']));
  const bytes = new Uint8Array(await subtleOf().exportKey('pkcs8', privateKey));
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? [];
  return { publicKey: await publicKeyIn(privateKey), privateKey: [pemHead, ...lines, pemEnd, ''].join('\n') };
}

const pemHead = '-----BEGIN PRIVATE KEY-----';
const pemEnd = '-----END PRIVATE KEY-----';

/**
 * A signer with the private key in this PEM text.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`, `SIGNATURE_UNSUPPORTED`
 */
export async function signerOf(privateKey: string): Promise<Signer> {
  requireString(privateKey, 'privateKey');
  const inner = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]{1,400})-----END PRIVATE KEY-----/.exec(privateKey)?.[1];
  const bytes = inner === undefined ? null : fromBase64(inner.replace(/\s+/g, ''));
  // RFC 8410: a key of another algorithm has another identifier.
  if (bytes === null || !toHex(bytes).includes(ed25519Identifier)) {
    refuse('privateKey must be an Ed25519 key in PEM, as portcullis keygen writes it');
  }
  const key = await supported((subtle) => subtle.importKey('pkcs8', bytes, algorithm, true, ['sign']));
  return {
    publicKey: await publicKeyIn(key),
    sign: async (message) => new Uint8Array(await subtleOf().sign(algorithm, key, message)),
  };
}

/** OBJECT IDENTIFIER 1.3.101.112. */
const ed25519Identifier = '06032b6570';

async function publicKeyIn(privateKey: object): Promise<string> {
  const { x = '' } = await subtleOf().exportKey('jwk', privateKey);
  return `${x.replace(/-/g, '+').replace(/_/g, '/')}=`;
}

function subtleOf(): Subtle {
  const { subtle } = (globalThis as { readonly crypto?: { readonly subtle?: Subtle } }).crypto ?? {};
  if (subtle === undefined) throw unsupported();
  return subtle;
}

/** Importing or making a key is where a platform without Ed25519 fails. */
async function supported<T>(work: (subtle: Subtle) => Promise<T>): Promise<T> {
  const subtle = subtleOf();
  try {
    return await work(subtle);
  } catch (cause) {
    throw unsupported(cause);
  }
}

function unsupported(cause?: unknown): PortcullisError {
  return new PortcullisError(
    'SIGNATURE_UNSUPPORTED',
    'this platform has no Ed25519; hand in another implementation with verifierOf',
    { cause },
  );
}
