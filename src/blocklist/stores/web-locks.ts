import { abortedBy, type SignalLike, throwIfAborted } from '../../core/errors.js';
import type { Lock } from './local-lock.js';
import { storeFailure } from './store-failure.js';
import { closed, type Lifecycle } from './store-lifecycle.js';

/** The part of `LockManager` the lock uses. Structural, because most engines have no such type. */
interface LockManagerLike {
  request<T>(name: string, options: { readonly signal: unknown }, run: () => Promise<T>): Promise<T>;
}

interface Host {
  readonly navigator?: { readonly locks?: LockManagerLike };
  readonly AbortController?: new () => { readonly signal: unknown; abort(): void };
}

/** A lock between all tabs and workers of an origin, if the platform has Web Locks, which need a secure context. */
export function webLock(name: string, { requireOpen, atClose }: Lifecycle): Lock | undefined {
  const { navigator, AbortController } = globalThis as Host;
  const locks = navigator?.locks;
  if (locks === undefined || AbortController === undefined) return undefined;
  return async (run, signal?: SignalLike) => {
    requireOpen();
    throwIfAborted(signal);
    // A new signal, because the caller's may not be the platform's own `AbortSignal`.
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
      // An error of `run` is passed on unchanged.
      if (began) throw error;
      throw ended?.() ?? storeFailure(error, 'the browser failed to provide a lock');
    } finally {
      leave();
    }
  };
}
