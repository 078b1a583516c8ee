import { encodeShard, type ShardCount, shardName } from '../../blocklist/formats/shards.js';
import { utf8 } from '../../core/bytes.js';
import { lowerBound } from '../../core/prefixes/buckets.js';
import type { HashTable } from './hash-table.js';
import type { PublishedVersion } from './published-version.js';

/** One file of a published list. */
export interface ListFile {
  /** Path below the list's folder: `version.json`, `snapshot-<token>.bin`, `recent-<token>.bin`, `confirm/0a3.bin`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Whether the name changes with the content, so that caches may keep the file forever. */
  readonly isImmutable: boolean;
}

/**
 * All files of a list, created on demand and in the order to write them: the version document comes after every file that it names.
 */
export class ListFiles implements Iterable<ListFile> {
  /** Number of files: shards, artifacts and version document. */
  readonly count: number;
  private readonly hashes: HashTable;
  private readonly artifacts: readonly ListFile[];
  private readonly version: PublishedVersion;

  /** @internal */
  constructor(hashes: HashTable, artifacts: readonly ListFile[], version: PublishedVersion) {
    this.hashes = hashes;
    this.artifacts = artifacts;
    this.version = version;
    this.count = version.shards + artifacts.length + 1;
  }

  /** Every file once, in the order to write them. */
  *[Symbol.iterator](): IterableIterator<ListFile> {
    const { shards } = this.version;
    for (let shard = 0; shard < shards; shard++) {
      yield { name: shardName(shard, shards), bytes: this.shard(shard, shards), isImmutable: false };
    }
    yield* this.artifacts;
    yield { name: 'version.json', bytes: utf8(`${JSON.stringify(this.version, null, 2)}\n`), isImmutable: false };
  }

  private shard(shard: number, shards: ShardCount): Uint8Array {
    const { prefixes } = this.hashes;
    const first = lowerBound(prefixes, shard * (0x1_0000_0000 / shards), 0, prefixes.length);
    const end = lowerBound(prefixes, (shard + 1) * (0x1_0000_0000 / shards), first, prefixes.length);
    return encodeShard(shard, shards, end - first, (bytes) => this.hashes.write(bytes, first, end));
  }
}

/**
 * As few shards as possible with at most 512 hashes (16 kB) in each, so that a file is cheap to fetch and never names its entry: with
 * two shards or more, one has 32 hashes on average. A list that grows and shrinks keeps its number within a factor of two.
 */
export function shardsFor(count: number, before: ShardCount | undefined): ShardCount {
  const isStillFit = before !== undefined && count <= before * 2 * maxPerShard && (before === 1 || count >= before * minPerShard);
  if (isStillFit) return before;
  if (count <= maxPerShard) return 1;
  return count <= 16 * maxPerShard ? 16 : count <= 256 * maxPerShard ? 256 : 4096;
}

const maxPerShard = 512;

/** Half of what a list has that has just grown beyond the next smaller number. */
const minPerShard = 16;
