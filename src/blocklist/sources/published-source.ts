import { fromUtf8, readU32 } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, requireString } from '../../core/errors.js';
import { baseAddress, fetchableFrom } from '../../core/http/address.js';
import { unusable } from '../../core/http/http-api.js';
import { decodeShard, shardName, shardOf } from '../formats/shards.js';
import type { Confirmation, ListVersion, Source, SourceCall } from '../source.js';
import { download } from './download.js';
import { artifactOf, versionOf } from './source-artifact.js';
import { idOf, requireOptions, type Signal, type TransportOptions, transportOf } from './source-options.js';

export interface PublishedSourceOptions extends TransportOptions {
  /** The folder of the list's files, or its `version.json`. */
  readonly url: string;
  /** @default 'published' */
  readonly id?: string | undefined;
  /** Allow plain `http:` from another machine, where others can change the list. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

/** Bytes of a version document: two tokens and two addresses of the greatest length that is read. */
const versionBytesMax = 64 * 1024;

/** Bytes of a shard: four times the hashes one has at 2^25 entries. */
const shardBytesMax = 1024 * 1024;

/** A cache in front of the host may give a shard of before an entry that is in the recent feed already. */
const negativeMs = 300_000;

/** Shards fetched at once: what a browser does anyway, and a host takes. */
const shardsAtOnce = 6;

/**
 * The files `portcullis/publish` makes, on any static host: prefixes of 4 bytes, whose hits are confirmed by one of 4,096 files, so that
 * the host learns 12 bits.
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
  // Their contents change under their names, and a host that says nothing of that would leave their age to a guess.
  const small = { ...transport, artifactTimeoutMs: transport.timeoutMs, mayFetch, init: { cache: 'no-cache' } };

  /** Of the last version document. A shard does not say by which algorithm it was made. */
  let announced: string | undefined;

  async function version({ signal }: SourceCall): Promise<ListVersion> {
    const { bytes } = await download(versionUrl, { ...small, bytesMax: versionBytesMax, signal });
    const document = versionOf(parsed(bytes), mayFetch, folder);
    announced = document.algoVersion;
    return document;
  }

  async function shard(number: number, signal: Signal): Promise<readonly Uint8Array[]> {
    const { bytes } = await download(`${folder}/${shardName(number)}`, { ...small, bytesMax: shardBytesMax, signal });
    return decodeShard(bytes, number);
  }

  return {
    id: idOf(options.id ?? 'published'),
    moves: false,
    version,
    artifact: (part, listed, call) => artifactOf(part, listed, listed.algoVersion, { ...transport, mayFetch }, call),
    async confirm(prefixes, { algoVersion, signal }): Promise<Confirmation> {
      if (announced === undefined) await version({ signal });
      // They would say "not listed" of everything in a list made by another one.
      if (announced !== algoVersion) throw unusable('is of another algorithm than the list that was hit');
      const numbers = [...new Set(prefixes.map(shardOf))];
      const shards = new Map<number, readonly Uint8Array[]>();
      const next = async (): Promise<void> => {
        for (let number = numbers.pop(); number !== undefined; number = numbers.pop())
          shards.set(number, await shard(number, signal));
      };
      try {
        await Promise.all(Array.from({ length: shardsAtOnce }, next));
      } catch (error) {
        // Whoever waits for the others gets the first error; no further one is begun.
        numbers.length = 0;
        throw isPortcullisError(error) && error.code === 'INVALID_ARTIFACT'
          ? new PortcullisError('INVALID_RESPONSE', error.message, { cause: error })
          : error;
      }
      const behind = (prefix: number): Uint8Array[] =>
        shards.get(shardOf(prefix))!.filter((hash) => readU32(hash, 0) === prefix >>> 0);
      return { hashes: new Map(prefixes.map((prefix) => [prefix, behind(prefix)])), negativeMs };
    },
  };
}

function parsed(bytes: Uint8Array): unknown {
  const text = fromUtf8(bytes);
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw unusable('is no JSON');
  }
}
