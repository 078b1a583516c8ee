import { PortcullisError } from '../../core/errors.js';

/** Opening and closing, the same in every store. */
export interface Lifecycle {
  open(): Promise<void>;
  close(): Promise<void>;
  /** @throws CLOSED */
  requireOpen(): void;
  /** Runs a call, which closing waits for. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Calls `end` once at the next close. Returns a function that cancels it. */
  atClose(end: () => void): () => void;
}

/**
 * Counts users, because several blocklists may share one store: each opens and closes it, and the last close ends it. It can be opened
 * again, even while the close still waits for calls, so `start` may be called a second time before `end`.
 */
export function lifecycle(start: () => Promise<void>, end: () => Promise<void>): Lifecycle {
  let users = 0;
  let started: Promise<void> | undefined;
  const calls = new Set<Promise<unknown>>();
  const ends = new Set<() => void>();

  function requireOpen(): void {
    if (users === 0) throw closed();
  }

  return {
    requireOpen,
    async open() {
      users++;
      started ??= start();
      const starting = started;
      try {
        await starting;
      } catch (error) {
        // It fails for all waiting users. A user that has closed it meanwhile no longer counts.
        if (started === starting) {
          users = 0;
          started = undefined;
        }
        throw error;
      }
    },
    async close() {
      if (users === 0 || --users > 0) return;
      const starting = started;
      started = undefined;
      for (const run of [...ends]) run();
      ends.clear();
      // Older engines have no `Promise.allSettled`.
      for (const call of [starting, ...calls]) await call?.catch(() => {});
      // It may have been opened again meanwhile.
      if (users === 0) await end();
    },
    async during(work) {
      requireOpen();
      const call = work();
      calls.add(call);
      try {
        return await call;
      } finally {
        calls.delete(call);
      }
    },
    atClose(run) {
      ends.add(run);
      return () => void ends.delete(run);
    },
  };
}

export function closed(): PortcullisError {
  return new PortcullisError('CLOSED', 'the store is not open');
}
