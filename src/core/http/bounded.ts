import { abortedBy, hasCode, PortcullisError, type SignalLike, throwIfAborted } from '../errors.js';
import { createEnd } from './end-signal.js';
import { globals } from './fetch.js';

/** The longest delay a timer supports; a longer one fires at once. */
export const maxTimerMs: number = 2 ** 31 - 1;

/**
 * Runs `work` with a time limit. It is raced against the limit and the signal, because what it calls may ignore the signal passed to
 * it.
 *
 * @param isBackground The timer does not keep the process alive.
 * @param isOurs The work takes any signal. One of the platform costs 15 µs on Node.
 *
 * @throws TIMEOUT, ABORTED, and what `work` throws
 */
export function bounded<T>(
  timeoutMs: number | undefined,
  signal: SignalLike | undefined,
  work: (signal: SignalLike) => Promise<T>,
  isBackground = false,
  isOurs = false,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    throwIfAborted(signal);
    const stop = isOurs || globals.AbortController === undefined ? createEnd() : new globals.AbortController();
    const settle = (): void => {
      globals.clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: unknown): void => {
      settle();
      reject(error);
    };
    const end = (error: PortcullisError): void => {
      fail(error);
      stop.abort(error);
    };
    const late = (): void => end(new PortcullisError('TIMEOUT', `timed out after ${timeoutMs} ms`));
    const abort = (): void => end(abortedBy(signal!));
    const timer = timeoutMs === undefined ? undefined : globals.setTimeout(late, timeoutMs);
    if (isBackground) (timer as { unref?: () => void } | undefined)?.unref?.();
    signal?.addEventListener('abort', abort);
    try {
      Promise.resolve(work(stop.signal)).then((value) => {
        settle();
        resolve(value);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

/**
 * Waits for work, but no longer than a time. The work goes on.
 *
 * @returns the time that is left; 0 if the work did not end
 * @throws ABORTED, and what `work` throws
 */
export async function waitFor(waitMs: number, signal: SignalLike | undefined, work: () => Promise<unknown>): Promise<number> {
  const startMs = Date.now();
  try {
    await bounded(waitMs, signal, work);
  } catch (error) {
    if (!hasCode(error, 'TIMEOUT')) throw error;
    return 0;
  }
  // Stays within its bounds even if the clock is changed meanwhile.
  return Math.min(waitMs, Math.max(0, waitMs - (Date.now() - startMs)));
}

/**
 * Waits for shared work. An abort ends this wait only; the work goes on for others.
 *
 * @throws ABORTED, and what the work throws
 */
export function abortable<T>(work: Promise<T>, signal: SignalLike | undefined): Promise<T> {
  return signal === undefined ? work : bounded(undefined, signal, () => work);
}

/** @throws ABORTED */
export async function sleep(delayMs: number, signal?: SignalLike): Promise<void> {
  await waitFor(Math.min(delayMs, maxTimerMs), signal, () => new Promise<never>(() => {}));
}
