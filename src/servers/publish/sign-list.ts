import { maxAheadMs } from '../../blocklist/rules/version-order.js';
import type { Signer } from '../../blocklist/signatures/ed25519.js';
import { payloadType, publicKeyOf, signedBytesOf, writeSignature } from '../../blocklist/signatures/envelope.js';
import { toBase64 } from '../../core/base64.js';
import { utf8 } from '../../core/bytes.js';
import { refuse } from '../../core/errors.js';
import { keyList } from '../../core/ohttp/key-list.js';
import {
  clock,
  type Filled,
  having,
  type KindsOf,
  listOf,
  number,
  optional,
  readOptions,
} from '../../core/options/read-options.js';
import type { BuiltList } from './build-list.js';

/** Options of `signList`. */
export interface SignOptions {
  /** One or more: during a rotation, the old key and the new one. */
  readonly signers: readonly Signer[];
  /**
   * How long clients may take the list for the newest, in milliseconds. Publish again before it ends, even if nothing has changed.
   * @default 3 days
   */
  readonly lifetimeMs?: number | undefined;
  /**
   * The keys of the gateway through which clients confirm hits unseen: the bytes of its `application/ohttp-keys`, or base64 of them. Publish new ones
   * before the gateway drops the old ones. @default those that this list was signed with before
   */
  readonly ohttpKeys?: Uint8Array | string | undefined;
  /** @default Date.now */
  readonly now?: (() => number) | undefined;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** More signatures than a client reads would be ignored. */
const maxSigners = 8;

export const signKinds = (): KindsOf<Filled<SignOptions, 'ohttpKeys'>> => ({
  signers: listOf(having<Signer>('what signerOf returns', 'sign'), maxSigners, 1),
  lifetimeMs: optional(number(minuteMs, 365 * dayMs), 3 * dayMs),
  ohttpKeys: optional(keyList),
  now: clock,
});

/**
 * Signs the version document of a list. The signature covers every file, because the document names each by its SHA-256, or the file that
 * does.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export async function signList(list: BuiltList, options: SignOptions): Promise<BuiltList> {
  const { signers, lifetimeMs, ohttpKeys, now } = readOptions('signList', signKinds(), options);
  const nowMs = Math.floor(now());
  const expiresAtMs = nowMs + lifetimeMs;
  // A signature that does not say which list it is of is one of any list at this address.
  if (list.version.listName === undefined)
    refuse('a list needs a name to be signed: pass listName to buildList, the same for each build');
  if (list.version.sequence > nowMs + maxAheadMs)
    refuse('the list was built by a clock that is more than 48 hours ahead, so that clients would refuse it; build it again');
  const { signed: _, ...rest } = list.version;
  // Signing again makes a newer version, unless the sequence is ahead of the clock; then only the expiry moves.
  const named = ohttpKeys === undefined ? {} : { ohttpKeys: toBase64(ohttpKeys as Uint8Array) };
  const document = { ...rest, ...named, sequence: Math.max(rest.sequence, nowMs), expiresAtMs };
  const payload = utf8(JSON.stringify(document));
  const message = signedBytesOf(payload);
  const signatures = [];
  for (const signer of signers) {
    signatures.push(writeSignature(publicKeyOf(signer.publicKey), await signer.sign(message)));
  }
  const version = { ...document, signed: { payloadType, payload: toBase64(payload), signatures } };
  return { ...list, version, files: list.files.with(version) };
}
