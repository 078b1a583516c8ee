import { expect, test } from 'vitest';
import { halfAskedServer } from './harness.js';

test('after a signal, serve waits ten seconds for a client that has stalled, then exits with 0', async () => {
  const { child } = await halfAskedServer();
  const startMs = performance.now();
  child.process.kill('SIGTERM');
  expect(await child.ended).toBe(0);
  // Timers may come a little early.
  expect(performance.now() - startMs).toBeGreaterThan(9_900);
  expect(performance.now() - startMs).toBeLessThan(60_000);
});
