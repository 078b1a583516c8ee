import { type SignalLike, throwIfAborted } from '../../core/errors.js';
import { sleep } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { TokenBucket } from '../../core/token-bucket.js';
import { pauseLeftMs } from '../rules/pause.js';
import type { Confirmer } from './confirmer.js';

/** The budget of `screen`, whose inputs the app has chosen: it waits instead of failing, and leaves the budget of checks alone. */
export interface ScreenBudget {
  /**
   * Waits until the source may be asked and the budget covers `count`, at most `prefixesPerMinute`.
   *
   * @returns `false` if the source is not waited for any longer
   * @throws ABORTED
   */
  take(count: number, signal: SignalLike | undefined): Promise<boolean>;
  /** Whether to ask again what the source has not answered. */
  isPatient(): boolean;
}

/**
 * How long `screen` waits for a source without an answer from it. Rate limits that count by the minute ask for a pause of up to a minute;
 * a caller should not wait much longer for a source that is down.
 */
const maxWaitMs = 120_000;

/** After a wait in vain, later batches do not wait until this time is over or the source answers. */
const minRestMs = 15 * 60_000;

/** Waits in steps: a pause can end early, and the end of an unanswered request is not known in advance. */
const minStepMs = 100;
const maxStepMs = 1_000;

export function createScreenBudget({ prefixesPerMinute, now, closing, asker }: Confirmer): ScreenBudget {
  const tokens = new TokenBucket(prefixesPerMinute);
  /** Time that has passed here: by the clock, or by waiting if the clock stands still or was set back. */
  let atMs = 0;
  /** When waiting for an answer ends, or has ended; `null` while the source answers. */
  let endMs: number | null = null;

  /** How long to wait before the next step; 0 to ask now, `null` to give up. */
  function waitMsFor(count: number): number | null {
    const isPaused = asker.admits() === 'none';
    if (asker.watch.pause.failures === 0 && !isPaused) endMs = null;
    else if (endMs === null || atMs >= endMs + minRestMs) endMs = atMs + maxWaitMs;
    if (!isPaused) return tokens.take(count, atMs);
    const pauseMs = Math.max(minStepMs, pauseLeftMs(asker.watch.pause, now()));
    return asker.unavailable().failure !== 'bad-answer' && atMs + pauseMs <= endMs! ? pauseMs : null;
  }

  return {
    async take(count, signal) {
      const stop = createEnd();
      const abort = (): void => stop.abort();
      for (const ending of [signal, closing]) ending?.addEventListener('abort', abort);
      try {
        for (;;) {
          throwIfAborted(signal);
          atMs = Math.max(atMs, now());
          const waitMs = closing.aborted ? null : waitMsFor(count);
          if (waitMs === 0) return true;
          if (waitMs === null) {
            endMs = Math.min(endMs ?? atMs, atMs);
            return false;
          }
          const stepMs = Math.min(waitMs, maxStepMs);
          const untilMs = atMs + stepMs;
          await sleep(stepMs, stop.signal).catch(() => {});
          if (!stop.signal.aborted) atMs = Math.max(atMs, untilMs);
        }
      } finally {
        for (const ending of [signal, closing]) ending?.removeEventListener('abort', abort);
      }
    },
    isPatient: () => endMs === null || atMs < endMs,
  };
}
