import type { SignalLike } from '../errors.js';

/** The end of something that has much under way. */
export interface End {
  readonly signal: SignalLike;
  end(reason?: unknown): void;
}

/** A signal that everything under way may listen to: of an `AbortSignal`, which may not have so many, Node warns from the eleventh on. */
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
