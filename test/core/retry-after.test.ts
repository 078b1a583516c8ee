import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/core/http/retry.js';
import { expectLinearTime } from '../support/growth.js';

const nowMs = Date.UTC(2026, 10, 22);

test('a header of any length is read in time proportional to it', () => {
  for (const piece of ['a ', '1', ' ', 'GMT', 'a GMT', '0 GMT ']) {
    expectLinearTime(
      (header) => retryAfterMs(header, nowMs),
      (size) => piece.repeat(size / piece.length),
    );
  }
});

test('a header longer than any date or useful number asks for nothing', () => {
  const date = new Date(nowMs + 60_000).toUTCString();
  expect(retryAfterMs(date, nowMs)).toBe(60_000);
  expect(retryAfterMs(`Monday, ${date.slice(5)}`, nowMs)).toBe(60_000);
  expect(retryAfterMs('1'.padStart(64, '0'), nowMs)).toBe(1_000);
  expect(retryAfterMs('1'.padStart(65, '0'), nowMs)).toBeUndefined();
  expect(retryAfterMs(`${'a '.repeat(32)}${date}`, nowMs)).toBeUndefined();
});
