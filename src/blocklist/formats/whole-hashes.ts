import { PortcullisError } from '../../core/errors.js';
import { runNow, type Sliced } from '../../core/slices.js';
import { compareBytes, hashBytes, requireShard, shardHeaderBytes } from './shards.js';

/** Hashes of the newest entries that a version may name: a client fetches the 128 kB again with every change. */
export const maxHotHashes = 4_096;

/** Hashes compared between two pauses: less than a millisecond of work. */
const hashesPerSlice = 4_096;

/** What `opening` has compared, while it makes a set of it. */
let compared: Uint8Array | null = null;

function* requireOrder(bytes: Uint8Array): Sliced<void> {
  const end = bytes.length - hashBytes;
  for (let at = shardHeaderBytes, count = 1; at < end; at += hashBytes, count++) {
    if (compareBytes(bytes.subarray(at, at + hashBytes), bytes.subarray(at + hashBytes, at + 2 * hashBytes)) >= 0)
      throw new PortcullisError('INVALID_ARTIFACT', 'the file of hashes is invalid: its hashes are not ascending');
    if (count % hashesPerSlice === 0) yield;
  }
}

/** A set of whole hashes, for `hot` and `common` of an `Artifact`. Its bytes are a file of all hashes, the only shard (docs/formats.md §6). */
export class WholeHashes {
  /** @internal The bytes of the set themselves, which must not be changed. */
  readonly memoryBytes: Uint8Array;

  /** @throws PortcullisError `INVALID_ARTIFACT` unless the bytes are such a file, complete and in order */
  constructor(bytes: Uint8Array) {
    requireShard(bytes, 0, 1);
    this.memoryBytes = bytes;
    // Larger sets come from `opening`, which has compared their hashes in slices.
    if (bytes !== compared) runNow(requireOrder(bytes));
  }

  /** @internal The same for a set of any size. */
  static *opening(bytes: Uint8Array): Sliced<WholeHashes> {
    requireShard(bytes, 0, 1);
    yield* requireOrder(bytes);
    compared = bytes;
    try {
      return new WholeHashes(bytes);
    } finally {
      compared = null;
    }
  }

  /** The number of hashes. */
  get size(): number {
    return (this.memoryBytes.length - shardHeaderBytes) / hashBytes;
  }

  /** Whether the set holds this hash. */
  has(hash: Uint8Array): boolean {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareBytes(this.at(middle), hash);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return false;
  }

  /** The hashes in ascending order, as views. */
  *[Symbol.iterator](): IterableIterator<Uint8Array> {
    for (let at = 0; at < this.size; at++) yield this.at(at);
  }

  private at(place: number): Uint8Array {
    const start = shardHeaderBytes + place * hashBytes;
    return this.memoryBytes.subarray(start, start + hashBytes);
  }
}
