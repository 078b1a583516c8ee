import { fromUtf8, toHex } from '../../core/bytes.js';
import { hasCode, PortcullisError, throwIfAborted } from '../../core/errors.js';
import { baseUrl, fetchableFrom } from '../../core/http/address.js';
import { bounded } from '../../core/http/bounded.js';
import type { FetchLike } from '../../core/http/fetch.js';
import { unusable } from '../../core/http/http-api.js';
import { boolean, type Filled, having, type Kind, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import { maxSumsBytes, requireSum, shardsPerSums, sumAt, sumsName } from '../formats/shard-sums.js';
import { decodeShard, hashBytes, hashesIn, maxShardBytes, shardHeaderBytes, shardName, shardOf } from '../formats/shards.js';
import {
  type HotRef,
  maxVersionBytes,
  type PublishedDocument,
  requirePublished,
  type VersionDocument,
} from '../formats/version-document.js';
import { WholeHashes } from '../formats/whole-hashes.js';
import { type Confirmation, type ConfirmCall, type ListVersion, type Source, sourceId } from '../model/source.js';
import { requireAnswering } from '../rules/which-list.js';
import type { SignedVersion } from '../signatures/verifier.js';
import type { LogState, ReadLog, TransparencyLog } from '../transparency/transparency-log.js';
import { snapshotFromDifferences } from './differences.js';
import { download, type IfChanged, tagCondition } from './download.js';
import { reopenWith } from './signed-parts.js';
import { type ArtifactParts, artifactOf, decodeAny, versionOf } from './source-artifact.js';
import {
  type ListOptions,
  type LogOptions,
  listKinds,
  type ObliviousOption,
  ohttpKinds,
  originOf,
  type Signal,
  type SignatureOptions,
  signatureKinds,
  type Transport,
  type TransportOptions,
  transportKinds,
  transportOf,
  trustOf,
} from './source-options.js';
import { createVerifiedFiles, type VerifiedFiles } from './verified-files.js';

export interface PublishedSourceOptions extends TransportOptions, SignatureOptions, ListOptions, LogOptions, ObliviousOption {
  /** The URL of the folder with the list's files, or of its `version.json`. */
  readonly url: string;
  /** Names the source in verdicts, events and stores. @default 'published' */
  readonly id?: string | undefined;
  /** Allow plain `http:` from another machine, which lets others on the network change the list. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

/** How long a version counts as the newest when a hit is confirmed. Polls usually renew it before. */
const versionMs = 300_000;

/** Longest wait for whole hashes, during which a first list does not answer yet: enough for 128 kB on a slow line. */
const hotTimeoutMs = 3_000;

/** Concurrent shard downloads: the browsers' own limit per host. */
const maxConcurrentShards = 6;

/**
 * A list made by `portcullis/publish`, on any static host: prefixes of 4 bytes, confirmed with one of up to 4,096 files, so that the
 * host learns 12 bits of a hit at most.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function publishedSource(options: PublishedSourceOptions): Source {
  return createPublishedSource(transportOf(readOptions('publishedSource', publishedKinds(baseUrl), options)), {
    checkShard: decodeShard,
    decode: decodeAny,
    download,
    fetchableFrom,
    fromDifferences: snapshotFromDifferences,
    reopenWith,
    textOf: fromUtf8,
    versionOf,
  });
}

export const publishedKinds = (
  url: Kind<string>,
): KindsOf<Filled<PublishedSourceOptions, 'fetch' | 'listName' | 'ohttp' | keyof (SignatureOptions & LogOptions)>> => ({
  ...transportKinds(),
  ...signatureKinds(),
  ...listKinds(),
  ...ohttpKinds(),
  log: optional(having<TransparencyLog>('what transparencyLog of portcullis/log returns', 'of')),
  url,
  id: sourceId('published'),
  allowInsecureHttp: optional(boolean, false),
});

/** What a source of a published list is made of. A light source has less of each. */
export interface PublishedParts extends ArtifactParts {
  readonly checkShard: CheckShard;
  readonly fetchableFrom: typeof fetchableFrom;
  readonly versionOf: (answer: unknown, mayFetch: (url: string) => boolean, folder: string) => VersionDocument;
  /** Decodes UTF-8; `null` if it is malformed. */
  readonly textOf: (bytes: Uint8Array) => string | null;
  /** Without it a new snapshot is always fetched as a whole. */
  readonly fromDifferences?: typeof snapshotFromDifferences | undefined;
  readonly reopenWith?: typeof reopenWith | undefined;
}

interface PublishedSettings extends Transport, SignatureOptions, ListOptions, LogOptions, ObliviousOption {
  readonly url: string;
  readonly id: string;
  /** Whether it only asks, through a gateway that answers for the folder of the list. */
  readonly isUnseen?: boolean;
}

export function createPublishedSource(settings: PublishedSettings, parts: PublishedParts): Source {
  const { url, id, listName, mayBeEmpty, verifier, log, ohttp, isUnseen, ...transport } = settings;
  const versionUrl = /\.json$/i.test(url) ? url : `${url}/version.json`;
  const folder = versionUrl.replace(/\/[^/]*$/, '');
  const mayFetch = parts.fetchableFrom(folder);
  const { fromDifferences } = parts;
  const trust = trustOf(settings);
  const large = { ...transport, mayFetch };
  const small = { ...large, artifactTimeoutMs: transport.timeoutMs };
  const checkLog = log?.of(versionUrl, verifier, isUnseen);
  const files = createVerifiedFiles(async ({ url, maxBytes }) => (await parts.download(url, { ...small, maxBytes })).bytes);
  const unseen = (fetch: FetchLike): Source =>
    createPublishedSource({ ...settings, fetch, ohttp: undefined, isUnseen: true }, parts);

  let announced: Announced | undefined;
  let kept: Kept | undefined;
  let asking: Promise<Announced> | undefined;

  async function ask(held: LogState, signal?: Signal): Promise<Announced> {
    const requestedAtMs = transport.now();
    const last = kept !== undefined && Math.abs(requestedAtMs - kept.fetchedAtMs) < maxKeptMs ? kept : undefined;
    // Caches guess an age where the host sets none.
    const fresh = { ...small, init: { cache: 'no-cache' }, signal };
    const fetched = await parts.download(versionUrl, { ...fresh, ifChanged: last?.ifChanged, maxBytes: maxVersionBytes });
    // A 304 comes only if it was asked for. It says that the host still serves this document, which is then read as if it had been sent.
    const isHeld = last !== undefined && fetched.status === 304;
    const answer = isHeld ? last.answer : parsed(parts.textOf(fetched.bytes));
    const named = parts.versionOf(answer, mayFetch, folder);
    const document: VersionDocument = trust === undefined ? named : await trust.open(answer, named);
    requirePublished(document);
    const read: ReadLog = (url, maxBytes) => parts.download(url, { ...fresh, maxBytes });
    const checkpoint = await checkLog?.(document as SignedVersion, held, requestedAtMs, read);
    announced = { document: { ...document, checkpoint }, requestedAtMs };
    const ifChanged = tagCondition(fetched);
    if (!isHeld) kept = ifChanged && { answer, ifChanged, fetchedAtMs: requestedAtMs };
    return announced;
  }

  /** The version that is on the host, and not older than one that this device has had. */
  async function current(call: ConfirmCall, isAskedAgain = false): Promise<Announced> {
    const isUsable = ({ document, requestedAtMs }: Announced): boolean => {
      const ageMs = transport.now() - requestedAtMs;
      return document.sequence >= (call.sequence ?? 0) && ageMs >= 0 && ageMs < versionMs;
    };
    // Tags made of a time in seconds and a size may name two documents, and the files of this one are gone.
    if (isAskedAgain) kept = undefined;
    if (isAskedAgain || announced === undefined || !isUsable(announced)) {
      asking ??= ask(call).finally(() => {
        asking = undefined;
      });
      await asking;
    }
    const { document } = announced!;
    requireAnswering(document, call, transport.now(), mayBeEmpty === true);
    // Shards of another algorithm would answer "not listed" for every entry.
    if (document.algoVersion !== call.algoVersion) throw unusable('has a different algoVersion than the list');
    return announced!;
  }

  async function hashesBehind(
    prefixes: readonly number[],
    { document, requestedAtMs }: Announced,
    signal: Signal,
  ): Promise<Confirmation> {
    const shardOfPrefix = (prefix: number): number => shardOf(prefix, document.shards);
    const numbers = [...new Set(prefixes.map(shardOfPrefix))];
    const shards = new Map<number, Uint8Array>();
    const next = async (): Promise<void> => {
      for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
        throwIfAborted(signal);
        shards.set(number, await shardOfVersion(document, number, folder, files, parts.checkShard));
      }
    };
    try {
      await Promise.all(Array.from({ length: maxConcurrentShards }, next));
    } catch (error) {
      // Start no further downloads.
      numbers.length = 0;
      throw error;
    }
    const hashes = new Map(prefixes.map((prefix) => [prefix, hashesIn(shards.get(shardOfPrefix(prefix))!, prefix)]));
    return { hashes, negativeMs: Math.max(0, requestedAtMs + versionMs - transport.now()) };
  }

  /** Without them hits are confirmed, so that a list does not wait for them. */
  async function hashesOf({ url, sha256, count }: HotRef, signal: Signal): Promise<WholeHashes | undefined> {
    try {
      const maxBytes = shardHeaderBytes + count * hashBytes;
      const artifactTimeoutMs = Math.min(small.artifactTimeoutMs, hotTimeoutMs);
      const { bytes } = await parts.download(url, { ...small, artifactTimeoutMs, maxBytes, signal });
      requireSum(bytes, sha256);
      return new WholeHashes(bytes);
    } catch {
      throwIfAborted(signal);
      kept = undefined;
      return undefined;
    }
  }

  async function confirm(prefixes: readonly number[], call: ConfirmCall): Promise<Confirmation> {
    try {
      // Its downloads are shared, so only the wait for them can be aborted.
      return await bounded(transport.artifactTimeoutMs, call.signal, async (signal) => {
        const before = await current(call);
        return hashesBehind(prefixes, before, signal).catch(async (error: unknown) => {
          // The files of a version are deleted some time after the next one is published.
          const after = hasCode(error, 'NOT_FOUND') ? await current(call, true).catch(() => before) : before;
          if (after.document.confirm.sha256 === before.document.confirm.sha256) throw error;
          return hashesBehind(prefixes, after, signal);
        });
      });
    } catch (error) {
      throw hasCode(error, 'INVALID_ARTIFACT') ? new PortcullisError('INVALID_RESPONSE', error.message, { cause: error }) : error;
    }
  }

  return {
    id,
    moves: false,
    origin: originOf(versionUrl, trust, log),
    listName,
    mayBeEmpty,
    trustedKeys: trust?.ids,
    ...(trust && parts.reopenWith && { reopen: parts.reopenWith(trust) }),
    version: async (call): Promise<ListVersion> => (await ask(call, call.signal)).document,
    async artifact(part, listed, call) {
      if (part === 'snapshot' && call.previous !== undefined && fromDifferences !== undefined) {
        const made = await fromDifferences(listed as VersionDocument, large, call).catch(() => null);
        if (made !== null) return made;
        throwIfAborted(call.signal);
      }
      const { hot } = listed as VersionDocument;
      try {
        const [artifact, hashes] = await Promise.all([
          artifactOf(part, listed, listed.algoVersion, large, call, parts),
          part === 'recent' && hot !== undefined ? hashesOf(hot, call.signal) : undefined,
        ]);
        return { ...artifact, hot: hashes };
      } catch (error) {
        kept = undefined;
        throw error;
      }
    },
    confirm: ohttp ? ohttp.confirmWith(versionUrl, unseen, trust !== undefined) : confirm,
  };
}

/** The last version document that was accepted, as it was sent. */
interface Kept {
  readonly answer: unknown;
  readonly ifChanged: IfChanged;
  /** Epoch time in milliseconds. */
  readonly fetchedAtMs: number;
}

/** A day, after which the document is fetched whole: a cache that answers 304 by mistake must not hold a list back for longer. */
const maxKeptMs = 86_400_000;

/** The last version document. */
interface Announced {
  readonly document: PublishedDocument & Pick<ListVersion, 'checkpoint'>;
  /** Epoch time in milliseconds. */
  readonly requestedAtMs: number;
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw unusable('is not JSON');
  }
}

/** Throws unless the bytes are this shard. */
type CheckShard = (...shard: Parameters<typeof decodeShard>) => void;

/**
 * The shard of a version, and no other version's: the version names the sums, and the sums name the shard (docs/formats.md §6).
 *
 * @param folder The URL of the list's folder.
 * @throws PortcullisError `INVALID_ARTIFACT`, and whatever `files` throws
 */
async function shardOfVersion(
  { confirm, shards }: PublishedDocument,
  shard: number,
  folder: string,
  files: VerifiedFiles,
  check: CheckShard,
): Promise<Uint8Array> {
  const sumIn = async (sha256: string, at: number): Promise<string> => {
    const sum = sumAt(await files({ url: `${folder}/${sumsName(sha256)}`, sha256, maxBytes: maxSumsBytes }, () => {}), at);
    if (sum === undefined) throw new PortcullisError('INVALID_ARTIFACT', 'the sums of the version lack this shard');
    return toHex(sum);
  };
  let { sha256 } = confirm;
  if (shards > shardsPerSums) sha256 = await sumIn(sha256, Math.floor(shard / shardsPerSums));
  sha256 = await sumIn(sha256, shard % shardsPerSums);
  const file = { url: `${folder}/${shardName(shard, shards, sha256)}`, sha256, maxBytes: maxShardBytes };
  return files(file, (bytes) => check(bytes, shard, shards));
}
