import { joinSums, shardsPerSums, sumsName } from '../../blocklist/formats/shard-sums.js';
import { encodeShard, shardCount, shardName, shardOf } from '../../blocklist/formats/shards.js';
import { toHex, utf8 } from '../../core/bytes.js';
import { sha256 as sumOf } from '../../core/hashing/sha256.js';
import { hashedBytesPerSlice } from '../../core/limits.js';
import type { Sliced } from '../../core/slices.js';
import type { HashTable } from './hash-table.js';
import type { Snapshots } from './list-snapshots.js';
import type { PublishedVersion } from './published-version.js';

/** One file of a published list. */
export interface ListFile {
  /** Path below the list's folder: `version.json`, `snapshot-<token>.bin`, `recent-<token>.bin`, `sums-<token>.bin`, `confirm/0a3.bin`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Whether the name changes with the content, so that caches may keep the file forever. */
  readonly isImmutable: boolean;
}

/**
 * All files of a list, created on demand and in the order to write them: the version document comes after every file that it names.
 */
export class ListFiles implements Iterable<ListFile> {
  /** Number of files: 4,096 shards and their sums, snapshot, recent feed and version document. */
  readonly count: number;
  private readonly hashes: HashTable;
  private readonly snapshots: Snapshots;
  private readonly sums: ShardSums;
  private readonly version: PublishedVersion;

  /** @internal */
  constructor(hashes: HashTable, snapshots: Snapshots, sums: ShardSums, version: PublishedVersion) {
    this.hashes = hashes;
    this.snapshots = snapshots;
    this.sums = sums;
    this.version = version;
    this.count = shardCount + sums.files.length + 3;
  }

  /** @internal */
  with(version: PublishedVersion): ListFiles {
    return new ListFiles(this.hashes, this.snapshots, this.sums, version);
  }

  /** Every file once, in the order to write them. */
  *[Symbol.iterator](): IterableIterator<ListFile> {
    let shard = 0;
    for (const bytes of shardsOf(this.hashes)) yield { name: shardName(shard++), bytes, isImmutable: false };
    for (const { name, bytes } of this.sums.files) yield { name, bytes, isImmutable: true };
    const { snapshot, recent } = this.snapshots;
    yield { name: snapshot.name, bytes: snapshot.bytes, isImmutable: true };
    yield { name: recent.name, bytes: recent.bytes, isImmutable: true };
    yield { name: 'version.json', bytes: utf8(`${JSON.stringify(this.version, null, 2)}\n`), isImmutable: false };
  }
}

/** All shards, one at a time. */
function* shardsOf(hashes: HashTable): Iterable<Uint8Array> {
  let at = 0;
  for (let shard = 0; shard < shardCount; shard++) {
    const found: Uint8Array[] = [];
    for (; at < hashes.order.length && shardOf(hashes.prefix(hashes.order[at]!)) === shard; at++) {
      found.push(hashes.hash(hashes.order[at]!));
    }
    yield encodeShard(shard, found);
  }
}

/** The files with the sums of all shards; the version document names the last one. */
export interface ShardSums {
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly sha256: string;
}

export function* sumsOf(hashes: HashTable): Sliced<ShardSums> {
  const sums: Uint8Array[] = [];
  let hashed = 0;
  for (const bytes of shardsOf(hashes)) {
    sums.push(sumOf(bytes));
    hashed += bytes.length;
    if (hashed < hashedBytesPerSlice) continue;
    hashed = 0;
    yield;
  }
  // Groups of equal shards have equal sums.
  const files = new Map<string, Uint8Array>();
  const add = (bytes: Uint8Array): Uint8Array => {
    const sum = sumOf(bytes);
    files.set(sumsName(toHex(sum)), bytes);
    return sum;
  };
  const groups: Uint8Array[] = [];
  for (let at = 0; at < sums.length; at += shardsPerSums) groups.push(add(joinSums(sums.slice(at, at + shardsPerSums))));
  const sha256 = toHex(add(joinSums(groups)));
  return { files: [...files].map(([name, bytes]) => ({ name, bytes })), sha256 };
}
