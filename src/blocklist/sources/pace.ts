import { bounded, maxTimerMs } from '../../core/http/bounded.js';
import type { Signal } from './source-options.js';

export type Sleep = (delayMs: number, signal?: Signal) => Promise<void>;

/** Runs one call at a time, each at least `spacingMs` after the previous one started. */
export class Pace {
  private readonly spacingMs: number;
  private readonly now: () => number;
  private readonly sleep: Sleep;
  private lastMs = Number.NEGATIVE_INFINITY;
  private tail: Promise<unknown> = Promise.resolve();

  constructor(spacingMs: number, now: () => number, sleep: Sleep) {
    this.spacingMs = spacingMs;
    this.now = now;
    this.sleep = sleep;
  }

  run<T>(work: () => Promise<T>, signal: Signal): Promise<T> {
    const before = this.tail;
    const run = bounded(maxTimerMs, signal, () => before).then(async () => {
      // A clock set back must not lengthen the wait.
      const waitMs = Math.min(this.spacingMs, this.lastMs + this.spacingMs - this.now());
      if (waitMs > 0) await this.sleep(waitMs, signal);
      this.lastMs = this.now();
      return work();
    });
    // An aborted call must not release the next one while earlier calls are still running.
    this.tail = Promise.all([before, run.catch(() => {})]);
    return run;
  }
}
