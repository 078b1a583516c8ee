import { isPortcullisError, type PortcullisError, type SignalLike } from '../errors.js';
import { sleep } from './bounded.js';

/** How often a call is tried again, and after which waits. */
export interface RetryOptions {
  /** Attempts after the first. @default 2 */
  readonly retriesMax?: number;
  /** Longest wait before the first retry, in milliseconds; doubled for each further one. @default 500 */
  readonly delayMs?: number;
  /** Longest wait before any retry, in milliseconds. Where the service asks for more, the call fails and says so. @default 20_000 */
  readonly delayMaxMs?: number;
}

export interface Attempts {
  readonly retry: RetryOptions;
  /** Longest time of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest time of all attempts and the waits between, in milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: SignalLike | undefined;
  readonly now: () => number;
  /** 0 to 1, as `Math.random`. */
  readonly random: () => number;
  /** Called before the wait of each retry. */
  readonly onRetry: (attempt: number, delayMs: number, error: PortcullisError) => void;
  /** @default timers */
  readonly sleep?: (delayMs: number, signal?: SignalLike) => Promise<void>;
}

/**
 * Runs `attempt` until it succeeds, fails for good, or the bounds are reached. Connections that fail, 5xx and 429 are tried again; the
 * error of the last attempt is the one that is thrown.
 */
export async function withRetries<T>(attempt: (timeoutMs: number) => Promise<T>, options: Attempts): Promise<T> {
  const { timeoutMs, now, sleep: rest = sleep } = options;
  const { retriesMax = 2, delayMs = 500, delayMaxMs = 20_000 } = options.retry;
  const endMs = now() + options.deadlineMs;
  for (let count = 0; ; count++) {
    try {
      return await attempt(Math.max(1, Math.min(timeoutMs, endMs - now())));
    } catch (error) {
      if (count >= retriesMax || !isPortcullisError(error) || !mayPass(error)) throw error;
      // A random part of the bound, so that many clients do not come back at once; never less than the service asks for.
      const backOffMs = Math.min(delayMaxMs, delayMs * 2 ** count) * options.random();
      const waitMs = Math.ceil(Math.max(backOffMs, error.retryAfterMs ?? 0));
      if (waitMs > delayMaxMs || now() + waitMs >= endMs) throw error;
      options.onRetry(count + 1, waitMs, error);
      await rest(waitMs, options.signal);
    }
  }
}

/** Another attempt may end differently. */
function mayPass({ code, status = 0 }: PortcullisError): boolean {
  return code === 'NETWORK' || code === 'TIMEOUT' || status === 429 || status >= 500;
}

/** `Retry-After` in milliseconds from now: seconds or an HTTP date. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const waitMs = /^\s*\d+\s*$/.test(header)
    ? Number(header) * 1000
    : /[a-z] .*GMT$/.test(header)
      ? Date.parse(header) - nowMs
      : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
