import { isPortcullisError, type PortcullisError, type SignalLike } from '../errors.js';
import { sleep } from './bounded.js';

/** How often a call is retried, and after which delays. */
export interface RetryOptions {
  /** Retries after the first attempt. @default 2 */
  readonly maxRetries?: number;
  /** Longest delay before the first retry, in milliseconds; doubles with each further one. @default 500 */
  readonly delayMs?: number;
  /** Longest delay before any retry, in milliseconds. If the service asks for a longer one, the call fails at once. @default 20_000 */
  readonly maxDelayMs?: number;
}

export interface Attempts {
  readonly retry: RetryOptions;
  /** Longest time of all attempts and delays together, in milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: SignalLike | undefined;
  readonly now: () => number;
  /** 0 to 1, like `Math.random`. */
  readonly random: () => number;
  /** Called before the delay of each retry. */
  readonly onRetry: (attempt: number, delayMs: number, error: PortcullisError) => void;
  /** @default timers */
  readonly sleep?: (delayMs: number, signal?: SignalLike) => Promise<void>;
}

/**
 * Runs `attempt` until it succeeds, fails for good, or a limit is reached. Failed connections, timeouts, 5xx and 429 are retried. Throws
 * the error of the last attempt.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: Attempts): Promise<T> {
  const { now, sleep: rest = sleep } = options;
  const { maxRetries = 2, delayMs = 500, maxDelayMs = 20_000 } = options.retry;
  const endMs = now() + options.deadlineMs;
  for (let count = 0; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count >= maxRetries || !isPortcullisError(error)) throw error;
      if (!isTransient(error)) throw error;
      // Random, so that many clients do not retry at the same moment; never shorter than the service asks for.
      const backOffMs = Math.min(maxDelayMs, delayMs * 2 ** count) * options.random();
      const waitMs = Math.ceil(Math.max(backOffMs, error.retryAfterMs ?? 0));
      if (waitMs > maxDelayMs || now() + waitMs >= endMs) throw error;
      options.onRetry(count + 1, waitMs, error);
      await rest(waitMs, options.signal);
    }
  }
}

/** The longest HTTP date has 33 characters, and more digits are no useful number of seconds. */
const maxRetryAfterLength = 64;

/** `Retry-After`, given in seconds or as an HTTP date, in milliseconds from now. `undefined` if it is neither. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.length > maxRetryAfterLength) return undefined;
  // The three forms that RFC 9110 §5.6.7 requires. Only the last one lacks its zone, and may otherwise be read as a local time.
  const date = /^\w+,? .*:\d\d (GMT|\d{4})$/.test(header) ? header.replace(/\d{4}$/, '$& GMT') : '';
  const waitMs = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(date) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Whether the same request may succeed later. */
export function isTransient({ code, status = 0 }: Pick<PortcullisError, 'code' | 'status'>): boolean {
  return code === 'NETWORK' || code === 'TIMEOUT' || status === 429 || status >= 500;
}
