import { fromUtf8 } from '../../core/bytes.js';
import { hasCode, PortcullisError, requireString, throwIfAborted } from '../../core/errors.js';
import { baseAddress, fetchableFrom } from '../../core/http/address.js';
import { unusable } from '../../core/http/http-api.js';
import { requireSum } from '../formats/shard-sums.js';
import { defaultShards, hashesIn, type ShardCount, shardName, shardOf } from '../formats/shards.js';
import { maxVersionBytes, type VersionDocument } from '../formats/version-document.js';
import type { Confirmation, ConfirmCall, ListVersion, Source, SourceCall } from '../source.js';
import { snapshotFromDifferences } from './differences.js';
import { download } from './download.js';
import { type CachedShard, createShardCache } from './shard-cache.js';
import { artifactOf, versionOf } from './source-artifact.js';
import {
  idOf,
  originOf,
  requireOptions,
  type Signal,
  type SignatureOptions,
  type TransportOptions,
  transportOf,
  trustOf,
} from './source-options.js';
import { createShardSums } from './verified-shards.js';

export interface PublishedSourceOptions extends TransportOptions, SignatureOptions {
  /** The URL of the folder with the list's files, or of its `version.json`. */
  readonly url: string;
  /** @default 'published' */
  readonly id?: string | undefined;
  /** Allow plain `http:` from another machine, which lets others on the network change the list. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

/** The maximum size of a shard in bytes: four times the average at 2^25 entries. */
const maxShardBytes = 1024 * 1024;

/** How long a shard counts. A cache in front of the host may serve one from before an entry that the recent feed already has. */
const shardMs = 300_000;

/** Concurrent shard downloads: the browsers' own limit per host. */
const maxConcurrentShards = 6;

/**
 * A list made by `portcullis/publish`, on any static host: prefixes of 4 bytes, confirmed with one of up to 4,096 files, so that the
 * host learns 12 bits of a hit at most.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function publishedSource(options: PublishedSourceOptions): Source {
  requireOptions(options);
  requireString(options.url, 'url');
  const given = baseAddress('url', options.url, options.allowInsecureHttp ?? false);
  const [versionUrl, folder] = /\.json$/i.test(given) ? [given, given.replace(/\/[^/]*$/, '')] : [`${given}/version.json`, given];
  const transport = transportOf(options);
  const trust = trustOf(options);
  const mayFetch = fetchableFrom(folder);
  // These files change under the same URL, and caches guess an age where the host sets none.
  const small = { ...transport, artifactTimeoutMs: transport.timeoutMs, mayFetch, init: { cache: 'no-cache' } };

  /** The last version document. Its shards are the ones on the host. */
  let announced: VersionDocument | undefined;

  async function version({ signal }: SourceCall): Promise<ListVersion> {
    const { bytes } = await download(versionUrl, { ...small, maxBytes: maxVersionBytes, signal });
    const answer = parsed(bytes);
    const document = versionOf(answer, mayFetch, folder);
    const opened = trust === undefined ? document : await trust.open(answer, document);
    // A host that is not trusted must not choose what confirms a hit.
    if (trust !== undefined && opened.confirm === undefined) throw unusable('is signed without the sums of its shards');
    announced = opened;
    return opened;
  }

  // Several questions may share a file of sums, so none of them may abort its download.
  const sumOfShard = createShardSums(async (url, maxBytes) => (await download(url, { ...small, init: {}, maxBytes })).bytes);

  const cache = createShardCache(shardMs, transport.now);

  async function shardAt(number: number, document: VersionDocument, listState: string, signal: Signal): Promise<CachedShard> {
    const shards = shardsOf(document);
    const cached = cache.get(number, listState);
    if (cached !== undefined) return cached;
    const requestedAtMs = transport.now();
    const [{ bytes }, sum] = await Promise.all([
      download(`${folder}/${shardName(number, shards)}`, { ...small, maxBytes: maxShardBytes, signal }),
      document.confirm === undefined ? undefined : sumOfShard(document.confirm, number, shards),
    ]);
    if (sum !== undefined) requireSum(bytes, sum, 'shard');
    const shard = { bytes, requestedAtMs };
    cache.add(number, shards, shard, listState);
    return shard;
  }

  async function hashesBehind(
    prefixes: readonly number[],
    document: VersionDocument,
    { listChanges, signal }: ConfirmCall,
  ): Promise<Confirmation> {
    const startMs = transport.now();
    const { sequence, snapshot, recent } = document;
    const count = shardsOf(document);
    const listState = `${listChanges} ${sequence} ${count} ${snapshot.token} ${recent.token}`;
    const numbers = [...new Set(prefixes.map((prefix) => shardOf(prefix, count)))];
    const shards = new Map<number, CachedShard>();
    const next = async (): Promise<void> => {
      for (let number = numbers.pop(); number !== undefined; number = numbers.pop())
        shards.set(number, await shardAt(number, document, listState, signal));
    };
    try {
      await Promise.all(Array.from({ length: maxConcurrentShards }, next));
    } catch (error) {
      // Start no further downloads.
      numbers.length = 0;
      throw error;
    }
    const hashes = new Map(prefixes.map((prefix) => [prefix, hashesIn(shards.get(shardOf(prefix, count))!.bytes, prefix)]));
    // Denials end with the oldest shard.
    const oldestMs = Math.min(...[...shards.values()].map(({ requestedAtMs }) => requestedAtMs));
    return { hashes, negativeMs: Math.max(0, Math.min(shardMs, oldestMs + shardMs - startMs)) };
  }

  /** The version that is on the host; asked again if it is unknown, or older than one that this device has had. */
  async function current({ algoVersion, sequence = 0, signal }: ConfirmCall): Promise<VersionDocument> {
    const isUsable = (document: VersionDocument): boolean => (document.sequence ?? 0) >= sequence;
    if (announced === undefined || !isUsable(announced)) await version({ signal });
    const document = announced!;
    if (!isUsable(document)) throw new PortcullisError('OLDER_LIST', 'the host has an older version of the list');
    // Shards of another algorithm would answer "not listed" for every entry.
    if (document.algoVersion !== algoVersion) throw unusable('has a different algoVersion than the list');
    return document;
  }

  /** The version that has replaced this one on the host, if one has. */
  async function after(document: VersionDocument, call: ConfirmCall): Promise<VersionDocument | null> {
    if (isSame(announced, document)) await version(call);
    const newer = await current({ ...call, sequence: document.sequence });
    return isSame(newer, document) ? null : newer;
  }

  return {
    id: idOf(options.id ?? 'published'),
    moves: false,
    origin: originOf(versionUrl, trust),
    ...(trust !== undefined && { trustedKeys: trust.ids }),
    version,
    async artifact(part, listed, call) {
      if (part === 'snapshot' && call.previous !== undefined) {
        const made = await snapshotFromDifferences(listed as VersionDocument, { ...transport, mayFetch }, call).catch(() => null);
        if (made !== null) return made;
        throwIfAborted(call.signal);
      }
      return artifactOf(part, listed, listed.algoVersion, { ...transport, mayFetch }, call);
    },
    async confirm(prefixes, call): Promise<Confirmation> {
      const document = await current(call);
      const invalid = (error: unknown): never => {
        throw hasCode(error, 'INVALID_ARTIFACT')
          ? new PortcullisError('INVALID_RESPONSE', error.message, { cause: error })
          : error;
      };
      return hashesBehind(prefixes, document, call).catch(async (error: unknown) => {
        // The list may have been published again since, even with another number of shards.
        const isReplaced = hasCode(error, 'NOT_FOUND') || (hasCode(error, 'INVALID_ARTIFACT') && document.confirm !== undefined);
        const newer = isReplaced ? await after(document, call).catch(() => null) : null;
        if (newer === null) throw invalid(error);
        return hashesBehind(prefixes, newer, call).catch(invalid);
      });
    },
  };
}

function shardsOf({ shards = defaultShards }: VersionDocument): ShardCount {
  return shards;
}

/** Whether two versions have the same shards. */
function isSame(one: VersionDocument | undefined, other: VersionDocument): boolean {
  return one?.sequence === other.sequence && one?.shards === other.shards && one?.confirm?.sha256 === other.confirm?.sha256;
}

function parsed(bytes: Uint8Array): unknown {
  const text = fromUtf8(bytes);
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw unusable('is not JSON');
  }
}
