import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/core/http/retry.js';
import { expectLinearTime } from '../support/growth.js';

const nowMs = Date.UTC(2026, 10, 22);

test('a header of any length is read in time proportional to it', () => {
  for (const piece of ['a ', '1', ' ', 'GMT', 'a GMT', '0 GMT ', 'a, 1-a-1 ', 'a a  1 1:']) {
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

/** The examples of RFC 9110 §5.6.7 name one moment. */
const exampleMs = Date.UTC(1994, 10, 6, 8, 49, 37);

test.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', exampleMs],
  ['Sunday, 06-Nov-94 08:49:37 GMT', exampleMs],
  ['Sun Nov  6 08:49:37 1994', exampleMs],
  ['Wed Nov 16 08:49:37 1994', Date.UTC(1994, 10, 16, 8, 49, 37)],
  ['Friday, 06-Nov-26 08:49:37 GMT', Date.UTC(2026, 10, 6, 8, 49, 37)],
  ['Saturday, 06-Nov-49 08:49:37 GMT', Date.UTC(2049, 10, 6, 8, 49, 37)],
])('the date %j is read in every time zone', (date, expected) => {
  const atMs = exampleMs - 5_000;
  const before = process.env['TZ'];
  try {
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kathmandu']) {
      process.env['TZ'] = zone;
      const ms = retryAfterMs(date, atMs);
      expect([zone, ms]).toEqual([zone, expected - atMs]);
    }
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
});

test.each([
  '',
  '1.5',
  '-1',
  'soon',
  'a 2026',
  'a 5 GMT',
  '1994-11-06T08:49:37Z',
  'Sun, 06 Nov 1994 08:49:37',
  'Sun, 06 Nov 1994 08:49:37 CET',
  'Sun, 06 Foo 1994 08:49:37 GMT',
  'Sun, 99 Nov 1994 08:49:37 GMT',
  'Sun, 06 Nov 1994 99:49:37 GMT',
])('%j is no date', (text) => {
  expect(retryAfterMs(text, exampleMs)).toBeUndefined();
});
