import { readU32 } from '../../core/bytes.js';
import { requireCount, zeros } from '../../core/prefixes/entries.js';
import type { Sliced } from '../../core/slices.js';

/** The origin of a hash, as two numbers that the caller chooses. */
export interface Origin {
  readonly line: number;
  readonly tag: number;
}

/**
 * The full hashes of a list: 40 bytes each, in blocks, so that growing copies nothing, and 8 more to sort them without moving them. Hashes
 * are evenly distributed, so their top bits divide them into small buckets, which are sorted one at a time by the first 32 bits; the rest
 * of a hash, which lies anywhere in memory, is read only where those are equal.
 */
export class HashTable {
  /** Sorted indexes of the unique hashes, after `finish`. */
  order: Uint32Array = new Uint32Array(0);
  /** The first 32 bits of the hash at each place of `order`. */
  prefixes: Uint32Array = new Uint32Array(0);
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

  /** Takes out the hashes added since `start` that `isOut` names; the others move together. */
  *removeSince(start: number, isOut: (hash: Uint8Array, tag: number) => boolean): Sliced<void> {
    let to = start;
    for (let from = start; from < this.added; from++) {
      if ((from - start) % indexesPerSlice === indexesPerSlice - 1) yield;
      const at = (from & blockMask) * hashBytes;
      const hash = this.blocks[from >>> blockBits]!.subarray(at, at + hashBytes);
      const { line, tag } = this.origin(from);
      if (isOut(hash, tag)) continue;
      if (to < from) {
        this.blocks[to >>> blockBits]!.set(hash, (to & blockMask) * hashBytes);
        this.origins[to >>> blockBits]!.set([line, tag], 2 * (to & blockMask));
      }
      to++;
    }
    this.added = to;
    const blocks = Math.ceil(to / (blockMask + 1));
    this.blocks.length = blocks;
    this.origins.length = blocks;
  }

  /** Writes the sorted hashes from place `start` to place `end`. A view of each would take longer than copying it. */
  write(bytes: Uint8Array, start: number, end: number): void {
    for (let place = start, to = 0; place < end; place++) {
      const index = this.order[place]!;
      const block = this.blocks[index >>> blockBits]!;
      const from = (index & blockMask) * hashBytes;
      for (let at = from; at < from + hashBytes; at++) bytes[to++] = block[at]!;
    }
  }

  origin(index: number): Origin {
    const origins = this.origins[index >>> blockBits]!;
    const at = 2 * (index & blockMask);
    return { line: origins[at]!, tag: origins[at + 1]! };
  }

  /** Sorts the hashes and reports each duplicate; the hash that was added first stays. */
  *finish(onRepeat: (index: number, first: number) => void): Sliced<void> {
    const ends = yield* this.scatter();
    const { order, prefixes } = this;
    let count = 0;
    let start = 0;
    let sliceEnd = 0;
    for (const end of ends) {
      if (end > sliceEnd) {
        yield;
        sliceEnd = start + indexesPerSlice;
      }
      if (end - start <= maxInsertionSort) this.insertionSort(start, end);
      else yield* this.sortLarge(start, end);
      const first = count;
      for (let at = start; at < end; at++) {
        if (at > sliceEnd) {
          yield;
          sliceEnd = at + indexesPerSlice;
        }
        const index = order[at]!;
        if (count > first && prefixes[count - 1] === prefixes[at] && this.compare(order[count - 1]!, index) === 0) {
          onRepeat(index, order[count - 1]!);
          continue;
        }
        order[count] = index;
        prefixes[count++] = prefixes[at]!;
      }
      start = end;
    }
    this.order = order.subarray(0, count);
    this.prefixes = prefixes.subarray(0, count);
  }

  /** Orders all indexes by bucket and returns where each bucket ends. */
  private *scatter(): Sliced<Uint32Array> {
    const shift = 32 - bucketBits(this.added);
    const ends = new Uint32Array(2 ** (32 - shift));
    for (let index = 0; index < this.added; index++) {
      if (index % indexesPerSlice === 0) yield;
      ends[this.prefix(index) >>> shift]!++;
    }
    let sum = 0;
    for (let bucket = 0; bucket < ends.length; bucket++) {
      const size = ends[bucket]!;
      ends[bucket] = sum;
      sum += size;
    }
    this.order = yield* zeros(this.added);
    this.prefixes = yield* zeros(this.added);
    for (let index = 0; index < this.added; index++) {
      if (index % indexesPerSlice === 0) yield;
      const prefix = this.prefix(index);
      const place = ends[prefix >>> shift]!++;
      this.order[place] = index;
      this.prefixes[place] = prefix;
    }
    return ends;
  }

  private prefix(index: number): number {
    return readU32(this.blocks[index >>> blockBits]!, (index & blockMask) * hashBytes);
  }

  /** Stable, so that the first of equal hashes stays first. */
  private insertionSort(start: number, end: number): void {
    const { order, prefixes } = this;
    for (let at = start + 1; at < end; at++) {
      const index = order[at]!;
      const prefix = prefixes[at]!;
      let place = at;
      while (place > start) {
        const before = prefixes[place - 1]!;
        if (before < prefix || (before === prefix && this.compare(order[place - 1]!, index) <= 0)) break;
        order[place] = order[place - 1]!;
        prefixes[place] = before;
        place--;
      }
      order[place] = index;
      prefixes[place] = prefix;
    }
  }

  /**
   * A large bucket nearly always holds one hash many times, which is sorted already. Otherwise two sorted runs of equal length become one,
   * until one is left.
   */
  private *sortLarge(start: number, end: number): Sliced<void> {
    let left = indexesPerSlice;
    const spend = (): boolean => {
      if (left-- > 0) return false;
      left = indexesPerSlice;
      return true;
    };
    let isSorted = true;
    for (let at = start + 1; at < end && isSorted; at++) {
      if (spend()) yield;
      isSorted = this.compare(this.order[at - 1]!, this.order[at]!) <= 0;
    }
    if (isSorted) return;
    let from: Uint32Array = this.order.slice(start, end);
    let to: Uint32Array = new Uint32Array(from.length);
    for (let length = 1; length < from.length; length *= 2) {
      for (let low = 0; low < from.length; low += 2 * length) {
        const middle = Math.min(low + length, from.length);
        const high = Math.min(low + 2 * length, from.length);
        for (let at = low, a = low, b = middle; at < high; at++) {
          if (spend()) yield;
          // Of two equal ones, the one from the first run.
          const isFirst = a < middle && (b === high || this.compare(from[a]!, from[b]!) <= 0);
          to[at] = isFirst ? from[a++]! : from[b++]!;
        }
      }
      [from, to] = [to, from];
    }
    this.order.set(from, start);
    for (let at = start; at < end; at++) {
      if (spend()) yield;
      this.prefixes[at] = this.prefix(this.order[at]!);
    }
  }

  private compare(a: number, b: number): number {
    const blockA = this.blocks[a >>> blockBits]!;
    const blockB = this.blocks[b >>> blockBits]!;
    const startA = (a & blockMask) * hashBytes;
    const startB = (b & blockMask) * hashBytes;
    for (let at = 0; at < hashBytes; at++) {
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

/** Bits that select a bucket: 8 to 16 hashes in each, and 32 in the largest table. */
function bucketBits(count: number): number {
  return Math.min(20, Math.max(8, Math.ceil(Math.log2(Math.max(1, count / 16)))));
}

const indexesPerSlice = 32_768;

const maxInsertionSort = 64;
