import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Generation } from '../../../src/blocklist/model/generation.js';
import { combine } from '../../../src/blocklist/sync/combine.js';
import { createHeldList } from '../../../src/blocklist/sync/held-list.js';
import { PrefixSet } from '../../../src/core/prefixes/prefix-set.js';

/** What two writers of one store have of a list, and have seen of its log. */
const generation = fc
  .record({
    snapshotToken: fc.constantFrom('one', 'two'),
    snapshotAtMs: fc.nat(3),
    currentAtMs: fc.nat(3),
    sequence: fc.option(fc.nat(3), { nil: null }),
    seen: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  })
  .map(({ sequence, seen, ...times }): Generation => {
    const order = { sequence, origin: '', listName: null, expiresAtMs: null, signedBy: 'key', seenAtMs: 0 };
    const sets = { base: PrefixSet.from([1]), recent: PrefixSet.from([]), removed: null, allowed: null, hot: null, hotSum: null };
    const rest = { algoVersion: '1', algorithm: 'portcullis-1', recentToken: null, movedAtMs: 0, signed: null };
    const checkpoint = seen === undefined ? undefined : { size: seen, note: `note ${seen}` };
    return { ...times, ...sets, ...rest, sequence: 0, order, checkpoint, calibration: { outcome: 'skipped' } as never };
  });

const largest = (...lists: readonly Generation[]): number => Math.max(0, ...lists.map(({ checkpoint }) => checkpoint?.size ?? 0));

test('whichever list of two writers wins, it keeps the most that either has seen of the log', async () => {
  await fc.assert(
    fc.asyncProperty(generation, generation, async (stored, own) => {
      expect((await combine(stored, own, 10)).checkpoint?.size ?? 0).toBe(largest(stored, own));
    }),
  );
});

test('a round keeps what was seen of the log while it ran', async () => {
  await fc.assert(
    fc.asyncProperty(generation, generation, generation, async (before, meanwhile, result) => {
      const held = createHeldList(
        {} as never,
        () => 10,
        (list) => list,
        () => {},
      );
      held.generation = before;
      held.beginRound();
      held.generation = meanwhile;
      expect((await held.withNews(result, before)).checkpoint?.size ?? 0).toBe(largest(meanwhile, result));
    }),
  );
});
