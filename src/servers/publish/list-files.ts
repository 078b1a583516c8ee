import { encodeShard, shardCount, shardName, shardOf } from '../../blocklist/formats/shards.js';
import { utf8 } from '../../core/bytes.js';
import type { HashTable } from './hash-table.js';
import type { Snapshots } from './list-snapshots.js';
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
  /** Number of files: 4,096 shards, snapshot, recent feed and version document. */
  readonly count: number = shardCount + 3;
  private readonly hashes: HashTable;
  private readonly snapshots: Snapshots;
  private readonly version: PublishedVersion;

  /** @internal */
  constructor(hashes: HashTable, snapshots: Snapshots, version: PublishedVersion) {
    this.hashes = hashes;
    this.snapshots = snapshots;
    this.version = version;
  }

  /** Every file once, in the order to write them. */
  *[Symbol.iterator](): IterableIterator<ListFile> {
    const { hashes } = this;
    let at = 0;
    for (let shard = 0; shard < shardCount; shard++) {
      const found: Uint8Array[] = [];
      for (; at < hashes.order.length && shardOf(hashes.prefix(hashes.order[at]!)) === shard; at++) {
        found.push(hashes.hash(hashes.order[at]!));
      }
      yield { name: shardName(shard), bytes: encodeShard(shard, found), isImmutable: false };
    }
    const { snapshot, recent } = this.snapshots;
    yield { name: snapshot.name, bytes: snapshot.bytes, isImmutable: true };
    yield { name: recent.name, bytes: recent.bytes, isImmutable: true };
    yield { name: 'version.json', bytes: utf8(`${JSON.stringify(this.version, null, 2)}\n`), isImmutable: false };
  }
}
