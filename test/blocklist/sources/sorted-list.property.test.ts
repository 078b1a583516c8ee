import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RiceNumbers } from '../../../src/blocklist/sources/rice-numbers.js';
import {
  type ListUpdate,
  listOfSet,
  pack,
  type SortedList,
  setOf,
  sumOf,
  updatedList,
} from '../../../src/blocklist/sources/sorted-list.js';
import { runNow } from '../../../src/core/slices.js';

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Entries in hex, sorted, as the service sees them. */
function entriesOf({ short, long }: SortedList): string[] {
  return [...[...short].map((entry) => entry.toString(16).padStart(8, '0')), ...long.map(hexOf)].sort();
}

function listOf(entries: readonly string[]): SortedList {
  const sorted = [...new Set(entries)].sort();
  return {
    short: Uint32Array.from(sorted.filter(({ length }) => length === 8).map((entry) => Number.parseInt(entry, 16))),
    long: sorted.filter(({ length }) => length > 8).map(bytesOf),
  };
}

const rawOf = (entries: readonly string[]): ListUpdate['raw'] =>
  [...new Set(entries.map(({ length }) => length))].map((length) => ({
    size: length / 2,
    bytes: bytesOf(entries.filter((entry) => entry.length === length).join('')),
  }));

const update = (changes: Partial<ListUpdate>): ListUpdate => ({
  isPartial: true,
  removals: null,
  additions: null,
  isLittleEndian: false,
  raw: [],
  sum: new Uint8Array(32),
  ...changes,
});

/** Few beginnings, so that entries often begin with others. */
const entry = fc
  .tuple(fc.constantFrom('00000000', '0000ffff', '0001', 'ffffffff', '7f00'), fc.stringMatching(/^[0-9a-f]{0,60}$/))
  .map(([start, rest]) => (start + rest).padEnd(8, '0').slice(0, 64))
  .map((hex) => hex.slice(0, hex.length - (hex.length % 2)));
const some = fc.array(
  fc.oneof(
    entry,
    fc.nat(60).map((last) => `000000${last.toString(16).padStart(2, '0')}`),
  ),
  { maxLength: 40 },
);

const entries = fc
  .tuple(some, fc.array(fc.tuple(fc.nat(), fc.constantFrom('00', 'ff', '0000')), { maxLength: 8 }))
  .map(([all, longer]) => {
    const made = [...all];
    for (const [at, rest] of longer) if (made.length > 0) made.push((made[at % made.length]! + rest).slice(0, 64));
    return made;
  });

test('removes places and adds entries like a sorted list of texts', () => {
  fc.assert(
    fc.property(entries, entries, fc.array(fc.nat()), (some, more, seeds) => {
      const before = entriesOf(listOf(some));
      const removals = [...new Set(before.length === 0 ? [] : seeds.map((seed) => seed % before.length))].sort((a, b) => a - b);
      const kept = before.filter((_, at) => !removals.includes(at));
      const added = [...new Set(more)].filter((one) => !kept.includes(one)).sort();
      const after = [...kept, ...added].sort();
      const list = runNow(updatedList(listOf(some), update({ removals, raw: rawOf(added) })));
      expect(entriesOf(list)).toEqual(after);
      const sum = createHash('sha256')
        .update(bytesOf(after.join('')))
        .digest('hex');
      expect(hexOf(runNow(sumOf(list)))).toBe(sum);
      const starts = [...new Set(after.map((one) => Number.parseInt(one.slice(0, 8), 16)))];
      expect([...runNow(setOf(list))]).toEqual(starts);
    }),
  );
});

test('is made again from its set and its packed longer entries', () => {
  fc.assert(
    fc.property(entries, (some) => {
      const list = listOf(some);
      const again = runNow(listOfSet(runNow(setOf(list)), pack(list)));
      expect(again === null ? null : entriesOf(again)).toEqual(entriesOf(list));
    }),
  );
});

test('packed bytes of any kind make a list or none', () => {
  const set = runNow(setOf(listOf(['00000000', '00000001', 'ffffffff'])));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const list = runNow(listOfSet(set, bytes));
      expect(list === null || list.long.every(({ length }) => length >= 5 && length <= 32)).toBe(true);
    }),
  );
  for (const bytes of [
    [4, 0, 0, 0, 0],
    [5, 0, 0, 0, 0],
    [33, ...Array<number>(33).fill(0)],
    [5, 9, 9, 9, 9, 9],
  ]) {
    expect(runNow(listOfSet(set, Uint8Array.from(bytes)))).toBeNull();
  }
});

const one = (first: number): RiceNumbers => ({ first, count: 0, parameter: 0, data: new Uint8Array(0) });

test.each<[string, Partial<ListUpdate>]>([
  ['a place after the end', { removals: [2] }],
  ['a coded place after the end', { removals: one(2) }],
  ['a place twice', { removals: [1, 1] }],
  ['places in another order', { removals: [1, 0] }],
  ['an entry that the list has', { additions: one(7) }],
  ['a longer entry twice', { raw: rawOf(['0000000700', '0000000700']) }],
  ['too many longer entries', { raw: [{ size: 5, bytes: new Uint8Array(5 * 65_537) }] }],
])('refuses an update with %s', (_, changes) => {
  const list = listOf(['00000005', '00000007']);
  expect(() => runNow(updatedList(list, update(changes)))).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
});

test('refuses an update that makes a list with too many longer entries', () => {
  const long = (count: number, first: number) =>
    Array.from({ length: count }, (_, at) => bytesOf((first + at).toString(16).padStart(10, '0')));
  const bytes = bytesOf(long(100, 100_000).map(hexOf).join(''));
  const add = update({ raw: [{ size: 5, bytes }] });
  const short = new Uint32Array(0);
  expect(runNow(updatedList({ short, long: long(65_436, 0) }, add)).long).toHaveLength(65_536);
  expect(() => runNow(updatedList({ short, long: long(65_437, 0) }, add))).toThrow('too many entries');
});

test('a whole list replaces everything, and has no removals', () => {
  const list = runNow(
    updatedList(listOf(['00000005', '0000000700']), update({ isPartial: false, removals: [9], additions: one(7) })),
  );
  expect(entriesOf(list)).toEqual(['00000007']);
});

test('reads coded entries backwards for Web Risk', () => {
  const list = runNow(updatedList(listOf([]), update({ additions: one(0x0403_02f1), isLittleEndian: true })));
  expect(entriesOf(list)).toEqual(['f1020304']);
});
