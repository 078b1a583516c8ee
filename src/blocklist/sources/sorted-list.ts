import { equalBytes, readU32, writeU32 } from '../../core/bytes.js';
import { createDigest } from '../../core/hashing/sha256.js';
import { entriesPerSlice, maxEntries } from '../../core/limits.js';
import { lowerBound } from '../../core/prefixes/buckets.js';
import { withChanges } from '../../core/prefixes/difference.js';
import { sortEntries } from '../../core/prefixes/entries.js';
import { invalidArtifact } from '../../core/prefixes/invalid.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import type { Sliced } from '../../core/slices.js';
import { decodeRiceEntries, decodeRiceNumbers, type RiceEntries, type RiceNumbers } from './rice-numbers.js';

/**
 * A list as Safe Browsing and Web Risk serve it: entries sorted by their bytes. Almost all have four bytes; the others begin the hashes
 * that would collide with a popular page.
 */
export interface SortedList {
  /** The entries of four bytes, ascending. */
  readonly short: Uint32Array;
  /** The entries of 5 to 32 bytes, ascending. */
  readonly long: readonly Uint8Array[];
}

/** One step from a list to the next. */
export interface ListUpdate {
  /** Whether it changes the list that the client has. If not, it contains the whole list. */
  readonly isPartial: boolean;
  /** Places in the list that the client has, ascending. */
  readonly removals: RiceNumbers | readonly number[] | null;
  readonly additions: RiceNumbers | null;
  /** Whether the coded additions are the entries' bytes read backwards. */
  readonly isLittleEndian: boolean;
  /** Further additions, each group of one length. */
  readonly raw: readonly (RawEntries | RiceEntries)[];
  /** SHA-256 of all bytes of the new list. */
  readonly sum: Uint8Array;
}

export interface RawEntries {
  readonly size: number;
  readonly bytes: Uint8Array;
}

export const emptyList: SortedList = { short: new Uint32Array(0), long: [] };

/** Longer entries are rare, so they may be slow; a list of nothing else would take too much memory. */
const maxLong = 65_536;

/**
 * The new list. Its checksum is not compared yet.
 *
 * @throws PortcullisError `INVALID_ARTIFACT`
 */
export function* updatedList(list: SortedList, update: ListUpdate): Sliced<SortedList> {
  const { short, long } = update.isPartial ? list : emptyList;
  const removals = yield* removalsOf(update);
  if (removals.length > 0 && removals[removals.length - 1]! >= short.length + long.length) {
    throw invalidArtifact('an update removes an entry that the list does not have');
  }
  const added = yield* additionsOf(update);
  if (short.length + added.short.length > maxEntries || long.length + added.long.length > maxLong) {
    throw invalidArtifact('the list has too many entries');
  }
  const gone = split(removals, short, long);
  const kept = long.filter((_, at) => !gone.long.has(at));
  return {
    short: yield* withChanges(short, gone.short, added.short),
    long: ascending([...kept, ...added.long]),
  };
}

/** SHA-256 of the entries' bytes. */
export function* sumOf({ short, long }: SortedList): Sliced<Uint8Array> {
  const digest = createDigest();
  let next = 0;
  for (let start = 0; start < short.length; yield) {
    const place = next < long.length ? placeOf(long[next]!, short) : short.length;
    const end = Math.min(place, start + entriesPerSlice);
    const bytes = new Uint8Array(4 * (end - start));
    for (let at = start; at < end; at++) writeU32(bytes, 4 * (at - start), short[at]!);
    digest.update(bytes);
    start = end;
    while (next < long.length && placeOf(long[next]!, short) === start) digest.update(long[next++]!);
  }
  for (; next < long.length; next++) digest.update(long[next]!);
  return digest.digest();
}

/** The first four bytes of each entry, which is what checks look up. */
export function* setOf({ short, long }: SortedList): Sliced<PrefixSet> {
  if (long.length === 0) return yield* PrefixSet.ofAscending(short);
  const all = new Uint32Array(short.length + long.length);
  all.set(short);
  long.forEach((entry, at) => {
    all[short.length + at] = readU32(entry, 0);
  });
  return yield* PrefixSet.ofAscending((yield* sortEntries({ high: all, low: null })).high);
}

/** The list behind a set and the packed longer entries of the same list. */
export function* listOfSet(set: PrefixSet, packed: Uint8Array): Sliced<SortedList | null> {
  const { high } = yield* set.readEntries();
  const unpacked = unpack(packed);
  if (unpacked === null) return null;
  const { long, only } = unpacked;
  const places = [...only].map((prefix) => lowerBound(high, prefix, 0, high.length));
  if (places.some((place, at) => high[place] !== only[at])) return null;
  return { short: yield* withChanges(high, Uint32Array.from(places), new Uint32Array(0)), long };
}

/** The longer entries, each after its length, plus 128 if its first four bytes are an entry themselves. */
export function pack({ short, long }: SortedList): Uint8Array {
  const bytes = new Uint8Array(long.reduce((sum, entry) => sum + 1 + entry.length, 0));
  let at = 0;
  for (const entry of long) {
    const prefix = readU32(entry, 0);
    const isShortToo = short[lowerBound(short, prefix, 0, short.length)] === prefix;
    bytes[at] = entry.length + (isShortToo ? 128 : 0);
    bytes.set(entry, at + 1);
    at += 1 + entry.length;
  }
  return bytes;
}

interface Unpacked {
  readonly long: readonly Uint8Array[];
  /** The first four bytes of entries of which only longer ones are in the list, ascending. */
  readonly only: readonly number[];
}

function unpack(bytes: Uint8Array): Unpacked | null {
  const long: Uint8Array[] = [];
  const only = new Set<number>();
  for (let at = 0; at < bytes.length; ) {
    const size = bytes[at]! & 127;
    const entry = bytes.subarray(at + 1, at + 1 + size);
    if (size < 5 || size > 32 || entry.length < size) return null;
    if (bytes[at]! < 128) only.add(readU32(entry, 0));
    long.push(entry);
    at += 1 + size;
  }
  return { long, only: [...only] };
}

/** Places in the list that the client has. */
export function* removalsOf({ removals, isPartial }: ListUpdate): Sliced<Uint32Array> {
  if (removals === null || !isPartial) return new Uint32Array(0);
  if ('data' in removals) return yield* decodeRiceNumbers(removals);
  if (removals.some((place, at) => at > 0 && place <= removals[at - 1]!)) throw invalidArtifact('the removals are not ascending');
  return Uint32Array.from(removals);
}

function* additionsOf({ additions, isLittleEndian, raw }: ListUpdate): Sliced<SortedList> {
  const coded = additions === null ? new Uint32Array(0) : yield* decodeRiceNumbers(additions);
  if (isLittleEndian) {
    for (let at = 0; at < coded.length; at++) {
      if (at % entriesPerSlice === 0) yield;
      const value = coded[at]!;
      coded[at] = (value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24);
    }
  }
  const long: Uint8Array[] = [];
  const parts = [coded];
  for (const group of raw) {
    const size = 'size' in group ? group.size : group.first.length;
    const count = 'size' in group ? group.bytes.length / size : group.count + 1;
    // Before they are decoded.
    if (size > 4 && count + long.length > maxLong) throw invalidArtifact('the list has too many long entries');
    const bytes = 'size' in group ? group.bytes : yield* decodeRiceEntries(group);
    const whole = new Uint32Array(size === 4 ? count : 0);
    for (let at = 0; at < count; at++) {
      if (at % entriesPerSlice === 0) yield;
      if (size === 4) whole[at] = readU32(bytes, 4 * at);
      else long.push(bytes.slice(size * at, size * (at + 1)));
    }
    parts.push(whole);
  }
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return { short: (yield* sortEntries({ high: all, low: null })).high, long };
}

/** Removals of entries of four bytes, as places among those, and of the others. */
function split(
  removals: Uint32Array,
  short: Uint32Array,
  long: readonly Uint8Array[],
): { readonly short: Uint32Array; readonly long: ReadonlySet<number> } {
  const gone = new Set<number>();
  if (long.length === 0) return { short: removals, long: gone };
  const places = long.map((entry, at) => placeOf(entry, short) + at);
  const rest: number[] = [];
  let next = 0;
  for (const place of removals) {
    while (next < places.length && places[next]! < place) next++;
    if (places[next] === place) gone.add(next);
    else rest.push(place - next);
  }
  return { short: Uint32Array.from(rest), long: gone };
}

/** The number of entries of four bytes before a longer one. */
function placeOf(entry: Uint8Array, short: Uint32Array): number {
  return lowerBound(short, readU32(entry, 0) + 1, 0, short.length);
}

/** Longer entries by their bytes; one that begins with another comes after it. */
function ascending(entries: Uint8Array[]): readonly Uint8Array[] {
  entries.sort(compare);
  const isRepeated = entries.some((entry, at) => at > 0 && equalBytes(entry, entries[at - 1]!));
  if (isRepeated) throw invalidArtifact('an update adds an entry that the list has');
  return entries;
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, place) => byte !== b[place]);
  // `a` begins `b`, or they are equal.
  return at < 0 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}
