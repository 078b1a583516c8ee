import { expect, test } from 'vitest';
import { growthWords, pointsOf } from '../../../apps/publisher/log-growth.js';

const heightsOf = (counts: readonly number[]): number[] =>
  pointsOf(counts)
    .split(' ')
    .map((point) => Number(point.split(',')[1]));

test('draws a jump of one version among thousands, up or down', () => {
  for (const at of [1, 1_234, 4_998]) {
    const counts = new Array<number>(5_000).fill(100);
    counts[at] = 1_000;
    expect(heightsOf(counts).filter((height) => height === 0)).toHaveLength(1);
    counts[at] = 0;
    expect(heightsOf(counts).filter((height) => height === 160)).toHaveLength(1);
  }
  expect(heightsOf(new Array<number>(5_000).fill(1)).length).toBeLessThan(1_300);
  expect(pointsOf([1, 2])).toBe('0,80 640,0');
  expect(pointsOf([5])).toBe('0,0');
});

test('says from when to when the list grew, and what is no version', () => {
  const day = 86_400_000;
  const versions = [{ index: 0, sequence: day, count: 1 }, { index: 1 }, { index: 2, sequence: 3 * day, count: 1_500 }];
  expect(growthWords(versions)).toBe(
    '3 versions, 1 of them not of a list, from 1 entry on 1970-01-02 to 1,500 entries on 1970-01-04, at most 1,500',
  );
  expect(growthWords([])).toBe('0 versions');
});
