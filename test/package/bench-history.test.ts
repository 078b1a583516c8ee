import { expect, test } from 'vitest';
import { type HistoryRecord, ratiosOf, slowerText, slowerThan } from '../../bench/history.js';
import { historyChart } from '../../bench/history-chart.js';
import { Progress } from '../../bench/progress.js';
import { spreadOf } from '../../bench/question.js';

const link = 'checks · link, 1M listed: new URL(text)';
const recordOf = (ratio: number, at = 1): HistoryRecord => ({
  date: `2026-11-0${at}T00:00:00.000Z`,
  commit: 'abc',
  ratios: { [link]: ratio },
});

test('keeps the median ratio of each row that has one', () => {
  const value = spreadOf([1]);
  const rows = [
    { what: 'ours', unit: 'ns' as const, value },
    { what: 'rival', unit: 'ns' as const, value, ratio: spreadOf([1, 2.34567, 9]) },
  ];
  expect(ratiosOf('checks', rows)).toEqual({ 'checks · rival': 2.35 });
});

test('names a ratio only if it is more than 15 % worse than the median of the last five records', () => {
  const history = [100, 100, 8, 9, 10, 11, 30].map((ratio) => recordOf(ratio));
  expect(slowerThan(history, { [link]: 11.5 })).toEqual([]);
  expect(slowerThan(history, { [link]: 11.6 })).toEqual([{ what: link, ratio: 11.6, median: 10 }]);
  expect(slowerThan(history, { [link]: 1 })).toEqual([]);
  expect(slowerText(slowerThan(history, { [link]: 12 }))).toContain(`${link}: 12 ×, 20 % worse than 10 ×`);
});

test('counts only records that have the ratio', () => {
  const others = Array.from({ length: 9 }, () => ({ ...recordOf(1), ratios: { other: 1 } }));
  expect(slowerThan([recordOf(10), ...others], { [link]: 12, new: 99 })).toEqual([{ what: link, ratio: 12, median: 10 }]);
  expect(slowerThan([], { [link]: 12 })).toEqual([]);
});

test('draws a point for each record, the worse the higher', () => {
  const svg = historyChart([recordOf(5, 1), recordOf(10, 2), recordOf(5, 3)]);
  expect([...svg.matchAll(/<circle[^>]*cy="([\d.]+)"/g)].map(([, y]) => Number(y))).toEqual([61, 46, 61]);
  expect(svg).toContain('3 runs, 2026-11-01 to 2026-11-03');
  expect(svg).toContain('>5 ×</text>');
});

test('shows the first step at once in a log, and no more than one line every few seconds', () => {
  const written: string[] = [];
  const stream = { isTTY: false, write: (text: string) => written.push(text) > 0 };
  const progress = new Progress(stream, '1 of 2');
  progress.show('has: round 1 of 5');
  progress.show('has: round 2 of 5');
  progress.end();
  expect(written).toEqual(['[1 of 2, 0 s] has: round 1 of 5\n']);
});
