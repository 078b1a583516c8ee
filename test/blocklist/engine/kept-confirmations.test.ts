import { expect, test } from 'vitest';
import { ConfirmCache, type StoredAnswer } from '../../../src/blocklist/ask/answers.js';
import { decodeAnswers, encodeAnswers } from '../../../src/blocklist/ask/stored-answers.js';
import { createKeptConfirmations } from '../../../src/blocklist/engine/kept-confirmations.js';
import { timesUnder } from '../../../src/blocklist/rules/terms.js';
import type { SavedList } from '../../../src/blocklist/sync/saved.js';
import { writeU32 } from '../../../src/core/bytes.js';

const atMs = Date.UTC(2026, 0, 1);

function answerOf(prefix: number): StoredAnswer {
  const hash = new Uint8Array(32);
  writeU32(hash, 0, prefix);
  return { prefix, hashes: [hash], atMs, positiveMs: 300_000 };
}

/** Confirmations beside `count` stored ones, and the bytes that are read and written, by value. */
function beside(count: number) {
  const values: Record<string, Uint8Array> = {
    older: encodeAnswers(Array.from({ length: count }, (_, prefix) => answerOf(prefix))),
  };
  const bytes = { newest: 0, older: 0 };
  const saved: Pick<SavedList, 'readConfirmed' | 'writeConfirmed'> = {
    async readConfirmed(age = 'newest') {
      bytes[age] += values[age]?.length ?? 0;
      return values[age] ?? null;
    },
    async writeConfirmed(payload, age = 'newest') {
      bytes[age] += payload.length;
      values[age] = payload;
    },
  };
  const cache = new ConfirmCache({
    ...timesUnder(undefined, { positiveMs: 300_000, negativeMs: 300_000, earlierMs: 604_800_000 }),
    maxCount: 20_000,
  });
  const kept = createKeptConfirmations(
    saved as SavedList,
    cache,
    () => atMs,
    (error) => {
      throw error;
    },
  );
  return { kept, cache, values, bytes };
}

test('a hit costs the same bytes beside 10,000 stored ones as beside none, and one in 129 moves them', async () => {
  const moves = 3;
  const newestBytes: number[] = [];
  for (const count of [0, 10_000]) {
    const { kept, bytes, values } = beside(count);
    for (let hit = 0; hit < moves * 129; hit++) {
      const before = bytes.newest;
      kept.add(answerOf(20_000 + hit));
      await kept.settled();
      // Reads 128 rows of 44 bytes and writes 129 at most.
      expect(bytes.newest - before).toBeLessThan(12_000);
    }
    newestBytes.push(bytes.newest);
    const rows = [...decodeAnswers(values['older']!)].length;
    expect(rows).toBe(count + moves * 129);
    // Each move reads and writes all of them once.
    expect(bytes.older).toBeLessThan(moves * 2 * 44 * (rows + 1));
  }
  expect(newestBytes[0]).toBe(newestBytes[1]);
});

test('10,000 stored hits are restored at most 2,500 between two pauses', async () => {
  const { kept, cache } = beside(10_000);
  const sizes = [0];
  let isLoading = true;
  const look = (): void => {
    sizes.push(cache.size);
    if (isLoading) setImmediate(look);
  };
  setImmediate(look);
  await kept.load();
  isLoading = false;
  expect(cache.size).toBe(10_000);
  sizes.push(cache.size);
  const steps = sizes.slice(1).map((size, at) => size - sizes[at]!);
  expect(Math.max(...steps)).toBeLessThanOrEqual(2_500);
});
