import { entriesPerSlice } from '../limits.js';
import type { Sliced } from '../slices.js';

/**
 * A sorted array cut into buckets by the top bits of its values, so that a look-up is one step to a bucket and a short search in
 * it. Hashes are spread evenly; a list crafted into one bucket costs a binary search and no more.
 */

/** Entries of an average bucket at most, where values are whole, which costs half a byte to a byte of index an entry; and few enough to walk. */
const bucketTarget = 8;

/** Bits of index for so many values: at least one, because a shift by 32 is a shift by none. */
export function bucketBits(count: number): number {
  const bits = Math.ceil(Math.log2(Math.max(2, count / bucketTarget)));
  return Math.min(16, Math.max(1, bits));
}

/** Fills `index`, one longer than there are buckets, with where each bucket starts; the last says where the last one ends. */
export function* fillIndex(index: Uint32Array, values: Uint32Array, shift: number): Sliced<void> {
  let bucket = 0;
  for (let at = 0; at < values.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    const own = values[at]! >>> shift;
    while (bucket < own) index[++bucket] = at;
  }
  while (bucket < index.length - 1) index[++bucket] = values.length;
}

/** The first place from `low` to before `high` whose value is not less than `target`, else `high`. */
export function lowerBound(values: Uint32Array | Uint16Array, target: number, low: number, high: number): number {
  let start = low;
  let end = high;
  while (end - start > bucketTarget) {
    const middle = (start + end) >>> 1;
    if (values[middle]! < target) start = middle + 1;
    else end = middle;
  }
  while (start < end && values[start]! < target) start++;
  return start;
}
