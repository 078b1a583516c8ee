import { abortedBy, PortcullisError, type SignalLike, throwIfAborted } from '../errors.js';
import { createEnd } from './end-signal.js';
import { host } from './fetch.js';

/** The longest delay a timer supports; a longer one fires at once. */
export const maxTimerMs: number = 2 ** 31 - 1;

/**
 * Runs `work` with a time limit. It is raced against the limit and the signal, because what it calls may ignore the signal passed to
 * it.
 *
 * @param isBackground The timer does not keep the process alive.
 *
 * @throws TIMEOUT, ABORTED, and what `work` throws
 */
export async function bounded<T>(
  timeoutMs: number | undefined,
  signal: SignalLike | undefined,
  work: (signal: SignalLike) => Promise<T>,
  isBackground = false,
): Promise<T> {
  throwIfAborted(signal);
  const stop = host.AbortController === undefined ? createEnd() : new host.AbortController();
  let end: (error: PortcullisError) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    end = (error) => {
      reject(error);
      stop.abort(error);
    };
  });
  // Without a handler, an abort after the work is done would be an unhandled rejection.
  ended.catch(() => {});
  const late = (): void => end(new PortcullisError('TIMEOUT', `timed out after ${timeoutMs} ms`));
  const timer = timeoutMs === undefined ? undefined : host.setTimeout(late, timeoutMs);
  if (isBackground) (timer as { unref?: () => void } | undefined)?.unref?.();
  const abort = (): void => end(abortedBy(signal!));
  try {
    signal?.addEventListener('abort', abort);
    return await Promise.race([work(stop.signal), ended]);
  } finally {
    if (timer !== undefined) host.clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
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
  try {
    await bounded(Math.min(delayMs, maxTimerMs), signal, () => new Promise<never>(() => {}));
  } catch (error) {
    if ((error as PortcullisError).code !== 'TIMEOUT') throw error;
  }
}
