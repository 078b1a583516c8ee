import { fromUtf8 } from '../../core/bytes.js';
import { PortcullisError, refuse } from '../../core/errors.js';
import type { VerifySignature } from '../../core/tlog/note.js';
import { objectOf } from '../formats/spelling.js';
import { rawSigned, readVersion, type VersionDocument } from '../formats/version-document.js';
import { invalidSignature, keyIdOf, publicKeyOf, readEnvelope, signedBytesOf } from './envelope.js';

/** Verifies the signatures of lists. Handed to a source, so that an app that verifies none contains no code for it. */
export interface Verifier {
  /** What it was made of. Checks the signatures of a log as well. */
  readonly verify: VerifySignature;
  /** @throws TypeError, PortcullisError `INVALID_INPUT` */
  trust(publicKeys: readonly string[]): TrustedKeys;
}

/** The keys that a source trusts. */
export interface TrustedKeys {
  readonly ids: readonly string[];
  /**
   * The signed version document of an answer.
   *
   * @param outer What the answer says outside of the signature. Only the URLs are taken from it, because they are not part of what is
   * trusted: every file is compared with its signed SHA-256. Without it the version has no usable URLs.
   * @throws PortcullisError `SIGNATURE_MISSING`, `SIGNATURE_INVALID`, `SIGNATURE_UNTRUSTED`, `SIGNATURE_UNSUPPORTED`
   */
  open(answer: unknown, outer?: VersionDocument): Promise<SignedVersion>;
}

/** A version document whose signature was verified. */
export interface SignedVersion extends VersionDocument {
  readonly signedBy: string;
  /** The envelope that was verified. */
  readonly signed: unknown;
}

/** Keys that a source may trust: more than any rotation needs. */
const maxKeys = 16;

/**
 * Verifies with a function of your own, where the platform has no Ed25519.
 *
 * @example
 * import { verifyAsync } from '@noble/ed25519';
 * const verifier = verifierOf(verifyAsync);
 */
export function verifierOf(verify: VerifySignature): Verifier {
  if (typeof verify !== 'function') throw new TypeError('verify must be a function');
  return {
    verify,
    trust(publicKeys) {
      if (!Array.isArray(publicKeys)) throw new TypeError('publicKeys must be an array');
      if (publicKeys.length === 0 || publicKeys.length > maxKeys) refuse(`there must be 1 to ${maxKeys} public keys`);
      const keys = new Map(publicKeys.map(publicKeyOf).map((key) => [keyIdOf(key), key]));
      return {
        ids: [...keys.keys()],
        async open(answer, outer) {
          const { payload, signatures } = readEnvelope(answer);
          const known = [...signatures].filter(([id]) => keys.has(id));
          if (known.length === 0) {
            throw new PortcullisError('SIGNATURE_UNTRUSTED', 'no trusted key has signed the version document');
          }
          const message = signedBytesOf(payload);
          for (const [id, signature] of known) {
            if (await isValid(verify, signature, message, keys.get(id)!))
              return { ...versionIn(payload, outer), signedBy: id, signed: rawSigned(answer) };
          }
          throw invalidSignature('its signature does not match');
        },
      };
    },
  };
}

async function isValid(verify: VerifySignature, ...signed: Parameters<VerifySignature>): Promise<boolean> {
  try {
    // Nothing but `true`: a function that returns something else does not verify.
    return (await verify(...signed)) === true;
  } catch (cause) {
    if (cause instanceof PortcullisError) throw cause;
    throw invalidSignature('it could not be verified', cause);
  }
}

/** Relative URLs of the signed document are not used. */
const anyFolder = 'https://list.invalid';

function versionIn(payload: Uint8Array, outer: VersionDocument | undefined): VersionDocument {
  let json: unknown;
  try {
    json = JSON.parse(fromUtf8(payload) ?? '');
  } catch (cause) {
    throw invalidSignature('it is not JSON', cause);
  }
  const { differences: _, calibration: __, hot, ...read } = readVersion(json, anyFolder);
  const document = { ...read, ohttpKeys: objectOf(json)['ohttpKeys'] };
  const { snapshot, recent, confirm, sequence, expiresAtMs } = document;
  // Without one of them an attack would be possible that a signature is to prevent.
  if (snapshot.sha256 === undefined || recent.sha256 === undefined) throw invalidSignature('it names a file without sha256');
  if (sequence === undefined || expiresAtMs === undefined) throw invalidSignature('sequence or expiresAtMs is missing');
  if (outer === undefined) return { ...document, ...(hot !== undefined && { hot }) };
  const { differences } = outer;
  return {
    ...document,
    snapshot: { ...snapshot, url: outer.snapshot.url },
    recent: { ...recent, url: outer.recent.url },
    ...(confirm !== undefined && { confirm: { ...confirm, url: outer.confirm?.url ?? confirm.url } }),
    // Without a URL hits are confirmed.
    ...(hot !== undefined && outer.hot !== undefined && { hot: { ...hot, url: outer.hot.url } }),
    // Nothing but a URL, whose files only count if they lead to the snapshot that is named here.
    ...(differences !== undefined && { differences }),
  };
}
