import { generateKeys, signerOf } from '../../blocklist/signatures/ed25519.js';
import { publicKeyOf } from '../../blocklist/signatures/envelope.js';
import { fromBase64, toBase64 } from '../../core/base64.js';
import { refuse, requireString } from '../../core/errors.js';
import { isKeyName, logKeyType, noteKeyOf, writeNoteKey } from '../../core/tlog/note.js';

/** Signs the checkpoints of a log. The key may be anywhere: in a file, or in a device that does not give it away. */
export interface LogSigner {
  /** The public key, as clients and witnesses are told it. Its name is the origin of the log. */
  readonly vkey: string;
  /** The Ed25519 signature of the message, 64 bytes. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** A new pair of keys for a log. */
export interface LogKeyPair {
  /** For `transparencyLog` and witnesses. */
  readonly vkey: string;
  /** As golang.org/x/mod/sumdb/note writes it: for `logSignerOf`. Keep it secret. */
  readonly privateKey: string;
}

/** RFC 8410: what is before the 32 bytes of an Ed25519 key in PKCS #8. */
const pkcs8Head = 'MC4CAQAwBQYDK2VwBCIEIA==';
const seedBytes = 32;

/**
 * @param origin Names the log forever: an address of yours without scheme, such as `lists.example/scam`.
 * @throws TypeError, PortcullisError `INVALID_INPUT`, `SIGNATURE_UNSUPPORTED`
 */
export async function generateLogKey(origin: string): Promise<LogKeyPair> {
  requireString(origin, 'origin');
  if (!isKeyName(origin) || /:\/\//.test(origin))
    refuse('the origin of a log must be an address without scheme, spaces and plus signs, such as lists.example/scam');
  const { publicKey, privateKey } = await generateKeys();
  const der = fromBase64(privateKey.replace(/-----[^-]+-----|\s/g, ''))!;
  const key = noteKeyOf(origin, logKeyType, publicKeyOf(publicKey));
  return {
    vkey: writeNoteKey(key),
    privateKey: `PRIVATE+KEY+${origin}+${key.id}+${toBase64(Uint8Array.of(logKeyType, ...der.slice(-seedBytes)))}\n`,
  };
}

/**
 * A signer with the private key of a log, as `portcullis keygen --log` and golang.org/x/mod/sumdb/note write it.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`, `SIGNATURE_UNSUPPORTED`
 */
export async function logSignerOf(privateKey: string): Promise<LogSigner> {
  requireString(privateKey, 'privateKey');
  const [, name = '', id, encoded = ''] = /^PRIVATE\+KEY\+([^+]+)\+([\da-f]{8})\+([A-Za-z\d+/]{44})\s*$/.exec(privateKey) ?? [];
  const bytes = fromBase64(encoded);
  if (!isKeyName(name) || bytes?.length !== 1 + seedBytes || bytes[0] !== logKeyType)
    refuse('privateKey must be the Ed25519 key of a log, as portcullis keygen --log writes it');
  const der = toBase64(Uint8Array.of(...fromBase64(pkcs8Head)!, ...bytes.slice(1)));
  const pem = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`;
  const { publicKey, sign } = await signerOf(pem);
  const key = noteKeyOf(name, logKeyType, publicKeyOf(publicKey));
  // A damaged line would sign as a log that no client knows.
  if (key.id !== id) refuse('the private key of the log is damaged: its id is not that of its key');
  return { vkey: writeNoteKey(key), sign };
}
