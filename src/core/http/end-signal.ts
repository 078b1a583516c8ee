import type { SignalLike } from '../errors.js';

/** Ends many running operations at once. */
export interface End {
  readonly signal: SignalLike;
  end(reason?: unknown): void;
}

/** A signal for any number of listeners. Node warns when an `AbortSignal` gets its eleventh, and bare engines have none. */
export function createEnd(): End {
  const listeners = new Set<() => void>();
  let aborted = false;
  let abortReason: unknown;
  return {
    signal: {
      get aborted() {
        return aborted;
      },
      get reason() {
        return abortReason;
      },
      addEventListener: (_, listener) => listeners.add(listener),
      removeEventListener: (_, listener) => listeners.delete(listener),
    },
    end(reason) {
      aborted = true;
      abortReason = reason;
      for (const listener of listeners) listener();
    },
  };
}
