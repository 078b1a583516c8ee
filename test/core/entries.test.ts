import { expect, test } from 'vitest';
import { EntryCollector, fewestOf } from '../../src/core/prefixes/entries.js';
import { runNow } from '../../src/core/slices.js';

test.each([
  ['4-byte', false],
  ['8-byte', true],
])('a collector of %s entries takes as many as a set may hold and rejects one more', (_, wide) => {
  for (const max of [1024, 1025, 2048, 5000]) {
    const collector = new EntryCollector(wide, 1024, max);
    for (let count = 0; count < max; count++) collector.add(count, count);
    expect(() => collector.add(max, max)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }));
    expect(runNow(collector.finish()).high).toEqual(Uint32Array.from({ length: max }, (_, at) => at));
    const expected = () => new EntryCollector(wide, max + 1, max);
    expect(expected).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }));
  }
});

// n² / 2^32 entries may be missing, or 16 if that is more, but never all of them.
test.each([
  [0, 0],
  [1, 1],
  [17, 1],
  [18, 2],
  [36, 20],
  [262_144, 262_128],
  [262_145, 262_145 - 16],
  [300_000, 299_980],
  [2 ** 25, 2 ** 25 - 2 ** 18],
])('a list that counts %i expressions has at least %i different entries', (count, fewest) => {
  expect(Math.ceil(fewestOf(count))).toBe(fewest);
});
