import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globalCacheForm } from '../../../src/blocklist/sources/global-cache.js';
import type { RiceEntries } from '../../../src/blocklist/sources/rice-numbers.js';
import type { ListUpdate } from '../../../src/blocklist/sources/sorted-list.js';
import { runNow } from '../../../src/core/slices.js';

const form = globalCacheForm();
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hexesOf = (hashes: Uint8Array): string[] => Buffer.from(hashes).toString('hex').match(/.{64}/g) ?? [];

/** Coded with the parameter 254, in which a number takes two to four bits more than its size. */
function coded(hashes: readonly string[]): RiceEntries {
  const values = hashes.map((hash) => BigInt(`0x${hash}`));
  const bits = values.slice(1).map((value, at) => {
    const gap = value - values[at]!;
    const rest = BigInt.asUintN(254, gap).toString(2).padStart(254, '0');
    return `${'1'.repeat(Number(gap >> 254n))}0${[...rest].reverse().join('')}`;
  });
  const data = Uint8Array.from(bits.join('').match(/.{1,8}/g) ?? [], (byte) => Number.parseInt([...byte].reverse().join(''), 2));
  return { first: bytesOf(hashes[0]!), count: hashes.length - 1, parameter: 254, data };
}

const update = (changes: Partial<ListUpdate>): ListUpdate => ({
  ...{ isPartial: true, removals: null, additions: null, isLittleEndian: false, raw: [], sum: new Uint8Array(32) },
  ...changes,
});

/** Some differ in the last byte only. */
const hash = fc
  .tuple(fc.constantFrom('00', 'ff', '7f'), fc.nat(5), fc.nat(255))
  .map(([fill, at, last]) => (fill.repeat(at) + '01'.repeat(31 - at) + last.toString(16).padStart(2, '0')).slice(0, 64));
const hashes = fc.uniqueArray(hash, { maxLength: 30 }).map((all) => all.sort());

test('removes places and adds hashes like a sorted list of texts, and holds what is left', () => {
  fc.assert(
    fc.property(hashes, hashes, fc.array(fc.nat()), fc.boolean(), (before, more, seeds, isPartial) => {
      const places = [...new Set(before.length === 0 ? [] : seeds.map((seed) => seed % before.length))].sort((a, b) => a - b);
      const kept = isPartial ? before.filter((_, at) => !places.includes(at)) : [];
      const added = more.filter((one) => !kept.includes(one));
      const change = update({ isPartial, removals: places, raw: added.length === 0 ? [] : [coded(added)] });
      const after = runNow(form.updated(bytesOf(before.join('')), change));
      const expected = [...kept, ...added].sort();
      expect(hexesOf(after)).toEqual(expected);
      const sum = createHash('sha256')
        .update(bytesOf(expected.join('')))
        .digest('hex');
      expect(Buffer.from(runNow(form.sum(after))).toString('hex')).toBe(sum);
      const { common, entries } = runNow(form.part(after));
      expect(entries.size).toBe(0);
      for (const one of [...before, ...more]) expect(common!.has(bytesOf(one))).toBe(expected.includes(one));
      const again = form.held({ token: 'AAAA', entries, common }, '');
      expect(hexesOf(runNow(again!())!)).toEqual(expected);
    }),
  );
});

const [one, two] = ['01'.repeat(32), '02'.repeat(32)] as const;

test.each<[string, Partial<ListUpdate>]>([
  ['a hash that the cache has', { raw: [coded([one])] }],
  ['a place after the end', { removals: [2] }],
  ['entries of four bytes', { additions: { first: 1, count: 0, parameter: 0, data: new Uint8Array(0) } }],
  ['entries of 16 bytes', { raw: [{ ...coded([one]), first: new Uint8Array(16) }] }],
  ['entries of two sizes', { raw: [coded([one]), coded([two])] }],
  ['too many hashes', { raw: [{ ...coded([one]), count: 1_048_576 }] }],
])('refuses an update with %s', (_, changes) => {
  const list = bytesOf(one + two);
  expect(() => runNow(form.updated(list, update(changes)))).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
});

test('a part of another kind of list is no cache', () => {
  expect(form.held({ token: 'AAAA', entries: runNow(form.part(new Uint8Array(0))).entries }, '')).toBeNull();
});
