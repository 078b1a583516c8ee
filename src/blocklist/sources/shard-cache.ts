import { decodeShard, type ShardCount } from '../formats/shards.js';

/** The shards that a source has fetched. */
export interface ShardCache {
  /**
   * A shard in its file format, not older than `lifeMs`.
   *
   * @param listState Changes whenever the list does. A shard from before that may lack the entry that was hit, and is dropped.
   */
  get(number: number, listState: string): CachedShard | undefined;
  /**
   * @param shards The number of shards of the list, which is part of its state.
   * @param listState As it was when the shard was requested.
   * @throws PortcullisError `INVALID_ARTIFACT`
   */
  add(number: number, shards: ShardCount, shard: CachedShard, listState: string): void;
}

export interface CachedShard {
  readonly bytes: Uint8Array;
  /** Epoch time in milliseconds. */
  readonly requestedAtMs: number;
}

/** All shards of 250,000 entries. */
const maxBytes = 8 * 1024 * 1024;

/** Keeps bytes rather than hashes, because a view of each hash would take several times as much memory. */
export function createShardCache(lifeMs: number, now: () => number): ShardCache {
  const kept = new Map<number, CachedShard>();
  let byteLength = 0;
  let stateSeen = '';

  function remove(number: number): void {
    byteLength -= kept.get(number)?.bytes.length ?? 0;
    kept.delete(number);
  }

  return {
    get(number, listState) {
      if (listState !== stateSeen) {
        kept.clear();
        byteLength = 0;
        stateSeen = listState;
      }
      const shard = kept.get(number);
      if (shard === undefined) return undefined;
      const ageMs = now() - shard.requestedAtMs;
      if (ageMs >= 0 && ageMs < lifeMs) return shard;
      remove(number);
      return undefined;
    },
    add(number, shards, shard, listState) {
      decodeShard(shard.bytes, number, shards);
      if (listState !== stateSeen) return;
      remove(number);
      kept.set(number, shard);
      byteLength += shard.bytes.length;
      for (const oldest of kept.keys()) {
        if (byteLength <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
