import { type SignalLike, throwIfAborted } from '../../core/errors.js';
import { sleep } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { TokenBucket } from '../../core/token-bucket.js';

/**
 * The budget of `screen`, whose inputs the app has chosen: it waits instead of failing, and leaves the budget of checks alone.
 *
 * @param closing Ends every wait.
 * @returns Resolves when the budget covers `count`, at most `perMinute`; rejects with `ABORTED`.
 */
export function createScreenBudget(
  perMinute: number,
  now: () => number,
  closing: SignalLike,
): (count: number, signal: SignalLike | undefined) => Promise<void> {
  const tokens = new TokenBucket(perMinute);
  /** Time that has passed here: by the clock, or by waiting if the clock stands still or was set back. */
  let atMs = 0;
  return async (count, signal) => {
    const stop = createEnd();
    const abort = (): void => stop.abort();
    for (const ending of [signal, closing]) ending?.addEventListener('abort', abort);
    try {
      for (;;) {
        throwIfAborted(signal);
        atMs = Math.max(atMs, now());
        const waitMs = tokens.take(count, atMs);
        if (waitMs === 0 || closing.aborted) return;
        const untilMs = atMs + waitMs;
        await sleep(waitMs, stop.signal).catch(() => {});
        if (!stop.signal.aborted) atMs = Math.max(atMs, untilMs);
      }
    } finally {
      for (const ending of [signal, closing]) ending?.removeEventListener('abort', abort);
    }
  };
}
