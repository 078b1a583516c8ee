import { encodeShard, hashBytes } from '../../blocklist/formats/shards.js';
import type { HotRef } from '../../blocklist/formats/version-document.js';
import { readU32, toHex } from '../../core/bytes.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { entriesPerSlice } from '../../core/limits.js';
import type { Sliced } from '../../core/slices.js';
import type { HashTable } from './hash-table.js';
import type { Known } from './list-snapshots.js';

/** The file with whole hashes of the newest entries. */
export interface HotFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly ref: Omit<HotRef, 'url'>;
}

/**
 * The entries that the previous snapshot lacks; and while it stays in use, those of the previous file that are still listed, which came
 * before it. So an entry keeps its whole hash for one to two lifetimes of a snapshot, and nothing has to be remembered but that file.
 *
 *     snapshots   ├────── A ──────┼────── B ──────┼───
 *     added          x                            ▲
 *     in the file    ├────────────────────────────┘
 *
 * If they are too many, the entries of this build come first, then those that have whole hashes already, so that the same list makes the same
 * file, then others. That many new entries come from another list, and not from today.
 *
 * @returns `null` if there are none
 */
export function* hotFileOf(table: HashTable, known: Known | null, isKept: boolean, maxCount: number): Sliced<HotFile | null> {
  if (known === null || maxCount === 0) return null;
  const hashAt = (at: number): Uint8Array => {
    const hash = new Uint8Array(hashBytes);
    table.write(hash, at, at + 1);
    return hash;
  };
  const hotPrefixes = new Set(known.hot === null ? [] : Array.from(known.hot, (hash) => readU32(hash, 0)));
  const newest: number[] = [];
  const fresh: number[] = [];
  const others: number[] = [];
  const older: number[] = [];
  const isHot = (at: number): boolean => hotPrefixes.has(table.prefixes[at]!) && known.hot!.has(hashAt(at));
  for (let at = 0; at < table.order.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    const prefix = table.prefixes[at]!;
    const isOlder = known.set.has(prefix);
    if (isOlder) {
      if (isKept && isHot(at)) older.push(at);
    } else if (known.recent?.has(prefix) === false) newest.push(at);
    else (isHot(at) ? fresh : others).push(at);
  }
  const places = [newest, fresh, others, older]
    .flat()
    .slice(0, maxCount)
    .sort((a, b) => a - b);
  if (places.length === 0) return null;
  const bytes = encodeShard(0, 1, places.length, (rows) => {
    places.forEach((place, row) => {
      rows.set(hashAt(place), row * hashBytes);
    });
  });
  const sha256 = toHex(yield* digestOf(bytes));
  return { name: `hot-${sha256.slice(0, 16)}.bin`, bytes, ref: { count: places.length, sha256 } };
}
