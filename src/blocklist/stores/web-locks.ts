import { abortedBy, type SignalLike, throwIfAborted } from '../../core/errors.js';
import type { Lock } from './in-order.js';
import { storeFailure } from './store-failure.js';
import { closed, type Lifecycle } from './store-lifecycle.js';

/** The part of `LockManager` that is used; structural, because most engines have none. */
interface LockManagerLike {
  request<T>(name: string, options: { readonly signal: unknown }, run: () => Promise<T>): Promise<T>;
}

interface Host {
  readonly navigator?: { readonly locks?: LockManagerLike };
  readonly AbortController?: new () => { readonly signal: unknown; abort(): void };
}

/** Among all tabs and workers of an origin, where the platform has Web Locks (not outside of a secure context). */
export function webLock(name: string, { requireOpen, atClose }: Lifecycle): Lock | undefined {
  const { navigator, AbortController } = globalThis as Host;
  const locks = navigator?.locks;
  if (locks === undefined || AbortController === undefined) return undefined;
  return async (run, signal?: SignalLike) => {
    requireOpen();
    throwIfAborted(signal);
    // One of our own, because the caller's may be no signal of the platform.
    const wait = new AbortController();
    let began = false;
    let ended: (() => Error) | undefined;
    const end = (by: () => Error): void => {
      ended ??= by;
      wait.abort();
    };
    const abort = (): void => end(() => abortedBy(signal!));
    const stay = atClose(() => end(closed));
    signal?.addEventListener('abort', abort);
    const leave = (): void => {
      stay();
      signal?.removeEventListener('abort', abort);
    };
    try {
      return await locks.request(name, { signal: wait.signal }, () => {
        began = true;
        leave();
        return run();
      });
    } catch (error) {
      // What `run` throws goes through as it is.
      if (began) throw error;
      throw ended?.() ?? storeFailure(error, 'the browser gives no lock');
    } finally {
      leave();
    }
  };
}
