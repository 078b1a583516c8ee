import { joinSums, shardsPerSums, sumsName } from '../../blocklist/formats/shard-sums.js';
import { encodeShard, maxShardBytes, type ShardCount, shardName } from '../../blocklist/formats/shards.js';
import { toHex, utf8 } from '../../core/bytes.js';
import { PortcullisError, refuse } from '../../core/errors.js';
import { sha256 as sumOf } from '../../core/hashing/sha256.js';
import { hashedBytesPerSlice } from '../../core/limits.js';
import { lowerBound } from '../../core/prefixes/buckets.js';
import type { Sliced } from '../../core/slices.js';
import type { HashTable } from './hash-table.js';
import type { PublishedVersion } from './published-version.js';

/** One file of a published list. */
export interface ListFile {
  /** Path below the list's folder: `version.json`, `snapshot-<token>.bin`, `recent-<token>.bin`, `hot-<token>.bin`, `sums-<token>.bin`, `confirm/0a3-<token>.bin`, and of a logged list `version.proof`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Whether the name changes with the content, so that caches may keep the file forever. */
  readonly isImmutable: boolean;
}

/**
 * All files of a list, created on demand and in the order to write them: the version document comes after every file that it names. A list
 * without entries has none unless it was built with `allowEmpty`: it would make everything clear.
 */
export class ListFiles implements Iterable<ListFile> {
  /** Number of files: shards, artifacts and version document. */
  readonly count: number;
  private readonly hashes: HashTable;
  /** SHA-256 of each shard. */
  private readonly sums: readonly Uint8Array[];
  private readonly artifacts: readonly ListFile[];
  private readonly version: PublishedVersion;
  private readonly allowEmpty: boolean;
  private readonly proof: Uint8Array | null;

  /** @internal */
  constructor(
    hashes: HashTable,
    sums: readonly Uint8Array[],
    artifacts: readonly ListFile[],
    version: PublishedVersion,
    allowEmpty: boolean,
    proof: Uint8Array | null = null,
  ) {
    this.hashes = hashes;
    this.sums = sums;
    this.artifacts = artifacts;
    this.version = version;
    this.allowEmpty = allowEmpty;
    this.proof = proof;
    this.count = version.shards + artifacts.length + (proof === null ? 1 : 2);
  }

  /**
   * @internal
   * @param proof That the version is in a log. A version that is signed again has none yet: it is another entry.
   */
  with(version: PublishedVersion, proof: Uint8Array | null = null): ListFiles {
    return new ListFiles(this.hashes, this.sums, this.artifacts, version, this.allowEmpty, proof);
  }

  /**
   * Every file once, in the order to write them.
   *
   * @throws PortcullisError `INVALID_INPUT` for a list without entries
   */
  *[Symbol.iterator](): IterableIterator<ListFile> {
    if (this.hashes.order.length === 0 && !this.allowEmpty)
      refuse('the list has no usable entries, see its report; if that is meant, build it with allowEmpty: true');
    const { shards } = this.version;
    for (let shard = 0; shard < shards; shard++) {
      const name = shardName(shard, shards, toHex(this.sums[shard]!));
      yield { name, bytes: shardAt(this.hashes, shard, shards), isImmutable: true };
    }
    yield* this.artifacts;
    // Before the version, so that no reader meets one without its proof.
    if (this.proof !== null) yield { name: 'version.proof', bytes: this.proof, isImmutable: false };
    yield { name: 'version.json', bytes: utf8(`${JSON.stringify(this.version)}\n`), isImmutable: false };
  }
}

function shardAt(hashes: HashTable, shard: number, shards: ShardCount): Uint8Array {
  const { prefixes } = hashes;
  const first = lowerBound(prefixes, shard * (0x1_0000_0000 / shards), 0, prefixes.length);
  const end = lowerBound(prefixes, (shard + 1) * (0x1_0000_0000 / shards), first, prefixes.length);
  return encodeShard(shard, shards, end - first, (bytes) => hashes.write(bytes, first, end));
}

export interface ShardSums {
  /** SHA-256 of each shard. */
  readonly sums: readonly Uint8Array[];
  /** The files with all of them. */
  readonly files: readonly ListFile[];
  /** SHA-256 of the file that the version document names. */
  readonly sha256: string;
}

export function* sumsOf(hashes: HashTable, shards: ShardCount): Sliced<ShardSums> {
  const sums: Uint8Array[] = [];
  let hashed = 0;
  for (let shard = 0; shard < shards; shard++) {
    const bytes = shardAt(hashes, shard, shards);
    if (bytes.length > maxShardBytes) throw tooFew(shards);
    sums.push(sumOf(bytes));
    hashed += bytes.length;
    if (hashed < hashedBytesPerSlice) continue;
    hashed = 0;
    yield;
  }
  // Groups of equal shards have equal sums.
  const files = new Map<string, ListFile>();
  const add = (group: readonly Uint8Array[]): Uint8Array => {
    const bytes = joinSums(group);
    const sum = sumOf(bytes);
    const name = sumsName(toHex(sum));
    files.set(name, { name, bytes, isImmutable: true });
    return sum;
  };
  const groups: Uint8Array[] = [];
  for (let at = 0; at < sums.length; at += shardsPerSums) groups.push(add(sums.slice(at, at + shardsPerSums)));
  const sha256 = toHex(groups.length === 1 ? groups[0]! : add(groups));
  return { sums, files: [...files.values()], sha256 };
}

/** Readers accept no larger shard. */
function tooFew(shards: ShardCount): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', `${shards} shards are too few for this list; leave out the option shards`);
}

/**
 * As few shards as possible with at most 512 hashes (16 kB) in each, so that a file is cheap to fetch and never names its entry: with
 * two shards or more, one has at least 32 hashes on average. A list that outgrows its number keeps it up to twice the length, so that one
 * that grows and shrinks does not change it each time.
 */
export function shardsFor(count: number, before: ShardCount | undefined): ShardCount {
  const isStillFit = before !== undefined && count <= before * 2 * maxPerShard && (before === 1 || count >= before * minPerShard);
  if (isStillFit) return before;
  if (count <= maxPerShard) return 1;
  return count <= 16 * maxPerShard ? 16 : count <= 256 * maxPerShard ? 256 : 4096;
}

const maxPerShard = 512;

/** On average: as many as docs/privacy.md promises, and those of a list that has just outgrown the next smaller number of shards. */
const minPerShard = 32;
