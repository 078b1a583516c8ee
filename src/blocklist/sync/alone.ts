import type { SignalLike } from '../../core/errors.js';
import { host } from '../../core/http/fetch.js';
import type { OpenStore } from './open-store.js';

/** Whoever holds the lock longer is not waited for: it only saves work. */
const lockWaitMs = 10_000;

/** Runs alone among all who use the store, or after a while of waiting not alone. */
export async function alone<T>(store: OpenStore, run: () => Promise<T>, signal: SignalLike | undefined): Promise<T> {
  if (!store.keeps || host.AbortController === undefined) return run();
  const waiting = new host.AbortController();
  const end = (): void => waiting.abort();
  const timer = host.setTimeout(end, lockWaitMs);
  signal?.addEventListener('abort', end);
  let work: Promise<T> | undefined;
  try {
    return await store.lock(() => {
      host.clearTimeout(timer);
      work = run();
      return work;
    }, waiting.signal as SignalLike);
  } catch (error) {
    // What the work itself threw, or a lock that failed after it; one that failed before it is not needed.
    if (signal?.aborted) throw error;
    return await (work ?? run());
  } finally {
    host.clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
