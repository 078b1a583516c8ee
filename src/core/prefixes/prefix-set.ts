import { type Abortable, PortcullisError } from '../errors.js';
import { entriesPerSlice } from '../limits.js';
import { runInSlices, runNow, type Sliced } from '../slices.js';
import { bucketBits, fillIndex, lowerBound } from './buckets.js';
import { copyInSlices, type Entries, EntryCollector } from './entries.js';
import { allocate, type Memory, open } from './set-memory.js';

/** Options of long-running work. */
export interface WorkOptions {
  readonly signal?: Abortable | undefined;
}

/**
 * From this size on, the top 16 bits select the bucket and only the other 16 are stored: 2.3 bytes per entry at a million. In a
 * smaller set the index of 256 KiB would outweigh the entries.
 */
const narrowFrom = 2 ** 17;

/**
 * An immutable set of 4-byte hash prefixes. A lookup takes one step into an index and a short search.
 *
 * @example PrefixSet.from([prefixOf('evil.example')]).has(prefixOf('evil.example')) // true
 */
export class PrefixSet implements Iterable<number> {
  private readonly memory: Memory;
  private readonly index: Uint32Array;
  private readonly values: Uint32Array | Uint16Array;
  private readonly shift: number;
  private readonly mask: number;

  private constructor(memory: Memory) {
    this.memory = memory;
    this.index = memory.index;
    this.values = memory.values;
    this.shift = 32 - memory.indexBits;
    this.mask = memory.valueBytes === 2 ? 0xffff : -1;
  }

  /** Builds the set synchronously from entries in any order. A million take about 50 ms; `build` does not block for that long. */
  static from(entries: Iterable<number>): PrefixSet {
    return runNow(PrefixSet.collect(entries));
  }

  /** Builds the set in slices of a few milliseconds, so that a page or a server stays responsive. */
  static build(entries: Iterable<number>, options: WorkOptions = {}): Promise<PrefixSet> {
    return runInSlices(PrefixSet.collect(entries), options?.signal);
  }

  /**
   * Opens bytes that `toBytes` returned on this device, without a copy: they must not change afterwards.
   * Throws `INVALID_ARTIFACT` for any other bytes.
   */
  static fromBytes(bytes: Uint8Array): PrefixSet {
    return runNow(PrefixSet.opening(bytes));
  }

  /** @internal The same in slices. */
  static *opening(bytes: Uint8Array): Sliced<PrefixSet> {
    return new PrefixSet(yield* open(bytes, 4));
  }

  private static *collect(entries: Iterable<number>): Sliced<PrefixSet> {
    const collector = new EntryCollector(false);
    for (const entry of entries) {
      requirePrefix(entry);
      collector.add(entry, 0);
      if (collector.count % entriesPerSlice === 0) yield;
    }
    return yield* PrefixSet.ofAscending((yield* collector.finish()).high);
  }

  /** @internal The values must be ascending and unique. */
  static *ofAscending(values: Uint32Array): Sliced<PrefixSet> {
    const count = values.length;
    const narrow = count >= narrowFrom;
    const indexBits = narrow ? 16 : bucketBits(count);
    const memory = allocate({ entryBytes: 4, valueBytes: narrow ? 2 : 4, indexBits, count });
    yield* fillIndex(memory.index, values, 32 - indexBits);
    // A 16-bit view drops the upper half, which the bucket implies.
    yield* copyInSlices(values, memory.values);
    return new PrefixSet(memory);
  }

  /** Whether the set holds this prefix; any number is read as an unsigned 32-bit integer. */
  has(prefix: number): boolean {
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

function requirePrefix(entry: unknown): asserts entry is number {
  if (typeof entry !== 'number') throw new TypeError(`a prefix must be a number, not ${typeof entry}`);
  if (entry >>> 0 !== entry) {
    throw new PortcullisError('INVALID_INPUT', 'a prefix must be a whole number from 0 to 2^32 - 1');
  }
}
