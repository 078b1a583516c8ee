import type { PortcullisError } from '../../core/errors.js';

/** What is remembered of failures; stored, because a worker forgets. */
export interface Retry {
  readonly failures: number;
  /** When it was written: a clock before it makes all that is said here nothing. */
  readonly atMs: number;
  /** Epoch time before which nothing is asked, unless the app asks itself. */
  readonly dueAtMs: number;
  /** Epoch time before which the source asked to be left alone; not even the app is heard. */
  readonly heldUntilMs: number;
}

export const noRetry: Retry = { failures: 0, atMs: 0, dueAtMs: 0, heldUntilMs: 0 };

const second = 1_000;
const minute = 60 * second;

/** A source that cannot be reached is soon there again; one that fails or refuses is not helped by being asked. */
const awayMs = { first: 5 * second, max: 5 * minute } as const;
const refusedMs = { first: 15 * minute, max: 120 * minute } as const;

/** A longer wait than a day would leave a list to die; whoever asks for one is asked again after it. */
const maxHeldMs: number = 24 * 60 * minute;

/** A source of somebody else's may give no number. */
function heldMsOf(askedMs = 0): number {
  return askedMs > 0 ? Math.min(askedMs, maxHeldMs) : 0;
}

export function retryAfterFailure(before: Retry, error: PortcullisError, pollMs: number, nowMs: number, random: number): Retry {
  const failures = before.failures + 1;
  const { code, status = 0 } = error;
  const doubled = 2 ** Math.min(failures - 1, 16);
  const isRefused = status >= 400 || code === 'TOO_MANY_REQUESTS' || code === 'INTERNAL_SERVER_ERROR';
  // What is wrong with the list itself is looked at again with the next poll.
  const isListAtFault = code === 'SUSPICIOUS_LIST' || code === 'ALGORITHM_UNKNOWN';
  const waitMs = isListAtFault
    ? pollMs
    : isRefused
      ? Math.min(doubled * refusedMs.first * (1 + random), refusedMs.max)
      : Math.min(doubled * awayMs.first, awayMs.max);
  const heldMs = heldMsOf(error.retryAfterMs);
  return { failures, atMs: nowMs, dueAtMs: nowMs + Math.max(waitMs, heldMs), heldUntilMs: heldMs === 0 ? 0 : nowMs + heldMs };
}

/** The next poll after a good round: a fifth earlier or later, so that clients which started together do not ask together. */
export function retryAfterSuccess(pollMs: number, minWaitMs: number | undefined, nowMs: number, random: number): Retry {
  const heldMs = heldMsOf(minWaitMs);
  return {
    failures: 0,
    atMs: nowMs,
    dueAtMs: nowMs + Math.max(pollMs * (0.8 + 0.4 * random), heldMs),
    heldUntilMs: heldMs === 0 ? 0 : nowMs + heldMs,
  };
}

/** A clock that went back makes what is held, and what is due, nothing but due. */
export function isHeld({ atMs, heldUntilMs }: Retry, nowMs: number): boolean {
  return atMs <= nowMs && nowMs < heldUntilMs;
}

export function readRetry(value: unknown): Retry {
  const { failures, atMs, dueAtMs, heldUntilMs } = Object(value) as Partial<Record<keyof Retry, unknown>>;
  const isNumber = (number: unknown): number is number => typeof number === 'number' && number >= 0;
  if (!isNumber(failures) || !isNumber(atMs) || !isNumber(dueAtMs) || !isNumber(heldUntilMs)) return noRetry;
  return { failures, atMs, dueAtMs, heldUntilMs };
}
