import { expect, test } from 'vitest';
import { ask, confirm, confirmationOf, relayed, v2Confirm, v2Version, versionFrom, versionPath } from './relay-harness.js';

test('serves an old version after two seconds if the service is slow', async () => {
  const { answers, relay, clock } = await relayed({ timeoutMs: 20_000 });
  await versionFrom(relay);
  answers.set(v2Version, { fault: 'hang' });
  clock.nowMs += 61_000;
  const startedMs = performance.now();
  expect((await ask(relay, versionPath)).headers.get('age')).toBe('61');
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});

test('remembers the rates of 10,000 clients', async () => {
  const { relay, clock, events } = await relayed({ clientPerMinute: 1 });
  for (let at = 0; at < 10_050; at++)
    await ask(relay, versionPath, {}, { address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` });
  clock.nowMs += 61_000;
  await versionFrom(relay);
  expect(events.at(-1)).toMatchObject({ type: 'memory', clients: 10_000 });
});

test('limits pending batches to 32, and drops those that never end', async () => {
  const { answers, asked, relay, clock } = await relayed({ maxPrefixes: 2, timeoutMs: 10_000 });
  answers.set(v2Confirm, (request) => ({ body: confirmationOf(request), delayMs: 3_000 }));
  await versionFrom(relay);
  const many = (from: number): Promise<Response[]> =>
    Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        confirm(
          relay,
          [0, 1].map((of) => (from + 2 * at + of).toString(16)),
        ),
      ),
    );
  const found = await many(0xa0000000);
  expect(found.filter(({ status }) => status === 200)).toHaveLength(32);
  expect(found.filter(({ status }) => status === 503)).toHaveLength(8);
  expect(asked(v2Confirm)).toHaveLength(32);
  // A batch that never settles, as in a worker that ended with its request, must not occupy a place forever.
  answers.set(v2Confirm, { fault: 'hang' });
  const lost = many(0xb0000000);
  await expect.poll(() => asked(v2Confirm).length, { timeout: 60_000 }).toBe(64);
  clock.nowMs += 20_000;
  answers.delete(v2Confirm);
  expect((await confirm(relay, ['a1000000'])).status).toBe(200);
  expect(new Set((await lost).map(({ status }) => status))).toEqual(new Set([503]));
});

test('caches 20,000 prefixes and hashes', async () => {
  const { relay, clock, events } = await relayed();
  for (let round = 0; round < 21; round++) {
    const prefixes = Array.from({ length: 1_000 }, (_, at) => (0xa0000000 + round * 1_000 + at).toString(16));
    expect((await confirm(relay, prefixes)).status).toBe(200);
  }
  clock.nowMs += 61_000;
  await versionFrom(relay);
  // Each prefix has one hash.
  expect(events.at(-1)).toMatchObject({ type: 'memory', confirmations: 10_000 });
});
