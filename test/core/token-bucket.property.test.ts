import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenBucket } from '../../src/core/token-bucket.js';

const perMinute = 20;
const anyTake = fc.record({
  waitMs: fc.constantFrom(0, 1, 100, 2_999, 3_000, 30_000, 59_999, 60_000),
  count: fc.nat({ max: 50 }),
  isAllOrNothing: fc.boolean(),
});

test('gives what it holds, refills within a minute, and never gives more', () => {
  fc.assert(
    fc.property(fc.array(anyTake, { maxLength: 30 }), (takes) => {
      const bucket = new TokenBucket(perMinute);
      const given: { atMs: number; count: number }[] = [];
      let nowMs = 1_000_000;
      for (const { waitMs, count, isAllOrNothing } of takes) {
        nowMs += waitMs;
        let taken: number;
        if (isAllOrNothing) {
          taken = bucket.take(count, nowMs) === 0 ? count : 0;
          if (waitMs >= 60_000) expect(taken).toBe(count <= perMinute ? count : 0);
        } else {
          taken = bucket.takeUpTo(count, nowMs);
          expect(taken).toBeLessThanOrEqual(count);
          if (waitMs >= 60_000) expect(taken).toBe(Math.min(count, perMinute));
        }
        given.push({ atMs: nowMs, count: taken });
        for (const { atMs } of given) {
          const since = given.filter((one) => one.atMs >= atMs).reduce((sum, one) => sum + one.count, 0);
          expect(since).toBeLessThanOrEqual(perMinute + ((nowMs - atMs) * perMinute) / 60_000);
        }
      }
    }),
  );
});

test('rejected tokens are available after the returned wait, and not a millisecond earlier', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: perMinute }), fc.integer({ min: 1, max: perMinute }), (first, second) => {
      fc.pre(first + second > perMinute);
      const nowMs = 1_000_000;
      const bucketAfterFirst = (): TokenBucket => {
        const bucket = new TokenBucket(perMinute);
        expect(bucket.take(first, nowMs)).toBe(0);
        return bucket;
      };
      const waitMs = bucketAfterFirst().take(second, nowMs);
      expect(waitMs).toBeGreaterThan(0);
      expect(bucketAfterFirst().take(second, nowMs + waitMs - 1)).toBeGreaterThan(0);
      expect(bucketAfterFirst().take(second, nowMs + waitMs)).toBe(0);
    }),
  );
});

test.each([false, true])(
  'a clock that goes back adds nothing, or fills the bucket if so configured: %s',
  (refillsOnClockBack) => {
    const bucket = new TokenBucket(perMinute, { refillsOnClockBack });
    expect(bucket.takeUpTo(50, 1_000_000)).toBe(perMinute);
    expect(bucket.takeUpTo(50, 1_000_000)).toBe(0);
    expect(bucket.takeUpTo(50, 1)).toBe(refillsOnClockBack ? perMinute : 0);
    expect(bucket.takeUpTo(50, 60_001)).toBe(perMinute);
  },
);
