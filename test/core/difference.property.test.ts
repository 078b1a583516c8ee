import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyDifference, encodeDifference, readDifferenceHeader } from '../../src/core/prefixes/difference.js';
import { runNow } from '../../src/core/slices.js';

const sorted = (entries: readonly number[]): Uint32Array => Uint32Array.from([...new Set(entries)].sort((a, b) => a - b));
const entry = fc.oneof(fc.nat(40), fc.integer({ min: 0, max: 0xffff_ffff }), fc.constantFrom(0, 1, 0xffff_fffe, 0xffff_ffff));
const list = fc.array(entry, { maxLength: 60 }).map(sorted);

test('a difference leads from one list to the other, whatever they are', () => {
  const token = fc.option(fc.stringMatching(/^[1-9a-f][0-9a-f]{15}$/), { nil: null });
  fc.assert(
    fc.property(list, list, token, (from, to, before) => {
      const bytes = runNow(encodeDifference(from, to, before));
      expect([...runNow(applyDifference(from, bytes))]).toEqual([...to]);
      const { removed, added, before: named } = readDifferenceHeader(bytes);
      expect(removed).toBe([...from].filter((one) => !to.includes(one)).length);
      expect(added).toBe([...to].filter((one) => !from.includes(one)).length);
      expect(named).toBe(before);
    }),
  );
});

test('a damaged difference, or one of another list, gives an ascending list or INVALID_ARTIFACT', () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 3 });
  fc.assert(
    fc.property(list, list, list, damage, fc.nat(8), (from, to, other, flips, cut) => {
      const whole = runNow(encodeDifference(from, to, null));
      const bytes = whole.slice(0, whole.length - cut);
      for (const [at, by] of flips) if (bytes.length > 0) bytes[at % bytes.length]! ^= by;
      for (const base of [from, other]) {
        try {
          const result = [...runNow(applyDifference(base, bytes))];
          expect(result).toEqual([...sorted(result)]);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_ARTIFACT' });
        }
      }
    }),
  );
});

test('a difference that announces 2^32 entries is rejected before they are allocated', () => {
  const bytes = runNow(encodeDifference(Uint32Array.of(1, 2, 3), Uint32Array.of(2, 4), null));
  for (const at of [12, 16, 20]) {
    const huge = bytes.slice();
    huge.fill(0xff, at, at + 4);
    expect(() => runNow(applyDifference(Uint32Array.of(1, 2, 3), huge))).toThrow(
      expect.objectContaining({ code: 'INVALID_ARTIFACT' }),
    );
  }
});
