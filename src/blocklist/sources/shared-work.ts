import type { SignalLike } from '../../core/errors.js';
import { abortable, sleep } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import type { Signal } from './source-options.js';

/** Work that several callers wait for. An abort ends one wait, and the last one ends the work. */
export interface SharedWork<T> {
  /** Whether the work was aborted; callers can no longer join it. */
  isEnded(): boolean;
  /** Must be called in the turn in which the work was created. */
  join(signal: Signal): Promise<T>;
}

export function shareWork<T>(run: (signal: SignalLike) => Promise<T>): SharedWork<T> {
  const end = createEnd();
  const work = run(end.signal);
  let waiting = 0;
  return {
    isEnded: () => end.signal.aborted,
    async join(signal) {
      waiting++;
      try {
        return await abortable(work, signal);
      } finally {
        if (--waiting === 0) end.abort();
      }
    },
  };
}

/** Resolves after everything that starts in this turn, such as the rounds of other lists, has started. */
export function endOfTurn(signal: SignalLike): Promise<void> {
  return sleep(0, signal);
}
