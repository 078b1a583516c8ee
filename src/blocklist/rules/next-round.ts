import { type ErrorCode, isLogFault, type PortcullisError } from '../../core/errors.js';
import { isStatusCode } from '../../core/http/http-status.js';
import { mayNotAnswer } from './which-list.js';

/** When to ask a source again. Stored, because a worker may end between two rounds. */
export interface Retry {
  readonly failures: number;
  /** When it was made. If the clock is before that, the rest is ignored. */
  readonly atMs: number;
  /** Epoch time of the next round, unless the app asks for one. */
  readonly dueAtMs: number;
  /** Epoch time until which the source asked for a pause, which the app cannot override. */
  readonly heldUntilMs: number;
  /** The latest time at which a round has failed since the last success; 0 without. A clock that was set back since makes no list younger. */
  readonly failedAtMs: number;
}

export const noRetry: Retry = { failures: 0, atMs: 0, dueAtMs: 0, heldUntilMs: 0, failedAtMs: 0 };

const second = 1_000;
const minute = 60 * second;

/** A source that cannot be reached may soon be back; one that fails or rejects needs fewer requests. */
const awayMs = { first: 5 * second, max: 5 * minute } as const;
const refusedMs = { first: 15 * minute, firstWithoutList: 30 * second, max: 120 * minute } as const;

/** Faults of the list itself, which another request a moment later would find again. */
const listFaults: readonly ErrorCode[] = [...mayNotAnswer, 'ALGORITHM_UNKNOWN', 'LIST_EXPIRED'];

/** The longest pause; a longer one would leave the list stale. */
const maxHeldMs: number = 24 * 60 * minute;

/** A custom source may return something other than a number. */
function heldMsOf(askedMs = 0): number {
  return askedMs > 0 ? Math.min(askedMs, maxHeldMs) : 0;
}

/** When a round failed, and what the next one depends on. */
export interface Failure {
  readonly pollMs: number;
  /** Without a list every check is `unknown`, so that the next round comes sooner. */
  readonly hasList: boolean;
  readonly nowMs: number;
  readonly random: number;
}

export function retryAfterFailure(before: Retry, error: PortcullisError, { pollMs, hasList, nowMs, random }: Failure): Retry {
  const failures = before.failures + 1;
  const { code, status = 0 } = error;
  const doubled = 2 ** Math.min(failures - 1, 16);
  // An error may also come with the status of a success. A redirect that leads nowhere stays, and each try takes several requests.
  const isRefused = status >= 400 || isStatusCode(code) || code === 'REDIRECTED';
  // A problem with the list itself is checked again at the next poll.
  const isListAtFault = listFaults.includes(code) || isLogFault(error);
  const waitMs = isListAtFault
    ? pollMs
    : isRefused
      ? Math.min(doubled * (hasList ? refusedMs.first : refusedMs.firstWithoutList) * (1 + random), refusedMs.max)
      : Math.min(doubled * awayMs.first, awayMs.max);
  const heldMs = heldMsOf(error.retryAfterMs);
  // Without a list the source's own word counts, and not all clients that it refused come back in the same moment.
  const isBelieved = heldMs > 0 && !hasList;
  const nextMs = isBelieved ? Math.max(awayMs.first, heldMs * (1 + 0.2 * random)) : waitMs;
  return { ...retryAt(failures, nowMs, nextMs, heldMs), failedAtMs: Math.max(before.failedAtMs, nowMs) };
}

/** The next poll after a successful round, varied by a fifth: clients that started together must not ask together. */
export function retryAfterSuccess(pollMs: number, minWaitMs: number | undefined, nowMs: number, random: number): Retry {
  return retryAt(0, nowMs, pollMs * (0.8 + 0.4 * random), heldMsOf(minWaitMs));
}

/** In whole milliseconds, as alarms and stored records have them. */
function retryAt(failures: number, nowMs: number, waitMs: number, heldMs: number): Retry {
  return {
    failures,
    atMs: nowMs,
    dueAtMs: nowMs + Math.round(Math.max(waitMs, heldMs)),
    heldUntilMs: heldMs === 0 ? 0 : nowMs + Math.round(heldMs),
    failedAtMs: 0,
  };
}

/** Whether the source's pause still applies. It does not if the clock was set back. */
export function isHeld({ atMs, heldUntilMs }: Retry, nowMs: number): boolean {
  return atMs <= nowMs && nowMs < heldUntilMs;
}

/**
 * Reads a stored one. Its times are bounded, because a wrong clock may have written them, or whoever can write to the store: no pause is
 * longer than one that a source may ask for.
 */
export function readRetry(value: unknown, pollMs: number): Retry {
  const { failures, atMs, dueAtMs, heldUntilMs, failedAtMs = 0 } = Object(value) as Partial<Record<keyof Retry, unknown>>;
  const isNumber = (number: unknown): number is number => typeof number === 'number' && number >= 0;
  if (!isNumber(failures) || !isNumber(atMs) || !isNumber(dueAtMs) || !isNumber(heldUntilMs)) return noRetry;
  return {
    failures,
    atMs,
    dueAtMs: Math.min(dueAtMs, atMs + Math.max(maxHeldMs, 1.2 * pollMs)),
    heldUntilMs: Math.min(heldUntilMs, atMs + maxHeldMs),
    failedAtMs: isNumber(failedAtMs) ? failedAtMs : 0,
  };
}
