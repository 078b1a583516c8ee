import { entriesPerSlice } from '../../core/limits.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import type { Sliced } from '../../core/slices.js';
import type { EntrySet } from '../model/generation.js';

/**
 * How many entries of one set another one lacks, by their first four bytes; between different kinds of entries, by how many it is smaller.
 *
 * @param isComparable Whether both were made with the same algorithm.
 */
export function* lostEntries(before: EntrySet, after: EntrySet, isComparable: boolean): Sliced<number> {
  if (!isComparable || before instanceof AscendingSet !== after instanceof AscendingSet)
    return Math.max(0, before.size - after.size);
  const { high: old } = yield* before.readEntries();
  const { high: now } = yield* after.readEntries();
  let lost = 0;
  for (let at = 0, next = 0; at < old.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    while (next < now.length && now[next]! < old[at]!) next++;
    if (now[next] !== old[at]) lost++;
  }
  return lost;
}
