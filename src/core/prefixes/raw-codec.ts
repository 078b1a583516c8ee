import { readU32, writeU32 } from '../bytes.js';
import { entriesPerSlice } from '../limits.js';
import type { Sliced } from '../slices.js';
import { type Entries, isAscending } from './entries.js';
import { invalidArtifact } from './invalid.js';

/** Entries without a separator, big-endian, strictly ascending. */

export function* encodeRaw({ high, low }: Entries): Sliced<Uint8Array<ArrayBuffer>> {
  const entryBytes = low === null ? 4 : 8;
  const bytes = new Uint8Array(high.length * entryBytes);
  for (let at = 0; at < high.length; at++) {
    if (at % entriesPerSlice === 0 && at > 0) yield;
    writeU32(bytes, at * entryBytes, high[at]!);
    if (low !== null) writeU32(bytes, at * entryBytes + 4, low[at]!);
  }
  return bytes;
}

/** Nothing marks the bytes as a list, so the count the caller gives and the order of the entries verify them (docs/formats.md §2). */
export function* decodeRaw(bytes: Uint8Array, count: number, entryBytes: 4 | 8): Sliced<Entries> {
  if (bytes.length !== count * entryBytes) {
    throw invalidArtifact(`${count} entries of ${entryBytes} bytes were expected, but it has ${bytes.length} bytes`);
  }
  const entries: Entries = { high: new Uint32Array(count), low: entryBytes === 8 ? new Uint32Array(count) : null };
  for (let at = 0; at < count; at++) {
    if (at % entriesPerSlice === 0) yield;
    entries.high[at] = readU32(bytes, at * entryBytes);
    if (entries.low !== null) entries.low[at] = readU32(bytes, at * entryBytes + 4);
  }
  if (!(yield* isAscending(entries))) throw invalidArtifact('the entries are not in ascending order');
  return entries;
}
