import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createDuplicateFilter, webhookFingerprint } from 'portcullis/webhooks';
import { describe, expect, test } from 'vitest';
import { codeOf, deliver, updated } from './webhook-harness.js';

describe('a duplicate filter', () => {
  test('recognizes the fingerprint of a repeated delivery', () => {
    const body = JSON.stringify(updated);
    const expected = createHash('sha256').update(body).digest('hex');
    expect(webhookFingerprint(body)).toBe(expected);
    expect(webhookFingerprint(Buffer.from(body))).toBe(expected);
    expect(deliver(updated).fingerprint).toBe(expected);
    const filter = createDuplicateFilter();
    expect([body, body, `${body} `, body].map((text) => filter.seen(webhookFingerprint(text)))).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect(filter.size).toBe(2);
  });

  test('forgets the oldest first, counted from its first delivery', () => {
    const filter = createDuplicateFilter({ max: 2 });
    expect(['a', 'b', 'a', 'c'].map(filter.seen)).toEqual([false, false, true, false]);
    expect(filter.size).toBe(2);
    expect(['b', 'c', 'a'].map(filter.seen)).toEqual([true, true, false]);
  });

  test('forgets a delivery after ttlMs', () => {
    let nowMs = 0;
    const filter = createDuplicateFilter({ ttlMs: 100, now: () => nowMs });
    filter.seen('a');
    nowMs = 50;
    filter.seen('b');
    nowMs = 99;
    expect(filter.seen('a')).toBe(true);
    nowMs = 100;
    expect(filter.seen('a')).toBe(false);
    expect(filter.seen('b')).toBe(true);
    nowMs = 1000;
    filter.seen('c');
    expect(filter.size).toBe(1);
    // A clock that is set back has no effect.
    nowMs = 0;
    expect(filter.seen('c')).toBe(true);
  });

  test('remembers ten thousand deliveries for a day by default', () => {
    let nowMs = 0;
    const filter = createDuplicateFilter({ now: () => nowMs });
    for (let at = 0; at < 10_001; at++) filter.seen(`key-${at}`);
    expect(filter.size).toBe(10_000);
    nowMs = 86_399_999;
    expect(filter.seen('key-1')).toBe(true);
    nowMs = 86_400_000;
    expect(filter.seen('key-1')).toBe(false);
    expect(filter.size).toBe(1);
  });

  test('accepts a delivery again after forget', () => {
    const filter = createDuplicateFilter();
    filter.seen('a');
    filter.forget('a');
    filter.forget('never seen');
    expect(filter.seen('a')).toBe(false);
  });

  test('agrees with a plain list of the last deliveries', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(8), fc.nat(30), fc.boolean())), fc.integer({ min: 1, max: 5 }), (steps, max) => {
        let nowMs = 0;
        let plain: { key: string; at: number }[] = [];
        const filter = createDuplicateFilter({ max, ttlMs: 40, now: () => nowMs });
        for (const [number, passed, forget] of steps) {
          nowMs += passed;
          const key = `k${number}`;
          if (forget) {
            filter.forget(key);
            plain = plain.filter((entry) => entry.key !== key);
            continue;
          }
          plain = plain.filter((entry) => nowMs - entry.at < 40);
          const known = plain.some((entry) => entry.key === key);
          if (!known) plain = [...plain, { key, at: nowMs }].slice(-max);
          expect(filter.seen(key)).toBe(known);
          expect(filter.size).toBe(plain.length);
        }
      }),
    );
  });

  test('rejects invalid sizes, times and keys', () => {
    for (const max of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 20 + 1]) {
      expect(codeOf(() => createDuplicateFilter({ max }))).toBe('INVALID_INPUT');
    }
    for (const ttlMs of [0, -1, Number.NaN]) expect(codeOf(() => createDuplicateFilter({ ttlMs }))).toBe('INVALID_INPUT');
    expect(codeOf(() => createDuplicateFilter({ max: '1' as unknown as number }))).toBe('INVALID_INPUT');
    expect(codeOf(() => createDuplicateFilter({ ttlMs: '1' as unknown as number }))).toBe('INVALID_INPUT');
    expect(codeOf(() => createDuplicateFilter({ now: 1 as unknown as () => number }))).toBe('INVALID_INPUT');
    const filter = createDuplicateFilter({ max: 2 ** 20, ttlMs: Number.POSITIVE_INFINITY });
    for (const key of ['', 'x'.repeat(257)]) expect(codeOf(() => filter.seen(key))).toBe('INVALID_INPUT');
    expect(codeOf(() => filter.seen(null as unknown as string))).toBe('TypeError');
    expect(codeOf(() => filter.forget(null as unknown as string))).toBe('TypeError');
    expect(filter.seen('x'.repeat(256))).toBe(false);
  });
});
