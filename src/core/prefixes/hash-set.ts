import { readU32, writeU32 } from '../bytes.js';
import { PortcullisError, requireBytes, requireIterable } from '../errors.js';
import { entriesPerSlice } from '../limits.js';
import { readOptions } from '../options/read-options.js';
import { runInSlices, runNow, type Sliced } from '../slices.js';
import { bucketBits, fillIndex, lowerBound } from './buckets.js';
import { copyInSlices, type Entries, EntryCollector } from './entries.js';
import { type WorkOptions, workKinds } from './prefix-set.js';
import { allocate, type Memory, open } from './set-memory.js';

/** Bytes of one entry. A link of five expressions matches one of a million entries by chance 1 time in 10^12, so a hit needs no confirmation. */
const entryLength = 8;

/**
 * An immutable set of hashes, kept by their first 8 bytes, for lists of whole hashes.
 *
 * @example HashSet.from([hashOf('evil.example')]).has(hashOf('evil.example')) // true
 */
export class HashSet implements Iterable<Uint8Array> {
  private readonly memory: Memory;
  private readonly seconds: Uint32Array;

  private constructor(memory: Memory) {
    this.memory = memory;
    this.seconds = memory.seconds!;
  }

  /** Builds the set synchronously from hashes of 8 bytes or more in any order. */
  static from(hashes: Iterable<Uint8Array>): HashSet {
    return runNow(HashSet.collect(hashes));
  }

  /** Builds the set in slices of a few milliseconds. */
  static build(hashes: Iterable<Uint8Array>, options?: WorkOptions): Promise<HashSet> {
    return runInSlices(HashSet.collect(hashes), readOptions('build', workKinds(), options).signal);
  }

  /** Opens bytes that `toBytes` returned on this device, without a copy; throws `INVALID_ARTIFACT` for any other bytes. */
  static fromBytes(bytes: Uint8Array): HashSet {
    return runNow(HashSet.opening(bytes));
  }

  /** @internal The same in slices. */
  static *opening(bytes: Uint8Array): Sliced<HashSet> {
    return new HashSet(yield* open(bytes, entryLength));
  }

  private static *collect(hashes: Iterable<Uint8Array>): Sliced<HashSet> {
    requireIterable(hashes, 'hashes');
    const collector = new EntryCollector(true);
    for (const hash of hashes) {
      requireHash(hash);
      collector.add(readU32(hash, 0), readU32(hash, 4));
      if (collector.count % entriesPerSlice === 0) yield;
    }
    return yield* HashSet.ofAscending(yield* collector.finish());
  }

  /** @internal The entries must be ascending and unique. */
  static *ofAscending({ high, low }: Entries): Sliced<HashSet> {
    const indexBits = bucketBits(high.length);
    const memory = allocate({ entryBytes: entryLength, valueBytes: 4, indexBits, count: high.length });
    yield* fillIndex(memory.index, high, 32 - indexBits);
    yield* copyInSlices(high, memory.values);
    yield* copyInSlices(low!, memory.seconds!);
    return new HashSet(memory);
  }

  /** Whether the set holds the first 8 bytes of this hash. */
  has(hash: Uint8Array): boolean {
    requireBytes(hash, 'hash');
    if (hash.length < entryLength) return false;
    const first = readU32(hash, 0);
    const second = readU32(hash, 4);
    const end = this.find(first, first + 1);
    const at = lowerBound(this.seconds, second, this.find(first, first), end);
    return at < end && this.seconds[at] === second;
  }

  /** Whether any entry begins with this prefix, which excludes most misses without the whole hash. */
  hasPrefix(prefix: number): boolean {
    return this.memory.values[this.find(prefix >>> 0, prefix >>> 0)] === prefix >>> 0;
  }

  /** The number of entries. */
  get size(): number {
    return this.memory.count;
  }

  /** The size of the set in bytes, in memory and stored. */
  get byteLength(): number {
    return this.memory.bytes.length;
  }

  /** The entries in ascending order, each a new array of 8 bytes. */
  *[Symbol.iterator](): IterableIterator<Uint8Array<ArrayBuffer>> {
    for (let at = 0; at < this.size; at++) {
      const entry = new Uint8Array(entryLength);
      writeU32(entry, 0, this.memory.values[at]!);
      writeU32(entry, 4, this.seconds[at]!);
      yield entry;
    }
  }

  /** @internal The bytes of the set themselves, which must not be changed. */
  get memoryBytes(): Uint8Array {
    return this.memory.bytes;
  }

  /** A copy of the bytes of the set, for `fromBytes` on this device. To send a set elsewhere, use `encodeArtifact`. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.memory.bytes);
  }

  /** @internal The entries as arrays of the set's own memory. */
  *readEntries(): Sliced<Entries> {
    const { values } = this.memory;
    if (values instanceof Uint32Array) return { high: values, low: this.seconds };
    yield;
    return { high: Uint32Array.from(values), low: this.seconds };
  }

  /** The first entry in the prefix's bucket whose first half is not less than `least`, else the end of the bucket. */
  private find(prefix: number, least: number): number {
    const { index, values, indexBits } = this.memory;
    const bucket = prefix >>> (32 - indexBits);
    return lowerBound(values, least, index[bucket]!, index[bucket + 1]!);
  }
}

function requireHash(hash: unknown): asserts hash is Uint8Array {
  requireBytes(hash, 'a hash');
  if (hash.length < entryLength) throw new PortcullisError('INVALID_INPUT', `a hash must have at least ${entryLength} bytes`);
}
