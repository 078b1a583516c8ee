import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type BuildOptions, type BuiltList, buildList, signList } from 'portcullis/publish';
import { generateKeys, type Signer, signerOf, type Verifier, verifierOf } from 'portcullis/sources';
import { type Files, jsonBytes, mondayMs, versionIn } from './attack-host.js';
import { dayMs, hourMs } from './engine/harness.js';
import { filesOf } from './sources/harness.js';

/** Hosts that come and go. */
export const hosts = ['h0.example', 'h1.example', 'h2.example', 'h3.example', 'h4.example'] as const;
/** On no list of the publisher; an attacker lists it. */
export const good = 'good.example';

/** One published version, or an attacker's folder. */
export interface Folder {
  readonly files: Files;
  readonly listed: ReadonlySet<string>;
  readonly sequence: number;
  readonly expiresAtMs: number;
}

export interface History {
  readonly publicKey: string;
  readonly verifier: Verifier;
  /** What the publisher published and signed, from the oldest to the newest. */
  readonly versions: readonly Folder[];
  /** Lists of an attacker, newer than all others: not signed, and signed with a foreign key. */
  readonly forged: readonly Folder[];
  /** A list that somebody signed with the publisher's key for one device: as new as the forged ones. */
  readonly secret: Folder;
  /** All files of all folders. Their names are made from their content. */
  readonly pool: Files;
  /** What the publisher signs when the attack is over. */
  publishAgain(nowMs: number): Promise<Folder>;
}

/** Enough that a difference saves bytes. */
const others = Array.from({ length: 300 }, (_, at) => `other-${at}.example`);

type Build = readonly [hour: number, listed: string, shards: 1 | 16 | 256, snapshot: 'new' | 'auto', lifetimeMs: number];

const builds: readonly Build[] = [
  [0, '01', 16, 'new', 30 * dayMs],
  [6, '012', 16, 'auto', 6 * hourMs],
  // Removed, and listed again: neither changes the snapshot nor the recent entries.
  [7, '12', 16, 'auto', 30 * dayMs],
  [8, '012', 16, 'auto', 30 * dayMs],
  [24, '123', 256, 'new', 3 * dayMs],
  [30, '1234', 256, 'auto', 12 * hourMs],
  [48, '024', 1, 'new', 30 * dayMs],
  [49, '0234', 1, 'auto', 3 * dayMs],
];

/** When everything is published. */
export const startMs: number = mondayMs + 50 * hourMs;

export async function makeHistory(): Promise<History> {
  const [keys, others] = await Promise.all([generateKeys(), generateKeys()]);
  const [own, foreign] = await Promise.all([signerOf(keys.privateKey), signerOf(others.privateKey)]);
  const versions: Folder[] = [];
  let previous: BuiltList | undefined;
  const lists: BuiltList[] = [];
  for (const [hour, listed, shards, snapshot, lifetimeMs] of builds) {
    const nowMs = mondayMs + hour * hourMs;
    const names = [...listed].map((digit) => hosts[Number(digit)]!);
    previous = await build(names, nowMs, { shards, snapshot, ...(previous && { previous }) });
    lists.push(previous);
    versions.push(await signed(previous, names, own, nowMs, lifetimeMs));
  }
  const last = lists.at(-1)!;
  const forgedMs = startMs + 3 * hourMs;
  // Their differences lead from the snapshots of the publisher to lists of the same length as the next ones.
  const [bare, other] = await Promise.all(
    [lists[3], lists[5]].map((before) =>
      build([good, 'x.example', 'y.example'], forgedMs, { shards: 1, snapshot: 'new', previous: before! }),
    ),
  );
  const forged = [folderOf(bare!, [good]), await signed(other!, [good], foreign, forgedMs, 30 * dayMs)];
  const secret = await signed(other!, [good], own, forgedMs, 30 * dayMs);
  return {
    secret,
    publicKey: keys.publicKey,
    verifier: verifierOf(isSignature),
    versions,
    forged,
    pool: new Map([...versions, ...forged].flatMap(({ files }) => [...files])),
    publishAgain: (nowMs) => signed(last, [...versions.at(-1)!.listed], own, nowMs, 30 * dayMs),
  };
}

function build(listed: readonly string[], nowMs: number, options: BuildOptions): Promise<BuiltList> {
  return buildList([...listed, ...others], {
    listName: 'history',
    isPublicSuffix: () => false,
    maxSnapshotAgeMs: 30 * dayMs,
    now: () => nowMs,
    ...options,
  });
}

async function signed(
  list: BuiltList,
  listed: readonly string[],
  signer: Signer,
  nowMs: number,
  lifetimeMs: number,
): Promise<Folder> {
  return folderOf(await signList(list, { signers: [signer], lifetimeMs, now: () => nowMs }), listed);
}

function folderOf(list: BuiltList, listed: readonly string[]): Folder {
  const { sequence = 0, expiresAtMs = Number.POSITIVE_INFINITY } = list.version;
  return { files: filesOf(list), listed: new Set(listed), sequence, expiresAtMs };
}

const keyObjects = new Map<string, KeyObject>();

/** Synchronous, unlike Web Crypto, so that each run takes the same steps. */
function isSignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = keyObjects.get(x) ?? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  keyObjects.set(x, key);
  return verify(null, message, key, signature);
}

/** A kind of file. */
export type Part = 'version' | 'snapshot' | 'recent' | 'difference' | 'sums' | 'confirm' | 'version.proof' | 'log';
export const parts: readonly Part[] = ['version', 'version.proof', 'snapshot', 'recent', 'difference', 'sums', 'confirm', 'log'];

export function partOf(name: string): Part {
  return name === 'version.proof' ? name : parts.find((part) => name.startsWith(part))!;
}

/** The bytes of this kind in a folder that fit the name best. */
export function likeIn(folder: Folder, part: Part, name: string): Uint8Array | undefined {
  const { files } = folder;
  if (part === 'version' || part === 'version.proof') return files.get(name);
  const names = [...files.keys()].filter((other) => other.startsWith(part));
  const digits = /^confirm\/(\w+)/.exec(name)?.[1];
  const version = versionIn(files);
  const best = part === 'sums' ? version.confirm.url : names.find((other) => other.startsWith(`confirm/${digits}-`));
  return files.get(part === 'log' && files.has(name) ? name : (best ?? names[0] ?? ''));
}

/** A version document with something of another one. */
export function mixedDocument(own: Folder, other: Folder, mix: 'urls' | 'signatures' | 'difference'): Uint8Array {
  const [mine, theirs] = [versionIn(own.files), versionIn(other.files)];
  if (mix === 'urls') return jsonBytes({ ...theirs, signed: mine.signed });
  if (mix === 'difference') return jsonBytes({ ...mine, differences: theirs['differences'] });
  return jsonBytes({ ...mine, signed: { ...mine.signed, signatures: theirs.signed?.signatures } });
}
