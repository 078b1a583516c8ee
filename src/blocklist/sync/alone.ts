import type { SignalLike } from '../../core/errors.js';
import { globals } from '../../core/http/fetch.js';
import type { OpenStore } from './open-store.js';

/** Longest wait for the lock, which only saves work. */
const lockWaitMs = 10_000;

/** Runs while no other user of the store does. After `lockWaitMs` it runs without the lock. */
export async function alone<T>(store: OpenStore, run: () => Promise<T>, signal: SignalLike | undefined): Promise<T> {
  if (!store.keeps() || globals.AbortController === undefined) return run();
  const waiting = new globals.AbortController();
  const end = (): void => waiting.abort();
  const timer = globals.setTimeout(end, lockWaitMs);
  signal?.addEventListener('abort', end);
  let work: Promise<T> | undefined;
  try {
    return await store.lock(() => {
      globals.clearTimeout(timer);
      work = run();
      return work;
    }, waiting.signal as SignalLike);
  } catch (error) {
    // If the lock failed rather than the work, the work runs without it, unless it is already running.
    if (signal?.aborted) throw error;
    return await (work ?? run());
  } finally {
    globals.clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
