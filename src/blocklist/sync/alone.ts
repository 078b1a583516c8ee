import type { SignalLike } from '../../core/errors.js';
import { host } from '../../core/http/fetch.js';
import type { OpenStore } from './open-store.js';

/** Longest wait for the lock, which only saves work. */
const lockWaitMs = 10_000;

/** Runs while no other user of the store does. After `lockWaitMs` it runs without the lock. */
export async function alone<T>(store: OpenStore, run: () => Promise<T>, signal: SignalLike | undefined): Promise<T> {
  if (!store.keeps() || host.AbortController === undefined) return run();
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
    // If the lock failed rather than the work, the work runs without it, unless it is already running.
    if (signal?.aborted) throw error;
    return await (work ?? run());
  } finally {
    host.clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
