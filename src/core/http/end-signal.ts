import type { SignalLike } from '../errors.js';

/** The end of something that has much under way. */
export interface End {
  readonly signal: SignalLike;
  end(): void;
}

/** A signal that everything under way may listen to: of an `AbortSignal`, which may not have so many, Node warns from the eleventh on. */
export function createEnd(): End {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    signal: {
      get aborted() {
        return aborted;
      },
      addEventListener: (_, listener) => listeners.add(listener),
      removeEventListener: (_, listener) => listeners.delete(listener),
    },
    end() {
      aborted = true;
      for (const listener of listeners) listener();
    },
  };
}
