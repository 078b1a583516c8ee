import { fromBase64, toBase64 } from '../base64.js';
import { readU32, toHex, utf8, writeU32 } from '../bytes.js';
import { isPortcullisError } from '../errors.js';
import { sha256 } from '../hashing/sha256.js';

/** Signed notes (c2sp.org/signed-note, tlog-cosignature): a text, an empty line, and a line for each signature. */

/**
 * Whether an Ed25519 signature is one of this message by this key. The `verify` of `@noble/ed25519` and of `ed25519` in `@noble/curves`
 * fits.
 */
export type VerifySignature = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean | Promise<boolean>;

/** Ed25519 over the text. */
export const logKeyType = 1;
/** Ed25519 over a time and the text: what a witness signs. ML-DSA (type 6) is not read, because browsers and Node 22 lack it. */
export const witnessKeyType = 4;

const publicKeyBytes = 32;
const signatureBytes = 64;
const timeBytes = 8;

/** Signatures that are read: the specification asks for 16; a public log with every witness of today has fewer than 64. */
export const maxSignatures = 64;

/** Characters of a signature in base64: one of ML-DSA-44 with its time has 3,248. */
const maxSignatureLength = 4_096;

/** A key that signs notes. */
export interface NoteKey {
  readonly name: string;
  /** 8 hex digits: which of the known keys a signature belongs to. It proves nothing. */
  readonly id: string;
  readonly type: number;
  readonly publicKey: Uint8Array;
}

export interface NoteSignature {
  readonly name: string;
  readonly id: string;
  /** What follows the id: of a witness 8 bytes of time and the signature. */
  readonly bytes: Uint8Array;
}

export interface Note {
  /** What is signed, as UTF-8. Ends in a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A name has no spaces and no plus signs; longer ones than 255 bytes fit no signature of type 6. */
export function isKeyName(text: string): boolean {
  return /^[^\s+\0-\x1f\x7f]{1,255}$/.test(text);
}

export function noteKeyOf(name: string, type: number, publicKey: Uint8Array): NoteKey {
  const start = utf8(`${name}\n`);
  const bytes = new Uint8Array(start.length + 1 + publicKey.length);
  bytes.set(start);
  bytes[start.length] = type;
  bytes.set(publicKey, start.length + 1);
  return { name, id: toHex(sha256(bytes)).slice(0, 8), type, publicKey };
}

/** A key as a "vkey": name, id and key, joined by plus signs; `null` if it is malformed or of another type. */
export function readNoteKey(text: string): NoteKey | null {
  const [, name = '', id = '', encoded = ''] = /^([^+]*)\+([\da-f]{8})\+([A-Za-z\d+/]{44})$/.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  const type = bytes?.[0];
  if (!isKeyName(name) || bytes?.length !== 1 + publicKeyBytes || (type !== logKeyType && type !== witnessKeyType)) return null;
  const key = noteKeyOf(name, type, bytes.slice(1));
  return key.id === id ? key : null;
}

export function writeNoteKey({ name, id, type, publicKey }: NoteKey): string {
  const bytes = new Uint8Array(1 + publicKey.length);
  bytes[0] = type;
  bytes.set(publicKey, 1);
  return `${name}+${id}+${toBase64(bytes)}`;
}

/** `null` if it is malformed. Verifies nothing. */
export function readNote(note: string): Note | null {
  const end = note.lastIndexOf('\n\n') + 1;
  const text = note.slice(0, end);
  if (end < 2 || /[\0-\x09\x0b-\x1f]/.test(text)) return null;
  const signatures = readSignatureLines(note.slice(end + 1));
  return signatures === null || signatures.length === 0 ? null : { text, signatures };
}

/** @param lines Each from `signatureLine`, or as a witness sent it. */
export function writeNote(text: string, lines: readonly string[]): string {
  return `${text}\n${lines.join('')}`;
}

/** Signature lines alone, as a witness answers. */
export function readSignatureLines(text: string): readonly NoteSignature[] | null {
  const lines = text.split('\n', maxSignatures + 2);
  if (lines.pop() !== '' || lines.length > maxSignatures) return null;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const [, name = '', encoded = ''] = /^\u2014 (\S+) ([A-Za-z\d+/=]+)$/.exec(line) ?? [];
    const bytes = encoded.length > maxSignatureLength ? null : fromBase64(encoded);
    if (!isKeyName(name) || bytes === null || bytes.length < 5) return null;
    signatures.push({ name, id: toHex(bytes.subarray(0, 4)), bytes: bytes.subarray(4) });
  }
  return signatures;
}

/** @param signature 64 bytes; of a witness after 8 bytes of time. */
export function signatureLine({ name, id }: Pick<NoteKey, 'name' | 'id'>, signature: Uint8Array): string {
  const bytes = new Uint8Array(4 + signature.length);
  writeU32(bytes, 0, Number.parseInt(id, 16));
  bytes.set(signature, 4);
  return `\u2014 ${name} ${toBase64(bytes)}\n`;
}

/** What a witness signs. */
export function cosignedMessage(text: string, seconds: number): Uint8Array {
  return utf8(`cosignature/v1\ntime ${seconds}\n${text}`);
}

/**
 * Which keys have signed, and when in epoch seconds: the newest time of a witness, 0 for another key. Signatures of unknown keys are skipped;
 * `null` if one of a known key does not verify, which spoils the note.
 */
export async function verifiedBy(
  { text, signatures }: Note,
  keys: readonly NoteKey[],
  verify: VerifySignature,
): Promise<ReadonlyMap<NoteKey, number> | null> {
  const signed = new Map<NoteKey, number>();
  for (const { name, id, bytes } of signatures) {
    const key = keys.find((one) => one.name === name && one.id === id);
    if (key === undefined) continue;
    const start = key.type === witnessKeyType ? timeBytes : 0;
    if (bytes.length !== start + signatureBytes) return null;
    const seconds = start === 0 ? 0 : readU32(bytes, 0) * 2 ** 32 + readU32(bytes, 4);
    if (!Number.isSafeInteger(seconds)) return null;
    const message = start === 0 ? utf8(text) : cosignedMessage(text, seconds);
    if (!(await isValid(verify, bytes.subarray(start), message, key.publicKey))) return null;
    signed.set(key, Math.max(seconds, signed.get(key) ?? 0));
  }
  return signed;
}

async function isValid(verify: VerifySignature, ...signed: Parameters<VerifySignature>): Promise<boolean> {
  try {
    // Nothing but `true`: a function that returns something else does not verify.
    return (await verify(...signed)) === true;
  } catch (error) {
    // A platform without Ed25519 proves nothing about the note. Some implementations throw for a malformed key.
    if (isPortcullisError(error)) throw error;
    return false;
  }
}
