import type { ServedService } from 'portcullis/testing';
import { expect } from 'vitest';
import { isDeep } from '../../support/setup.js';
import { headersWith } from './harness.js';

/** Eight times as many entries may take eight times as long, and up to 24 times for the memory they need; quadratic work takes 64 times. */
const sizes: readonly [number, number] = isDeep ? [2_000, 16_000] : [500, 4_000];
const maxFactor = 24;
/** Milliseconds; shorter times are too imprecise to compare. */
const leastMs = 10;

export const manyOf = <T>(size: number, make: (at: number) => T): T[] => Array.from({ length: size }, (_, at) => make(at));

/** Compares CPU time, and tries again because the first round also compiles. */
export async function expectLinear(work: (size: number) => Promise<unknown>): Promise<void> {
  const best = sizes.map(() => Number.POSITIVE_INFINITY);
  const growth = (): number => best[1]! / Math.max(leastMs, best[0]!);
  for (let round = 0; round < 3; round++) {
    for (const [at, size] of sizes.entries()) {
      const before = process.cpuUsage();
      await work(size);
      const { user, system } = process.cpuUsage(before);
      best[at] = Math.min(best[at]!, (user + system) / 1_000);
    }
    if (growth() < maxFactor / 2) break;
  }
  expect(growth()).toBeLessThan(maxFactor);
}

export const post = (service: ServedService, path: string, body: unknown): Promise<Response> =>
  service.fetch(`http://localhost${path}`, {
    method: 'POST',
    headers: headersWith(service.key),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
