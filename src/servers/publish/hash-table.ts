import { readU32 } from '../../core/bytes.js';
import { requireCount } from '../../core/prefixes/entries.js';
import type { Sliced } from '../../core/slices.js';

/** The origin of a hash, as two numbers that the caller chooses. */
export interface Origin {
  readonly line: number;
  readonly tag: number;
}

/**
 * The full hashes of a list: 40 bytes each, in blocks, so that growing copies nothing, and 4 more to sort them without moving them. Hashes
 * are evenly distributed, so the top 16 bits divide them into small buckets, which are sorted one at a time.
 */
export class HashTable {
  /** Sorted indexes of the unique hashes, after `finish`. */
  order: Uint32Array = new Uint32Array(0);
  private added = 0;
  private readonly blocks: Uint8Array[] = [];
  private readonly origins: Uint32Array[] = [];

  get count(): number {
    return this.added;
  }

  add(hash: Uint8Array, line: number, tag: number): void {
    requireCount(this.added + 1);
    const block = this.added >>> blockBits;
    const at = this.added & blockMask;
    if (at === 0) {
      this.blocks.push(new Uint8Array(hashBytes << blockBits));
      this.origins.push(new Uint32Array(2 << blockBits));
    }
    this.blocks[block]!.set(hash, at * hashBytes);
    this.origins[block]![2 * at] = line;
    this.origins[block]![2 * at + 1] = tag;
    this.added++;
  }

  hash(index: number): Uint8Array {
    const at = (index & blockMask) * hashBytes;
    return this.blocks[index >>> blockBits]!.subarray(at, at + hashBytes);
  }

  prefix(index: number): number {
    return readU32(this.blocks[index >>> blockBits]!, (index & blockMask) * hashBytes);
  }

  origin(index: number): Origin {
    const origins = this.origins[index >>> blockBits]!;
    const at = 2 * (index & blockMask);
    return { line: origins[at]!, tag: origins[at + 1]! };
  }

  /** Sorts the hashes and reports each duplicate; the hash that was added first stays. */
  *finish(onRepeat: (index: number, first: number) => void): Sliced<void> {
    const ends = yield* this.scatter();
    let count = 0;
    let start = 0;
    for (let bucket = 0; bucket < ends.length; bucket++) {
      if (bucket % bucketsPerSlice === 0) yield;
      const end = ends[bucket]!;
      if (end - start <= maxInsertionSort) this.insertionSort(start, end);
      else yield* this.sortLarge(start, end);
      for (let at = start; at < end; at++) {
        const index = this.order[at]!;
        const last = at === start ? -1 : this.order[count - 1]!;
        if (last >= 0 && this.compare(last, index) === 0) onRepeat(index, last);
        else this.order[count++] = index;
      }
      start = end;
    }
    this.order = this.order.slice(0, count);
  }

  /** Orders all indexes by bucket and returns where each bucket ends. */
  private *scatter(): Sliced<Uint32Array> {
    const ends = new Uint32Array(bucketCount);
    for (let index = 0; index < this.added; index++) {
      if (index % indexesPerSlice === 0) yield;
      ends[this.prefix(index) >>> 16]!++;
    }
    let sum = 0;
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      const size = ends[bucket]!;
      ends[bucket] = sum;
      sum += size;
    }
    this.order = new Uint32Array(this.added);
    for (let index = 0; index < this.added; index++) {
      if (index % indexesPerSlice === 0) yield;
      this.order[ends[this.prefix(index) >>> 16]!++] = index;
    }
    return ends;
  }

  /** Stable, so that the first of equal hashes stays first. */
  private insertionSort(start: number, end: number): void {
    for (let at = start + 1; at < end; at++) {
      const index = this.order[at]!;
      let place = at;
      while (place > start && this.compare(this.order[place - 1]!, index) > 0) {
        this.order[place] = this.order[place - 1]!;
        place--;
      }
      this.order[place] = index;
    }
  }

  /** A large bucket nearly always holds one hash many times, which is sorted already. */
  private *sortLarge(start: number, end: number): Sliced<void> {
    let isSorted = true;
    for (let at = start + 1; at < end && isSorted; at++) {
      if ((at - start) % indexesPerSlice === 0) yield;
      isSorted = this.compare(this.order[at - 1]!, this.order[at]!) <= 0;
    }
    if (!isSorted) this.order.subarray(start, end).sort((a, b) => this.compare(a, b) || a - b);
  }

  private compare(a: number, b: number): number {
    const blockA = this.blocks[a >>> blockBits]!;
    const blockB = this.blocks[b >>> blockBits]!;
    const startA = (a & blockMask) * hashBytes;
    const startB = (b & blockMask) * hashBytes;
    // Hashes in a bucket share their first two bytes.
    for (let at = 2; at < hashBytes; at++) {
      const difference = blockA[startA + at]! - blockB[startB + at]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

const hashBytes = 32;

/** 2^14 hashes per block: half a mebibyte, even for a list of ten assets. */
const blockBits = 14;
const blockMask: number = 2 ** blockBits - 1;

const bucketCount = 65_536;

/** About 31,000 of a million hashes per slice. */
const bucketsPerSlice = 2_048;
const indexesPerSlice = 32_768;

/** A list of two million hashes has 32 per bucket. */
const maxInsertionSort = 48;
