import { PortcullisError } from '../errors.js';
import { entriesPerSlice, maxEntries } from '../limits.js';
import type { Sliced } from '../slices.js';

/**
 * The entries of a set: the first 32 bits of each, and the second 32 where entries are 8 bytes long. Ascending and unique, except
 * where a comment says otherwise.
 */
export interface Entries {
  readonly high: Uint32Array;
  readonly low: Uint32Array | null;
}

/** Called before anything is allocated for the count. */
export function requireCount(count: number, max: number = maxEntries): void {
  if (count > max) throw new PortcullisError('LIMIT_EXCEEDED', `a set holds at most ${max} entries, and this one has more`);
}

/**
 * Grows by doubling, because an iterable does not say how many entries it has; then in blocks, because doubling ten million entries copies
 * them in one piece. They may be unsorted and repeated.
 */
export class EntryCollector {
  count = 0;
  private readonly full: Entries[] = [];
  private high: Uint32Array;
  private low: Uint32Array | null;
  /** The place in the present block. */
  private at = 0;
  private readonly max: number;

  /** `max` is smaller in tests only. */
  constructor(wide: boolean, expected = 1024, max: number = maxEntries) {
    requireCount(expected, max);
    this.max = max;
    this.high = new Uint32Array(expected);
    this.low = wide ? new Uint32Array(expected) : null;
  }

  add(high: number, low: number): void {
    if (this.at === this.high.length) this.grow();
    this.high[this.at] = high;
    if (this.low !== null) this.low[this.at] = low;
    this.at++;
    this.count++;
  }

  /** The entries in ascending order, without duplicates. */
  *finish(): Sliced<Entries> {
    const last = { high: this.high.subarray(0, this.at), low: this.low?.subarray(0, this.at) ?? null };
    return yield* sortEntries(this.full.length === 0 ? last : yield* joinBlocks([...this.full, last], this.count));
  }

  private grow(): void {
    requireCount(this.count + 1, this.max);
    const { high, low, at } = this;
    const isFull = at >= blockEntries;
    const room = isFull ? Math.min(blockEntries, this.max - this.count) : Math.min(this.max, Math.max(1024, at * 2));
    this.high = new Uint32Array(room);
    this.low = low && new Uint32Array(room);
    if (isFull) {
      this.full.push({ high, low });
      this.at = 0;
    } else {
      this.high.set(high);
      this.low?.set(low!);
    }
  }
}

/** Copying 8 bytes each into new memory takes a few milliseconds. */
const blockEntries = 2 ** 20;

function* joinBlocks(blocks: readonly Entries[], count: number): Sliced<Entries> {
  const entries: Entries = { high: new Uint32Array(count), low: blocks[0]!.low && new Uint32Array(count) };
  let at = 0;
  for (const { high, low } of blocks) {
    yield* copyInSlices(high, entries.high.subarray(at, at + high.length));
    if (low !== null) yield* copyInSlices(low, entries.low!.subarray(at, at + low.length));
    at += high.length;
  }
  return entries;
}

/**
 * A system provides memory when it is first written to. Scattered writes would need nearly all of it at once, which takes 50 ms for ten
 * million numbers.
 */
export function* zeros(count: number): Sliced<Uint32Array> {
  const values = new Uint32Array(count);
  for (let at = 0; at < count; at += zerosPerSlice) {
    yield;
    values.fill(0, at, at + zerosPerSlice);
  }
  return values;
}

const zerosPerSlice = 2 ** 20;

/** Into an array of the same length. */
export function* copyInSlices(from: Uint32Array, to: Uint32Array | Uint16Array): Sliced<void> {
  for (let at = 0; at < from.length; at += copiedPerSlice) {
    to.set(from.subarray(at, at + copiedPerSlice), at);
    yield;
  }
}

/** Copying takes a fraction of a nanosecond for each entry. */
const copiedPerSlice: number = 16 * entriesPerSlice;

/** Takes entries in any order and may overwrite their arrays. */
export function* sortEntries(entries: Entries): Sliced<Entries> {
  if (yield* isAscending(entries)) return entries;
  let { high, low } = entries;
  if (low === null) [high] = yield* radixSort(high, null);
  else {
    [low, high] = (yield* radixSort(low, high)) as [Uint32Array, Uint32Array];
    [high, low] = (yield* radixSort(high, low)) as [Uint32Array, Uint32Array];
  }
  return yield* withoutRepeats({ high, low });
}

/** Strictly ascending, so without duplicates. */
export function* isAscending({ high, low }: Entries): Sliced<boolean> {
  for (let at = 1; at < high.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    if (high[at]! > high[at - 1]!) continue;
    if (low === null || high[at] !== high[at - 1] || low[at]! <= low[at - 1]!) return false;
  }
  return true;
}

function* withoutRepeats({ high, low }: Entries): Sliced<Entries> {
  let count = 0;
  for (let at = 0; at < high.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    const repeated = at > 0 && high[at] === high[count - 1] && (low === null || low[at] === low[count - 1]);
    if (repeated) continue;
    high[count] = high[at]!;
    if (low !== null) low[count] = low[at]!;
    count++;
  }
  return { high: high.subarray(0, count), low: low?.subarray(0, count) ?? null };
}

const digitBits = 11;
const digitMask = 2 ** digitBits - 1;

/**
 * A stable radix sort by three digits that reorders a second array alike. It is as fast as the engine's sort, which blocks the
 * thread for 51 ms on a million numbers, but runs in slices.
 */
function* radixSort(keys: Uint32Array, beside: Uint32Array | null): Sliced<[Uint32Array, Uint32Array | null]> {
  let from: [Uint32Array, Uint32Array | null] = [keys, beside];
  let to: [Uint32Array, Uint32Array | null] = [yield* zeros(keys.length), beside && (yield* zeros(keys.length))];
  for (let shift = 0; shift < 32; shift += digitBits) {
    const next = yield* digitStarts(from[0], shift);
    yield* scatter(from, to, next, shift);
    [from, to] = [to, from];
  }
  return from;
}

/** The position of the first key with each digit. */
function* digitStarts(keys: Uint32Array, shift: number): Sliced<Uint32Array> {
  const counts = new Uint32Array(digitMask + 1);
  for (let start = 0; start < keys.length; start += entriesPerSlice) {
    const end = Math.min(keys.length, start + entriesPerSlice);
    for (let at = start; at < end; at++) counts[(keys[at]! >>> shift) & digitMask]!++;
    yield;
  }
  let sum = 0;
  for (let digit = 0; digit < counts.length; digit++) {
    const count = counts[digit]!;
    counts[digit] = sum;
    sum += count;
  }
  return counts;
}

function* scatter(
  [keys, beside]: readonly [Uint32Array, Uint32Array | null],
  [toKeys, toBeside]: readonly [Uint32Array, Uint32Array | null],
  next: Uint32Array,
  shift: number,
): Sliced<void> {
  for (let start = 0; start < keys.length; start += entriesPerSlice) {
    const end = Math.min(keys.length, start + entriesPerSlice);
    for (let at = start; at < end; at++) {
      const place = next[(keys[at]! >>> shift) & digitMask]!++;
      toKeys[place] = keys[at]!;
      if (toBeside !== null) toBeside[place] = beside![at]!;
    }
    yield;
  }
}

/**
 * The fewest unique entries of a list whose publisher counted expressions, some of which share a prefix. Chance explains n²/2^33
 * shared prefixes; twice that may be missing, or 16 from a short list.
 */
export function fewestOf(count: number): number {
  return count - Math.max(0, Math.min(count - 1, Math.max(16, count ** 2 / 0x1_0000_0000)));
}
