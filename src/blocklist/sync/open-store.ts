import { hasCode, isPortcullisError, PortcullisError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import type { Store } from '../model/store.js';

/** Longest wait for the store to open. It may be waiting for another tab that never answers. */
const openTimeoutMs = 10_000;

/** Longest wait for a read. Another tab may sleep with an open transaction. */
const readTimeoutMs = 10_000;

/** Longest wait for a write. */
const writeTimeoutMs = 60_000;

/** Attempts to commit while other writers commit. */
export const maxCommits = 8;

/** The given store; or none if it cannot be opened, because a list in memory only is better than no list. Every call is limited in time. */
export interface OpenStore extends Omit<Required<Store>, 'isAtomic' | 'now'> {
  /** The store's time, or the given one if it has none. */
  now(ownMs: number): Promise<number>;
  /** Whether anything survives the process. */
  keeps(): boolean;
  /** Stops waiting for the store to open. */
  giveUp(): void;
}

export function createOpenStore(given: Store | undefined, onError: (error: PortcullisError) => void): OpenStore {
  let store = given;
  const waiting = createEnd();

  /** Limited in time: a store that hangs must not block a start or a round. */
  async function answer<T>(timeoutMs: number, fallback: T, call: (store: Store) => Promise<T>): Promise<T> {
    if (store === undefined) return fallback;
    const called = store;
    try {
      return await bounded(timeoutMs, undefined, () => call(called));
    } catch (cause) {
      throw hasCode(cause, 'TIMEOUT') ? unavailable(cause, `the store did not answer within ${timeoutMs} ms`) : cause;
    }
  }

  return {
    keeps: () => store !== undefined,
    giveUp: () => waiting.abort(),
    async open() {
      try {
        await bounded(openTimeoutMs, waiting.signal, async () => given?.open());
      } catch (cause) {
        store = undefined;
        // It may still open later, and must not stay open.
        given?.close().catch(() => {});
        if (hasCode(cause, 'ABORTED')) return;
        onError(unavailable(cause, 'the store cannot be opened; lists are kept in memory only'));
      }
    },
    read: (name) => answer(readTimeoutMs, null, (store) => store.read(name)),
    write: (name, bytes) => answer(writeTimeoutMs, undefined, (store) => store.write(name, bytes)),
    remove: (name) => answer(writeTimeoutMs, undefined, (store) => store.remove(name)),
    list: (prefix) => answer(readTimeoutMs, [], (store) => store.list(prefix)),
    heads: (name) => answer(readTimeoutMs, [], (store) => store.heads(name)),
    commit: (name, bytes, sequence) => answer(writeTimeoutMs, true, (store) => store.commit(name, bytes, sequence)),
    now: (ownMs) => answer(readTimeoutMs, ownMs, async (store) => (await store.now?.()) ?? ownMs).catch(() => ownMs),
    lock: async (run, signal) => (store?.lock === undefined ? run() : store.lock(run, signal)),
    watch(listener) {
      try {
        return store?.watch?.(listener) ?? (() => {});
      } catch (cause) {
        // The next round finds what other writers have stored.
        onError(new PortcullisError('STORE_UNAVAILABLE', 'the store cannot be watched', { cause }));
        return () => {};
      }
    },
    close: () => answer(readTimeoutMs, undefined, (store) => store.close()),
  };
}

function unavailable(cause: unknown, message: string): PortcullisError {
  const isOurs = isPortcullisError(cause) && cause.code !== 'TIMEOUT';
  return isOurs ? cause : new PortcullisError('STORE_UNAVAILABLE', message, { cause });
}
