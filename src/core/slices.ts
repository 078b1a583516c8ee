import { type Abortable, throwIfAborted } from './errors.js';

/**
 * Long work as a generator that yields between two slices: run at once where the caller waits anyway, or with a pause after each
 * slice where a page must go on answering. Slices are counted in entries and bytes, because the core knows no clock.
 */
export type Sliced<T> = Generator<void, T, void>;

export function runNow<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** However it ends, the work is ended too, so that an iterable it reads from can close. */
export async function runInSlices<T>(work: Sliced<T>, signal?: Abortable): Promise<T> {
  try {
    for (;;) {
      throwIfAborted(signal);
      const step = work.next();
      if (step.done) return step.value;
      await pause();
    }
  } finally {
    work.return(undefined as never);
  }
}

/** The host's timers, which a bare engine lacks; there only other promises get their turn. */
interface Timers {
  readonly setImmediate?: (run: () => void) => unknown;
  readonly setTimeout?: (run: () => void, delayMs: number) => unknown;
}

function pause(): Promise<void> {
  const { setImmediate, setTimeout } = globalThis as Timers;
  return new Promise((resolve) => {
    if (setImmediate !== undefined) setImmediate(resolve);
    else if (setTimeout !== undefined) setTimeout(resolve, 0);
    else resolve();
  });
}
