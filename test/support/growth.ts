import { expect } from 'vitest';
import { isDeep } from './setup.js';

export interface GrowthBounds {
  /** Lengths of the two texts that are timed. */
  readonly sizes: readonly [small: number, large: number];
  /** The large text takes less than this many times as long as the small one. */
  readonly factor: number;
  /** Milliseconds; shorter times are too imprecise to compare and count as this long. */
  readonly leastMs: number;
}

/** In the fast tests, texts are this much shorter, and `leastMs` its square: as little quadratic work fails as with longer texts. */
export const shorter = 4;

/** Eight times the text may take eight times as long, and up to 30 times for the memory it needs; quadratic work takes 64 times. */
export const growthBounds: GrowthBounds = isDeep
  ? { sizes: [2 ** 17, 2 ** 20], factor: 40, leastMs: 2 }
  : { sizes: [2 ** 14 / shorter, 2 ** 17 / shorter], factor: 40, leastMs: 2 / shorter ** 2 };

/** Compares CPU time, which other work on the machine hardly changes, and uses the best of a few rounds. */
export function expectLinearTime(
  work: (text: string) => void,
  make: (size: number) => string,
  { sizes, factor, leastMs }: GrowthBounds = growthBounds,
): void {
  const texts = sizes.map(make);
  const best = texts.map(() => Number.POSITIVE_INFINITY);
  const growth = (): number => best[1]! / Math.max(leastMs, best[0]!);
  for (let round = 0; round < 8; round++) {
    for (const [at, text] of texts.entries()) {
      const start = process.cpuUsage();
      work(text);
      const { user, system } = process.cpuUsage(start);
      best[at] = Math.min(best[at]!, (user + system) / 1000);
    }
    if (growth() < 0.8 * factor) break;
  }
  expect(growth()).toBeLessThan(factor);
}
