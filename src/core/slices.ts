import { type Abortable, throwIfAborted } from './errors.js';

/**
 * Long work as a generator that yields between two slices: run without a pause for a synchronous caller, or with a pause after each
 * slice so that a page stays responsive. Slices are measured in entries and bytes, because the core has no clock.
 */
export type Sliced<T> = Generator<void, T, void>;

export function runNow<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Also ends the generator when aborted, so that the iterable it reads from can close. */
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

/** The host's timers. In a bare engine, which has none, a pause lets only other promises run. */
interface Timers {
  readonly setImmediate?: (run: () => void) => unknown;
  readonly scheduler?: { postTask?(run: () => void): Promise<unknown> };
  readonly setTimeout?: (run: () => void, delayMs: number) => unknown;
}

/**
 * Lets everything else run. Browsers delay each of many timers by 4 ms, which would triple the time until a worker has read a list of a
 * million entries.
 */
export function pause(): Promise<unknown> {
  const { setImmediate, scheduler, setTimeout } = globalThis as Timers;
  if (scheduler?.postTask !== undefined) return scheduler.postTask(() => {});
  return new Promise<void>((resolve) => {
    if (setImmediate !== undefined) setImmediate(resolve);
    else if (setTimeout !== undefined) setTimeout(resolve, 0);
    else resolve();
  });
}
