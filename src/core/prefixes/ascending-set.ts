import { entriesPerSlice } from '../limits.js';
import type { Sliced } from '../slices.js';
import { bucketBits, fillIndex, lowerBound } from './buckets.js';
import { copyInSlices, type Entries } from './entries.js';
import { allocate, type Memory } from './set-memory.js';

/**
 * From this size on, the top 16 bits select the bucket and only the other 16 are stored: 2.3 bytes per entry at a million. In a
 * smaller set the index of 256 KiB would outweigh the entries.
 */
const narrowFrom = 2 ** 17;

/**
 * What a `PrefixSet` is, without what builds one from unsorted entries or opens a stored one: a light list needs neither
 * (docs/decisions/0041-a-light-list.md).
 */
export class AscendingSet implements Iterable<number> {
  private readonly memory: Memory;
  private readonly index: Uint32Array;
  private readonly values: Uint32Array | Uint16Array;
  private readonly shift: number;
  private readonly mask: number;

  /** @internal */
  constructor(memory: Memory) {
    this.memory = memory;
    this.index = memory.index;
    this.values = memory.values;
    this.shift = 32 - memory.indexBits;
    this.mask = memory.valueBytes === 2 ? 0xffff : -1;
  }

  /** @internal The values must be ascending and unique. */
  static *ofAscending(values: Uint32Array): Sliced<AscendingSet> {
    const count = values.length;
    const narrow = count >= narrowFrom;
    const indexBits = narrow ? 16 : bucketBits(count);
    const memory = allocate({ entryBytes: 4, valueBytes: narrow ? 2 : 4, indexBits, count });
    yield* fillIndex(memory.index, values, 32 - indexBits);
    // A 16-bit view drops the upper half, which the bucket implies.
    yield* copyInSlices(values, memory.values);
    return new this(memory);
  }

  /** Whether the set holds this prefix; any number is read as an unsigned 32-bit integer. */
  has(prefix: number): boolean {
    if (typeof prefix !== 'number') throw new TypeError(`a prefix must be a number, not ${typeof prefix}`);
    const bucket = prefix >>> this.shift;
    const rest = (prefix & this.mask) >>> 0;
    const end = this.index[bucket + 1]!;
    const at = lowerBound(this.values, rest, this.index[bucket]!, end);
    return at < end && this.values[at] === rest;
  }

  /** The number of entries. */
  get size(): number {
    return this.memory.count;
  }

  /** The size of the set in bytes, in memory and stored. */
  get byteLength(): number {
    return this.memory.bytes.length;
  }

  /** The entries in ascending order. */
  *[Symbol.iterator](): IterableIterator<number> {
    const narrow = this.memory.valueBytes === 2;
    for (let bucket = 0; bucket < this.index.length - 1; bucket++) {
      const top = narrow ? bucket * 0x10000 : 0;
      for (let at = this.index[bucket]!; at < this.index[bucket + 1]!; at++) yield top + this.values[at]!;
    }
  }

  /** @internal The entry at this position in ascending order. */
  at(place: number): number {
    if (this.memory.valueBytes === 4) return this.values[place]!;
    let low = 0;
    for (let high = this.index.length - 1; high - low > 1; ) {
      const middle = (low + high) >>> 1;
      if (this.index[middle]! <= place) low = middle;
      else high = middle;
    }
    return low * 0x10000 + this.values[place]!;
  }

  /** @internal The bytes of the set themselves, which must not be changed. */
  get memoryBytes(): Uint8Array {
    return this.memory.bytes;
  }

  /** A copy of the bytes of the set, for `fromBytes` on this device. To send a set elsewhere, use `encodeArtifact`. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.memory.bytes);
  }

  /** @internal The entries as an array, which may be the set's own memory. */
  *readEntries(): Sliced<Entries> {
    const { index, values } = this;
    if (values instanceof Uint32Array) return { high: values, low: null };
    const high = new Uint32Array(values.length);
    let sliceEnd = 0;
    for (let bucket = 0; bucket < index.length - 1; bucket++) {
      const end = index[bucket + 1]!;
      for (let at = index[bucket]!; at < end; at++) high[at] = bucket * 0x10000 + values[at]!;
      if (end < sliceEnd) continue;
      yield;
      sliceEnd = end + entriesPerSlice;
    }
    return { high, low: null };
  }
}
