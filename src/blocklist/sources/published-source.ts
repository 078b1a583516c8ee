import { fromUtf8, readU32 } from '../../core/bytes.js';
import { hasCode, isPortcullisError, PortcullisError, requireString, throwIfAborted } from '../../core/errors.js';
import { baseAddress, fetchableFrom } from '../../core/http/address.js';
import { unusable } from '../../core/http/http-api.js';
import { decodeShard, defaultShards, type ShardCount, shardName, shardOf } from '../formats/shards.js';
import { maxVersionBytes, type VersionDocument } from '../formats/version-document.js';
import type { Confirmation, Source, SourceCall } from '../source.js';
import { snapshotFromDifferences } from './differences.js';
import { download } from './download.js';
import { artifactOf, versionOf } from './source-artifact.js';
import { idOf, requireOptions, type Signal, type TransportOptions, transportOf } from './source-options.js';

export interface PublishedSourceOptions extends TransportOptions {
  /** The URL of the folder with the list's files, or of its `version.json`. */
  readonly url: string;
  /** @default 'published' */
  readonly id?: string | undefined;
  /** Allow plain `http:` from another machine, which lets others on the network change the list. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

/** Bytes of a shard: four times the size of an average one of 2^25 entries. */
const maxShardBytes = 1024 * 1024;

/** A cache in front of the host may serve a shard from before an entry that the recent feed already has. */
const negativeMs = 300_000;

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
  const mayFetch = fetchableFrom(folder);
  // These files change under the same URL, and caches guess an age where the host sets none.
  const small = { ...transport, artifactTimeoutMs: transport.timeoutMs, mayFetch, init: { cache: 'no-cache' } };

  /** The last version document. Shards do not name their algorithm. */
  let announced: VersionDocument | undefined;

  async function version({ signal }: SourceCall): Promise<VersionDocument> {
    const { bytes } = await download(versionUrl, { ...small, maxBytes: maxVersionBytes, signal });
    announced = versionOf(parsed(bytes), mayFetch, folder);
    return announced;
  }

  async function shard(number: number, shards: ShardCount, signal: Signal): Promise<readonly Uint8Array[]> {
    const { bytes } = await download(`${folder}/${shardName(number, shards)}`, { ...small, maxBytes: maxShardBytes, signal });
    return decodeShard(bytes, number, shards);
  }

  async function hashesBehind(prefixes: readonly number[], count: ShardCount, signal: Signal): Promise<Confirmation> {
    const numbers = [...new Set(prefixes.map((prefix) => shardOf(prefix, count)))];
    const shards = new Map<number, readonly Uint8Array[]>();
    const next = async (): Promise<void> => {
      for (let number = numbers.pop(); number !== undefined; number = numbers.pop())
        shards.set(number, await shard(number, count, signal));
    };
    try {
      await Promise.all(Array.from({ length: maxConcurrentShards }, next));
    } catch (error) {
      // Start no further downloads.
      numbers.length = 0;
      throw isPortcullisError(error) && error.code === 'INVALID_ARTIFACT'
        ? new PortcullisError('INVALID_RESPONSE', error.message, { cause: error })
        : error;
    }
    const behind = (prefix: number): Uint8Array[] =>
      shards.get(shardOf(prefix, count))!.filter((hash) => readU32(hash, 0) === prefix >>> 0);
    return { hashes: new Map(prefixes.map((prefix) => [prefix, behind(prefix)])), negativeMs };
  }

  return {
    id: idOf(options.id ?? 'published'),
    moves: false,
    version,
    async artifact(part, listed, call) {
      if (part === 'snapshot' && call.previous !== undefined) {
        const made = await snapshotFromDifferences(listed as VersionDocument, { ...transport, mayFetch }, call).catch(() => null);
        if (made !== null) return made;
        throwIfAborted(call.signal);
      }
      return artifactOf(part, listed, listed.algoVersion, { ...transport, mayFetch }, call);
    },
    async confirm(prefixes, { algoVersion, signal }): Promise<Confirmation> {
      const known = announced ?? (await version({ signal }));
      // Shards of another algorithm would answer "not listed" for every entry.
      if (known.algoVersion !== algoVersion) throw unusable('has a different algoVersion than the list');
      const { shards = defaultShards } = known;
      try {
        return await hashesBehind(prefixes, shards, signal);
      } catch (error) {
        // The list may have another number of shards since the version was read.
        const latest = hasCode(error, 'NOT_FOUND') ? await version({ signal }) : known;
        if (latest.algoVersion !== algoVersion || (latest.shards ?? defaultShards) === shards) throw error;
        return hashesBehind(prefixes, latest.shards ?? defaultShards, signal);
      }
    },
  };
}

function parsed(bytes: Uint8Array): unknown {
  const text = fromUtf8(bytes);
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw unusable('is not JSON');
  }
}
