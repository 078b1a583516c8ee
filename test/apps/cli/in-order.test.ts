import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inOrder } from '../../../apps/cli/commands/screen-command.js';

async function* numbers(count: number, failsAt = count): AsyncGenerator<number> {
  for (let at = 0; at < count; at++) {
    if (at === failsAt) throw new Error('cannot be read');
    yield at;
  }
}

test('yields in the order of the items, with at most that many at a time', async () => {
  let running = 0;
  let most = 0;
  const work = async (item: number): Promise<number> => {
    running++;
    most = Math.max(most, running);
    for (let turns = (item * 7) % 5; turns >= 0; turns--) await turn();
    running--;
    return item;
  };
  const found: number[] = [];
  for await (const item of inOrder(numbers(50), 4, work)) found.push(item);
  expect(found).toEqual(Array.from({ length: 50 }, (_, at) => at));
  expect(most).toBe(4);
});

test('reads no further than the work that may run, while the results are not taken', async () => {
  let started = 0;
  const results = inOrder(numbers(50), 3, async () => ++started);
  expect((await results.next()).value).toBe(1);
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(started).toBeLessThanOrEqual(3);
  await results.return(undefined);
});

test.each([
  ['a failed read', (item: number): Promise<number> => Promise.resolve(item), 5, 'cannot be read'],
  [
    'failed work',
    (item: number): Promise<number> => (item === 5 ? Promise.reject(new Error('no answer')) : turn(item)),
    9,
    'no answer',
  ],
])('yields every result before %s, then fails', async (_, work, failsAt, message) => {
  const found: number[] = [];
  const all = async (): Promise<void> => {
    for await (const item of inOrder(numbers(20, failsAt), 4, work)) found.push(item);
  };
  await expect(all()).rejects.toThrow(message);
  expect(found).toEqual([0, 1, 2, 3, 4]);
});

test('yields a result that is ready while the next item has not arrived', async () => {
  async function* stuck(): AsyncGenerator<number> {
    yield 1;
    await new Promise(() => {});
  }
  const results = inOrder(stuck(), 4, async (item) => item);
  expect(await results.next()).toEqual({ done: false, value: 1 });
});
