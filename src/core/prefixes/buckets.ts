import { entriesPerSlice } from '../limits.js';
import type { Sliced } from '../slices.js';

/**
 * A sorted array divided into buckets by the top bits of its values, so that a lookup is one step to a bucket and a short search in
 * it. Hashes spread evenly; for a list crafted to fill one bucket, a lookup still takes only a binary search.
 */

/** Entries in an average bucket where values are stored whole: the index takes half a byte to a byte per entry, and a short walk finds one. */
const bucketTarget = 8;

/** Index bits for this many values: at least one, because JavaScript treats a shift by 32 as a shift by 0. */
export function bucketBits(count: number): number {
  const bits = Math.ceil(Math.log2(Math.max(2, count / bucketTarget)));
  return Math.min(16, Math.max(1, bits));
}

/** Fills `index` with the start of each bucket. It has one more element than there are buckets: the end of the last one. */
export function* fillIndex(index: Uint32Array, values: Uint32Array, shift: number): Sliced<void> {
  let bucket = 0;
  for (let at = 0; at < values.length; at++) {
    if (at % entriesPerSlice === 0) yield;
    const own = values[at]! >>> shift;
    while (bucket < own) index[++bucket] = at;
  }
  while (bucket < index.length - 1) index[++bucket] = values.length;
}

/** The first position in [`low`, `high`) whose value is not less than `target`, else `high`. */
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
