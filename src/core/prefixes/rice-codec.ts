import { entriesPerSlice } from '../limits.js';
import type { Sliced } from '../slices.js';
import type { Entries } from './entries.js';
import { invalidArtifact } from './invalid.js';

/**
 * Golomb–Rice coding of the gaps between ascending values (docs/formats.md §4). The divisor follows from the count alone, need not
 * be a power of two, and stays within 0.3 % of what any code can reach for evenly spread values; a power of two, Rice's own
 * choice, would miss the promised 1 % at some counts. Second halves of 8-byte entries are effectively random and are stored as they are.
 */

/** ln 2 · 2^32: the best divisor is the mean gap times ln 2 (R. F. Rice, R. G. Gallager and D. C. Van Voorhis, 1975). */
const divisorScale = 2_977_044_472;

const allPrefixes = 0x1_0000_0000;

interface Code {
  readonly divisor: number;
  /** Bits of the larger remainders; the first `short` ones take one bit less (truncated binary). */
  readonly bits: number;
  readonly short: number;
}

/** @param universe Values are below it: 2^32, or the length of the list whose places are coded. */
function codeFor(count: number, universe: number): Code {
  const divisor = Math.max(1, Math.floor(universe === allPrefixes ? divisorScale / count : (693 * universe) / (1000 * count)));
  let bits = 0;
  while (2 ** bits < divisor) bits++;
  return { divisor, bits, short: 2 ** bits - divisor };
}

export function* encodeRice({ high, low }: Entries, universe: number = allPrefixes): Sliced<Uint8Array> {
  if (high.length === 0) return new Uint8Array(0);
  const code = codeFor(high.length, universe);
  const writer = new BitWriter(maxLength(high.length, code, low !== null, universe));
  for (let at = 0; at < high.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    const gap = high[at]! - leastValue(high, at, low !== null);
    writer.ones(Math.floor(gap / code.divisor));
    const rest = gap % code.divisor;
    if (rest < code.short) writer.bits(rest, code.bits - 1);
    else writer.bits(rest + code.short, code.bits);
    if (low !== null) writer.bits(low[at]!, 32);
  }
  return writer.finish();
}

/** The smallest value that entry `at` can have: one more than the last where first halves are unique. */
function leastValue(high: Uint32Array, at: number, repeats: boolean): number {
  if (at === 0) return 0;
  return high[at - 1]! + (repeats ? 0 : 1);
}

/** The most bytes that this many entries take: an end bit and a remainder each, and quotients that add up to the universe at most. */
function maxLength(count: number, { divisor, bits }: Code, wide: boolean, universe: number): number {
  const quotients = Math.ceil(universe / divisor);
  return Math.ceil((count * (1 + bits + (wide ? 32 : 0)) + quotients) / 8);
}

function minLength(count: number, { bits, short }: Code, wide: boolean): number {
  return Math.ceil((count * (1 + (short > 0 ? bits - 1 : bits) + (wide ? 32 : 0))) / 8);
}

/** Compares the size with the count before allocating anything. */
export function* decodeRice(
  bytes: Uint8Array,
  count: number,
  entryBytes: 4 | 8,
  universe: number = allPrefixes,
): Sliced<Entries> {
  const wide = entryBytes === 8;
  const code = codeFor(Math.max(1, count), universe);
  const fits =
    count === 0
      ? bytes.length === 0
      : bytes.length >= minLength(count, code, wide) && bytes.length <= maxLength(count, code, wide, universe);
  if (!fits) throw invalidArtifact(`${bytes.length} bytes cannot hold ${count} coded entries`);
  const entries: Entries = { high: new Uint32Array(count), low: wide ? new Uint32Array(count) : null };
  const reader = new BitReader(bytes);
  for (let at = 0; at < count; at++) {
    if (at % entriesPerSlice === 0) yield;
    const value = leastValue(entries.high, at, wide) + readGap(reader, code);
    if (value >= universe) throw invalidArtifact('a value is too large');
    entries.high[at] = value;
    if (entries.low === null) continue;
    entries.low[at] = reader.bits(32);
    const repeated = at > 0 && value === entries.high[at - 1] && entries.low[at]! <= entries.low[at - 1]!;
    if (repeated) throw invalidArtifact('the entries are not in ascending order');
  }
  reader.requireEnd();
  return entries;
}

function readGap(reader: BitReader, { divisor, bits, short }: Code): number {
  const quotient = reader.ones();
  if (bits === 0) return quotient;
  const first = reader.bits(bits - 1);
  const rest = first < short ? first : first * 2 + reader.bits(1) - short;
  return quotient * divisor + rest;
}

/** Most significant bit first. Values have up to 32 bits, so no signed shift is used where it would overflow. */
class BitWriter {
  private readonly bytes: Uint8Array;
  private at = 0;
  /** The last bits, fewer than eight, that fill no byte yet. */
  private pending = 0;
  private pendingCount = 0;

  constructor(maxLength: number) {
    this.bytes = new Uint8Array(maxLength);
  }

  /** `count` ones and a zero. */
  ones(count: number): void {
    let left = count;
    for (; left > 15; left -= 15) this.bits(0x7fff, 15);
    this.bits(((1 << left) - 1) << 1, left + 1);
  }

  bits(value: number, count: number): void {
    if (count > 16) {
      this.bits(value >>> 16, count - 16);
      this.bits(value & 0xffff, 16);
      return;
    }
    let left = this.pendingCount + count;
    const pending = (this.pending << count) | value;
    while (left >= 8) {
      left -= 8;
      this.bytes[this.at++] = pending >>> left;
    }
    this.pending = pending & ((1 << left) - 1);
    this.pendingCount = left;
  }

  finish(): Uint8Array {
    if (this.pendingCount === 0) return this.bytes.slice(0, this.at);
    this.bytes[this.at] = this.pending << (8 - this.pendingCount);
    return this.bytes.slice(0, this.at + 1);
  }
}

class BitReader {
  private readonly bytes: Uint8Array;
  /** In bits; below 2^31, because a payload is at most `maxEntries` times 40 bits. */
  private position = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The number of ones before the next zero; stops where the bytes end. */
  ones(): number {
    let count = 0;
    for (;;) {
      const run = Math.clz32(~this.window());
      count += Math.min(run, 24);
      if (run < 24) {
        this.position += run + 1;
        this.requireInside();
        return count;
      }
      this.position += 24;
      this.requireInside();
    }
  }

  bits(count: number): number {
    if (count > 24) return this.bits(count - 16) * 0x10000 + this.bits(16);
    if (count === 0) return 0;
    const value = this.window() >>> (32 - count);
    this.position += count;
    this.requireInside();
    return value;
  }

  /** Only the zeros that fill the last byte may be left. */
  requireEnd(): void {
    const left = this.bytes.length * 8 - this.position;
    if (left >= 8 || (left > 0 && this.window() !== 0)) throw invalidArtifact('unexpected data after the last entry');
  }

  /** The next 32 bits, of which at least the first 25 are valid; zeros after the end. */
  private window(): number {
    const { bytes } = this;
    const at = this.position >>> 3;
    const word = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    return word << (this.position & 7);
  }

  private requireInside(): void {
    if (this.position > this.bytes.length * 8) throw invalidArtifact('truncated in the middle of an entry');
  }
}
