import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import {
  cosignedMessage,
  logKeyType,
  type NoteKey,
  noteKeyOf,
  signatureLine,
  witnessKeyType,
  writeNoteKey,
} from '../../src/core/tlog/note.js';

/** Ed25519 of Node, which is not the implementation of the package's own verifier in every engine. */
export const verifyWithNode = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean =>
  verify(null, message, { key: Buffer.concat([spkiStart, publicKey]), format: 'der', type: 'spki' }, signature);

const spkiStart = Buffer.from('302a300506032b6570032100', 'hex');
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface NoteSigner {
  readonly key: NoteKey;
  readonly vkey: string;
  /** A line for this text. */
  sign(text: string): string;
}

/** @param seed One byte, 32 times. */
function keysOf(name: string, type: number, seed: number): { readonly key: NoteKey; readonly privateKey: KeyObject } {
  const der = Buffer.concat([pkcs8Start, Buffer.alloc(32, seed)]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(spkiStart.length);
  return { key: noteKeyOf(name, type, new Uint8Array(publicKey)), privateKey };
}

export function logSigner(name: string, seed: number): NoteSigner {
  const { key, privateKey } = keysOf(name, logKeyType, seed);
  return { key, vkey: writeNoteKey(key), sign: (text) => signatureLine(key, sign(null, Buffer.from(text), privateKey)) };
}

/** A witness that signs whatever it is given. */
export function witnessSigner(name: string, seed: number, secondsNow: () => number): NoteSigner {
  const { key, privateKey } = keysOf(name, witnessKeyType, seed);
  return {
    key,
    vkey: writeNoteKey(key),
    sign(text) {
      const seconds = secondsNow();
      return signatureLine(key, Buffer.concat([timeOf(seconds), sign(null, cosignedMessage(text, seconds), privateKey)]));
    },
  };
}

function timeOf(seconds: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(seconds));
  return bytes;
}
