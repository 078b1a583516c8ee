import { expect, test } from 'vitest';
import { WeightedMap } from '../../src/core/weighted-map.js';

test('evicts the entries that were set longest ago beyond its maximum weight', () => {
  const map = new WeightedMap<string>(10, (text) => text.length);
  for (const key of ['a', 'b', 'c']) map.set(key, 'xxx');
  map.set('a', 'xxxx');
  expect([[...map.keys()], map.weight]).toEqual([['b', 'c', 'a'], 10]);
  map.set('d', 'x');
  expect([[...map.keys()], map.weight, map.size]).toEqual([['c', 'a', 'd'], 8, 3]);
  map.delete('none');
  map.delete('a');
  expect([map.get('a'), map.get('c'), map.weight]).toEqual([undefined, 'xxx', 4]);
  map.set('e', 'x'.repeat(11));
  expect([[...map.keys()], map.weight]).toEqual([[], 0]);
  map.set('f', 'xxx');
  map.clear();
  expect([map.size, map.weight]).toEqual([0, 0]);
});
