import { expect, test } from 'vitest';
import { readList } from '../../src/blocklist/lists/read-list.js';

test('assets JSON keeps only the known fields of an item in memory', async () => {
  const field = `"${'x'.repeat(60_000)}"`;
  const items = function* (): Generator<string> {
    yield '[{"content":"a.example"';
    for (let at = 0; at < 3_000; at++) yield `,"field ${at}":${field}`;
    yield '}]';
  };
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  const reading = readList({ format: 'json', data: items() }, () => {
    most = process.memoryUsage().heapUsed - before;
  });
  await reading;
  // All fields together are 180 MB.
  expect(most).toBeLessThan(120_000_000);
  expect(most).not.toBe(0);
});
