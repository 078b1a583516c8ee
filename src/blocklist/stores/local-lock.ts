import { abortedBy, type SignalLike, throwIfAborted } from '../../core/errors.js';
import { closed, type Lifecycle } from './store-lifecycle.js';

export type Lock = <T>(run: () => Promise<T>, signal?: SignalLike) => Promise<T>;

/** A lock between users of one store object, in call order. */
export function localLock({ requireOpen, atClose }: Lifecycle): Lock {
  let held = false;
  const waiting: (() => void)[] = [];

  function turn(signal: SignalLike | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener('abort', abort);
        stay();
        const at = waiting.indexOf(mine);
        if (at !== -1) waiting.splice(at, 1);
      };
      const mine = (): void => {
        leave();
        resolve();
      };
      const abort = (): void => {
        leave();
        reject(abortedBy(signal!));
      };
      const stay = atClose(() => {
        leave();
        reject(closed());
      });
      signal?.addEventListener('abort', abort);
      waiting.push(mine);
    });
  }

  return async (run, signal) => {
    requireOpen();
    throwIfAborted(signal);
    // Passed directly to the next waiter, so that no later call gets in between.
    if (held) await turn(signal);
    held = true;
    try {
      return await run();
    } finally {
      const next = waiting[0];
      if (next === undefined) held = false;
      else next();
    }
  };
}
