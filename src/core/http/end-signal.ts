import type { AbortControllerLike } from './fetch.js';

/** Aborts any number of listeners. Node warns when an `AbortSignal` gets its eleventh, and bare engines have none. */
export function createEnd(): AbortControllerLike {
  // Most work ends before anything listens.
  let listeners: Set<() => void> | undefined;
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener(_: 'abort', listener: () => void) {
      listeners ??= new Set();
      listeners.add(listener);
    },
    removeEventListener(_: 'abort', listener: () => void) {
      listeners?.delete(listener);
    },
  };
  return {
    signal,
    abort(reason) {
      Object.assign(signal, { aborted: true, reason });
      for (const listener of listeners ?? []) listener();
    },
  };
}
