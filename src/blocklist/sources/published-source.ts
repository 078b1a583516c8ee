import { fromUtf8 } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, requireString } from '../../core/errors.js';
import { baseAddress, fetchableFrom } from '../../core/http/address.js';
import { unusable } from '../../core/http/http-api.js';
import { hashesIn, shardName, shardOf } from '../formats/shards.js';
import { maxVersionBytes } from '../formats/version-document.js';
import type { Confirmation, ListVersion, Source, SourceCall } from '../source.js';
import { download } from './download.js';
import { type CachedShard, createShardCache } from './shard-cache.js';
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

/** The maximum size of a shard in bytes: four times the average at 2^25 entries. */
const maxShardBytes = 1024 * 1024;

/** How long a shard counts. A cache in front of the host may serve one from before an entry that the recent feed already has. */
const shardMs = 300_000;

/** Concurrent shard downloads: the browsers' own limit per host. */
const maxConcurrentShards = 6;

/**
 * A list made by `portcullis/publish`, on any static host: prefixes of 4 bytes, confirmed with one of 4,096 files, so that the host
 * learns 12 bits of a hit.
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

  /** `algoVersion` of the last version document. Shards do not name their algorithm. */
  let announced: string | undefined;
  /** The tokens of the last version document. */
  let tokens = '';
  const cache = createShardCache(shardMs, transport.now);

  async function version({ signal }: SourceCall): Promise<ListVersion> {
    const { bytes } = await download(versionUrl, { ...small, maxBytes: maxVersionBytes, signal });
    const document = versionOf(parsed(bytes), mayFetch, folder);
    announced = document.algoVersion;
    tokens = `${document.snapshot.token} ${document.recent.token}`;
    return document;
  }

  async function shardAt(number: number, listState: string, signal: Signal): Promise<CachedShard> {
    const cached = cache.get(number, listState);
    if (cached !== undefined) return cached;
    const requestedAtMs = transport.now();
    const { bytes } = await download(`${folder}/${shardName(number)}`, { ...small, maxBytes: maxShardBytes, signal });
    const shard = { bytes, requestedAtMs };
    cache.add(number, shard, listState);
    return shard;
  }

  return {
    id: idOf(options.id ?? 'published'),
    moves: false,
    version,
    artifact: (part, listed, call) => artifactOf(part, listed, listed.algoVersion, { ...transport, mayFetch }, call),
    async confirm(prefixes, { algoVersion, listChanges, signal }): Promise<Confirmation> {
      if (announced === undefined) await version({ signal });
      // Shards of another algorithm would answer "not listed" for every entry.
      if (announced !== algoVersion) throw unusable('has a different algoVersion than the list');
      const startMs = transport.now();
      const listState = `${listChanges} ${tokens}`;
      const numbers = [...new Set(prefixes.map(shardOf))];
      const shards = new Map<number, CachedShard>();
      const next = async (): Promise<void> => {
        for (let number = numbers.pop(); number !== undefined; number = numbers.pop())
          shards.set(number, await shardAt(number, listState, signal));
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
      const hashes = new Map(prefixes.map((prefix) => [prefix, hashesIn(shards.get(shardOf(prefix))!.bytes, prefix)]));
      // Denials end with the oldest shard.
      const oldestMs = Math.min(...[...shards.values()].map(({ requestedAtMs }) => requestedAtMs));
      return { hashes, negativeMs: Math.max(0, Math.min(shardMs, oldestMs + shardMs - startMs)) };
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
