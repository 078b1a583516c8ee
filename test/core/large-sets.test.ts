import { expect, test } from 'vitest';
import { readRecord, writeRecord } from '../../src/blocklist/formats/record.js';
import { writeU32 } from '../../src/core/bytes.js';
import { applyDifference, encodeDifference } from '../../src/core/prefixes/difference.js';
import { PrefixSet } from '../../src/core/prefixes/prefix-set.js';
import { runNow, type Sliced } from '../../src/core/slices.js';
import { HashTable } from '../../src/servers/publish/hash-table.js';

function pausesOf<T>(work: Sliced<T>): { readonly pauses: number; readonly result: T } {
  for (let pauses = 0; ; pauses++) {
    const step = work.next();
    if (step.done) return { pauses, result: step.value };
  }
}

/** Ten million entries blocked the thread for 79 ms when they were loaded, and for 857 ms when they were published. */
test('a large stored set is checked, summed, read and compared in slices', () => {
  const count = 3 * 2 ** 20;
  const values = Uint32Array.from({ length: count }, (_, at) => at * 1_000);
  const built = pausesOf(PrefixSet.ofAscending(values));
  expect(built.pauses).toBeGreaterThanOrEqual(count / 2 ** 16);
  const record = pausesOf(writeRecord('set', built.result.memoryBytes));
  const read = pausesOf(readRecord('set', record.result));
  const opened = pausesOf(PrefixSet.opening(read.result));
  expect([record.pauses, read.pauses, opened.pauses]).toEqual([2, 1, 2]);
  const entries = pausesOf(opened.result.readEntries());
  expect(entries.pauses).toBeGreaterThanOrEqual(count / 2 ** 17);
  expect(Buffer.compare(Buffer.from((entries.result.high as Uint32Array).buffer), Buffer.from(values.buffer))).toBe(0);
  const changes = pausesOf(encodeDifference(values, values.subarray(1), null));
  const applied = pausesOf(applyDifference(values, changes.result));
  expect(Math.min(changes.pauses, applied.pauses)).toBeGreaterThanOrEqual(count / 2 ** 16);
  expect(applied.result.length).toBe(count - 1);
});

test('a set of a million loads without a pause, because each costs a page in the background several milliseconds', () => {
  const set = PrefixSet.from(Uint32Array.from({ length: 1_000_000 }, (_, at) => at * 4_000));
  expect(pausesOf(readRecord('set', runNow(writeRecord('set', set.memoryBytes)))).pauses).toBe(0);
  expect(pausesOf(PrefixSet.opening(set.memoryBytes)).pauses).toBe(0);
});

test('a large list is sorted for publishing in slices', () => {
  const [count, perSlice] = [300_000, 2 ** 15];
  const table = new HashTable();
  const hash = new Uint8Array(32);
  for (let at = 0; at < count; at++) {
    // An odd factor, so that all are different and spread evenly.
    writeU32(hash, 0, Math.imul(at, 0x9e3779b1) >>> 0);
    table.add(hash, at, 0);
  }
  let found = 0;
  // Counting, placing and sorting.
  expect(pausesOf(table.finish(() => found++)).pauses).toBeGreaterThanOrEqual((3 * count) / perSlice);
  expect([found, table.order.length]).toEqual([0, count]);
});

/** As if a publisher had found hashes that all begin alike, twice and in reverse. */
test.each([70, 3_000])('hashes crafted to fill one bucket are sorted and found to repeat: %d of them', (size) => {
  const table = new HashTable();
  const hash = (at: number): Uint8Array =>
    Uint8Array.from({ length: 32 }, (_, place) => (place === 30 ? at >> 8 : place === 31 ? at & 255 : 7));
  for (let at = size; at > 0; at--) table.add(hash(at), at, 0);
  for (let at = size; at > 0; at--) table.add(hash(at), at + size, 0);
  const repeats: [number, number][] = [];
  runNow(table.finish((index, first) => repeats.push([index, first])));
  expect(table.order.length).toBe(size);
  const bytes = new Uint8Array(32 * size);
  table.write(bytes, 0, size);
  for (let at = 0; at < size; at++) expect(bytes[32 * at + 30]! * 256 + bytes[32 * at + 31]!).toBe(at + 1);
  expect(repeats.length).toBe(size);
  for (const [index, first] of repeats) expect(index).toBe(first + size);
});
