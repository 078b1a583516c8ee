import { equalBytes, readU32, toHex, writeU32 } from '../bytes.js';
import { entriesPerSlice, maxEntries } from '../limits.js';
import type { Sliced } from '../slices.js';
import { invalidArtifact } from './invalid.js';
import { decodeRice, encodeRice } from './rice-codec.js';

/**
 * What changed from one sorted list to the next: the places of removed entries in the old list, and the added entries, each as coded gaps
 * (docs/formats.md §8). It has no checksum, because its result has one.
 *
 * | at | bytes | |
 * |---|---|---|
 * | 0 | 8 | magic |
 * | 8 | 1 | version, 1 |
 * | 9 | 3 | 0 |
 * | 12 | 4 | removed entries |
 * | 16 | 4 | added entries |
 * | 20 | 4 | bytes of the removed places |
 * | 24 | 8 | token of the snapshot before the old one, or zeros |
 * | 32 | | coded places, then coded entries |
 */
export interface DifferenceHeader {
  readonly removed: number;
  readonly added: number;
  readonly removedBytes: number;
  /** The token that the difference before this one starts from, in hex. */
  readonly before: string | null;
}

/** A byte that no text begins with, and line ends that a transfer in text mode would change. */
const magic: Uint8Array = /* @__PURE__ */ Uint8Array.of(0x89, 0x50, 0x43, 0x44, 0x0d, 0x0a, 0x1a, 0x0a);
const version = 1;
const headerBytes = 32;
const tokenAt = 24;

/** @param before 16 hex digits, or `null`. Both lists are strictly ascending. */
export function* encodeDifference(from: Uint32Array, to: Uint32Array, before: string | null): Sliced<Uint8Array> {
  const { removed, added } = yield* changesBetween(from, to);
  const places = yield* encodeRice({ high: removed, low: null }, from.length);
  const entries = yield* encodeRice({ high: added, low: null });
  const bytes = new Uint8Array(headerBytes + places.length + entries.length);
  bytes.set(magic);
  bytes[8] = version;
  writeU32(bytes, 12, removed.length);
  writeU32(bytes, 16, added.length);
  writeU32(bytes, 20, places.length);
  if (before !== null)
    for (const at of [0, 4]) writeU32(bytes, tokenAt + at, Number.parseInt(before.slice(2 * at, 2 * at + 8), 16));
  bytes.set(places, headerBytes);
  bytes.set(entries, headerBytes + places.length);
  return bytes;
}

interface Changes {
  /** Places in the old list. */
  readonly removed: Uint32Array;
  readonly added: Uint32Array;
}

function* changesBetween(from: Uint32Array, to: Uint32Array): Sliced<Changes> {
  const removed: number[] = [];
  const added: number[] = [];
  for (let a = 0, b = 0, steps = 0; a < from.length || b < to.length; steps++) {
    if (steps % entriesPerSlice === 0) yield;
    const isOld = b === to.length || (a < from.length && from[a]! <= to[b]!);
    const isNew = a === from.length || (b < to.length && to[b]! <= from[a]!);
    if (!isNew) removed.push(a);
    if (!isOld) added.push(to[b]!);
    if (isOld) a++;
    if (isNew) b++;
  }
  return { removed: Uint32Array.from(removed), added: Uint32Array.from(added) };
}

/** @throws PortcullisError `INVALID_ARTIFACT` */
export function readDifferenceHeader(bytes: Uint8Array): DifferenceHeader {
  const isOne = bytes.length >= headerBytes && equalBytes(bytes.subarray(0, magic.length), magic) && bytes[8] === version;
  if (!isOne) throw invalidArtifact('it is not a difference that this release reads');
  const before = toHex(bytes.subarray(tokenAt, headerBytes));
  return {
    removed: readU32(bytes, 12),
    added: readU32(bytes, 16),
    removedBytes: readU32(bytes, 20),
    before: /[^0]/.test(before) ? before : null,
  };
}

/**
 * The new list. The caller compares its checksum: a difference from another list may apply without an error.
 *
 * @throws PortcullisError `INVALID_ARTIFACT`
 */
export function* applyDifference(from: Uint32Array, bytes: Uint8Array): Sliced<Uint32Array> {
  const { removed: removedCount, added: addedCount, removedBytes } = readDifferenceHeader(bytes);
  const count = from.length - removedCount + addedCount;
  // Compared before anything is allocated; the codes compare each count with its bytes.
  if (removedCount > from.length || count > maxEntries || removedBytes > bytes.length - headerBytes) {
    throw invalidArtifact('the difference belongs to another list');
  }
  const addedAt = headerBytes + removedBytes;
  const { high: removed } = yield* decodeRice(bytes.subarray(headerBytes, addedAt), removedCount, 4, from.length);
  const { high: added } = yield* decodeRice(bytes.subarray(addedAt), addedCount, 4);
  return yield* withChanges(from, removed, added);
}

/**
 * A list without its entries at the removed places, which exist, and with the added ones. All are strictly ascending.
 *
 * @throws PortcullisError `INVALID_ARTIFACT` if an added entry is in the list
 */
export function* withChanges(from: Uint32Array, removed: Uint32Array, added: Uint32Array): Sliced<Uint32Array> {
  const to = new Uint32Array(from.length - removed.length + added.length);
  let [place, gone, next] = [0, 0, 0];
  for (let at = 0; at < to.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    while (gone < removed.length && removed[gone] === place) {
      gone++;
      place++;
    }
    const isAdded = next < added.length && (place === from.length || added[next]! <= from[place]!);
    const entry = isAdded ? added[next++]! : from[place++]!;
    if (at > 0 && entry <= to[at - 1]!) throw invalidArtifact('the difference belongs to another list');
    to[at] = entry;
  }
  return to;
}
