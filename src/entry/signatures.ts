/**
 * Signatures of lists: verify them in a source, and make them for a list of your own.
 *
 * @packageDocumentation
 */

export { ed25519, generateKeys, type KeyPair, type Signer, signerOf } from '../blocklist/signatures/ed25519.js';
export {
  type SignedVersion,
  type TrustedKeys,
  type Verifier,
  type VerifySignature,
  verifierOf,
} from '../blocklist/signatures/verifier.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
