import { createBlocklist } from 'portcullis';
import * as light from 'portcullis/light';
import { type BuildOptions, type BuiltList, buildList, signList } from 'portcullis/publish';
import {
  ed25519,
  generateKeys,
  type KeyPair,
  type PublishedSourceOptions,
  publishedSource,
  type Signer,
  signerOf,
} from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { onTestFinished } from 'vitest';
import { payloadType, publicKeyOf, signedBytesOf, writeSignature } from '../../src/blocklist/signatures/envelope.js';
import type { Answer } from '../support/scripted-server.js';
import { dayMs } from './engine/harness.js';
import { type Engine, lightBlocklist } from './light/engines.js';
import { filesOf, hosting } from './sources/harness.js';

export const mondayMs = Date.UTC(2026, 0, 5);

export type Files = ReadonlyMap<string, Uint8Array>;

/** What a publisher made, and what an attacker who controls its host can make without the key. */
export interface Lists {
  readonly keys: KeyPair;
  readonly monday: Files;
  /** One host more than on Monday. */
  readonly tuesday: Files;
  /** The list of Tuesday, signed again on Thursday. */
  readonly thursday: Files;
  /** The next day's list, without a scam host and with a good one; not signed. */
  readonly forged: Files;
  /** Another list of this publisher, of the next day, signed with the same key. */
  readonly other: Files;
  /** The same list without an entry, of the next day, signed. */
  readonly empty: Files;
  /** The next day's list with a sequence that no later version reaches, signed by whoever had the key. */
  readonly future: Files;
  /** The forged list at this time, signed with the key that was stolen. */
  stolen(atMs: number): Promise<Files>;
  /** The list of Tuesday, signed by its publisher with more keys. */
  rotated(atMs: number, signers: readonly Signer[]): Promise<Files>;
  /** A list with names that only later releases write, everywhere in its document and in the envelope. */
  later(list: BuiltList): Promise<Files>;
  readonly signer: Signer;
  /** The forged list, signed with the attacker's key. */
  readonly foreign: Files;
}

const isPublicSuffix = (): boolean => false;

export async function makeLists(): Promise<Lists> {
  const [keys, others] = await Promise.all([generateKeys(), generateKeys()]);
  const [own, foreign] = await Promise.all([signerOf(keys.privateKey), signerOf(others.privateKey)]);
  const build = (hosts: readonly string[], day: number, previous?: BuiltList, more: BuildOptions = {}): Promise<BuiltList> =>
    buildList([...hosts], {
      listName: 'hosts',
      isPublicSuffix,
      shards: 4096,
      maxSnapshotAgeMs: 7 * dayMs,
      // Most attacks are on the question about a hit.
      hotEntries: 0,
      now: () => mondayMs + day * dayMs,
      ...(previous && { previous }),
      ...more,
    });
  const sign = async (list: BuiltList, signer: typeof own, day: number): Promise<Files> =>
    filesOf(await signList(list, { signers: [signer], now: () => mondayMs + day * dayMs }));
  const monday = await build(['evil.example', 'old.example'], 0);
  const tuesday = await build(['evil.example', 'old.example', 'new.example'], 1, monday);
  const forged = await build(['old.example', 'good.example'], 2);
  return {
    keys,
    monday: await sign(monday, own, 0),
    tuesday: await sign(tuesday, own, 1),
    thursday: await sign(await build(['evil.example', 'old.example', 'new.example'], 3, tuesday), own, 3),
    forged: filesOf(forged),
    other: await sign(await build(['good.example'], 2, undefined, { listName: 'others' }), own, 2),
    empty: await sign(await build([], 2, tuesday, { allowEmpty: true, snapshot: 'new' }), own, 2),
    later: async (list) => filesOf(await signed(list, own, withLater(list.version))),
    signer: own,
    stolen: async (atMs) => filesOf(await signed(forged, own, { sequence: atMs, expiresAtMs: 8.64e15 })),
    rotated: async (atMs, signers) => filesOf(await signList(tuesday, { signers, now: () => atMs })),
    future: filesOf(await signed(forged, own, { sequence: 8.64e15, expiresAtMs: 8.64e15 })),
    foreign: await sign(forged, foreign, 2),
  };
}

/** Adds unknown names to each object. */
function withLater(version: object): object {
  const more = Object.entries(version).map(([name, value]) =>
    typeof value === 'object' ? [name, { ...value, later: { of: [1] } }] : [name, value],
  );
  return { ...Object.fromEntries(more), later: [{ log: 'https://log.example' }], expiresAtMs: mondayMs + 9 * dayMs };
}

/** Signs what the package would not sign. */
async function signed(list: BuiltList, signer: Signer, change: object): Promise<BuiltList> {
  const document = { ...list.version, ...change };
  const payload = Buffer.from(JSON.stringify(document));
  const { publicKey } = signer;
  const signature = await signer.sign(signedBytesOf(payload));
  const envelope = {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ ...writeSignature(publicKeyOf(publicKey), signature), later: true }],
    later: 'everything else',
  };
  const version = { ...document, signed: envelope };
  return { ...list, version, files: list.files.with(version) };
}

/** A static host on loopback, in the hands of an attacker, and clients of it. */
export async function attackedHost(lists: Lists, isSigned: boolean, engine: Engine = 'full') {
  const files = new Map(lists.tuesday);
  const clock = { nowMs: mondayMs + dayMs };
  const { origin, answers, requests } = await hosting(files);
  const store = memoryStore();

  function client(options: Partial<PublishedSourceOptions> = {}) {
    const signatures = isSigned ? { publicKeys: [lists.keys.publicKey], verifier: ed25519 } : {};
    const common = { store, pollMs: 0, now: () => clock.nowMs };
    const source = { url: origin, ...signatures, ...options };
    const blocklist =
      engine === 'full'
        ? createBlocklist({ sources: [publishedSource(source)], ...common })
        : lightBlocklist({ source: light.lightPublishedSource(source), ...common });
    onTestFinished(() => blocklist.close());
    return blocklist;
  }

  return {
    clock,
    store,
    requests,
    client,
    /** Replaces the folder. */
    serve(other: Files): void {
      answers.clear();
      files.clear();
      for (const [name, bytes] of other) files.set(name, bytes);
    },
    /** Replaces single files. */
    put(name: string, bytes: Uint8Array): void {
      files.set(name, bytes);
    },
    answer(name: string, answer: Answer): void {
      answers.set(name, answer);
    },
    files,
  };
}

/** The parsed version document of a folder. */
export function versionIn(files: Files): VersionJson {
  return JSON.parse(Buffer.from(files.get('version.json')!).toString()) as VersionJson;
}

interface VersionJson {
  sequence: number;
  snapshot: { url: string };
  recent: { url: string };
  confirm: { url: string };
  signed: { payloadType: string; payload: string; signatures: { keyid: string; sig: string }[] };
  [name: string]: unknown;
}

export const jsonBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
