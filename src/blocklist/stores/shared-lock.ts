import { abortedBy, isPortcullisError, throwIfAborted } from '../../core/errors.js';
import { sleep } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { type Lock, localLock } from './local-lock.js';
import { closed, type Lifecycle } from './store-lifecycle.js';

export type Release = () => Promise<void>;

/** Waits for a lock between processes. `pause` waits between two attempts, and throws to end the wait. */
export type Acquire = (pause: (delayMs: number) => Promise<void>) => Promise<Release>;

/**
 * The lock between processes, after the one within this process. A store that fails, because it is full, read-only or gone, has no lock:
 * no other process can commit there either, and this process can use the list it fetches.
 */
export function sharedLock(acquire: Acquire, life: Lifecycle): Lock {
  const turn = localLock(life);
  return (run, signal) =>
    turn(async () => {
      const ended = createEnd();
      const abort = (): void => ended.abort();
      const stay = life.atClose(abort);
      signal?.addEventListener('abort', abort);
      let release: Release | undefined;
      try {
        release = await acquire(async (delayMs) => {
          await sleep(delayMs, ended.signal).catch(() => {});
          throwIfAborted(signal);
          if (ended.signal.aborted) throw closed();
        });
      } catch (error) {
        if (isPortcullisError(error) && (error.code === 'ABORTED' || error.code === 'CLOSED')) throw error;
      } finally {
        stay();
        signal?.removeEventListener('abort', abort);
      }
      try {
        if (signal?.aborted) throw abortedBy(signal);
        return await run();
      } finally {
        await release?.();
      }
    }, signal);
}
