import { PortcullisError } from '../../core/errors.js';

/** Opening and closing, alike in every store. */
export interface Lifecycle {
  open(): Promise<void>;
  close(): Promise<void>;
  /** @throws CLOSED */
  requireOpen(): void;
  /** Runs a call; closing waits for it. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Calls once at the next close; returns what takes that back. */
  atClose(end: () => void): () => void;
}

/**
 * Users are counted, because several blocklists may share one store: each opens and closes it, and the last one ends it. Closed, it
 * can be opened again, also while the close still waits for calls: so `start` may come a second time before `end`.
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
        // It fails for everybody who waits; who closed it meanwhile is no user any more.
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
      // One after the other: older engines have no `Promise.allSettled`.
      for (const call of [starting, ...calls]) await call?.catch(() => {});
      // Somebody may have opened it meanwhile.
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
