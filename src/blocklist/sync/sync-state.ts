import type { PortcullisError } from '../../core/errors.js';
import type { Generation, VersionOrder } from '../model/generation.js';
import type { SeenCheckpoint, Source } from '../model/source.js';
import { type Doubt, DoubtfulListError } from '../rules/doubt.js';
import { isOutdated } from '../rules/judge-hit.js';
import { type Failure, isHeld, noRetry, type Retry, retryAfterFailure, retryAfterSuccess } from '../rules/next-round.js';
import { mayNotAnswer } from '../rules/which-list.js';

/**
 * What is known about the rounds of one list. Immutable: each outcome makes the next state, without a clock, a store or an event.
 */
export interface SyncState {
  readonly retry: Retry;
  readonly doubt: Doubt | null;
  readonly lastError: PortcullisError | null;
  /** Of the newest version this device has had. Stored beside the list, so that it outlives a damaged one. */
  readonly newest: VersionOrder | null;
  /** What the list's log had signed for the last version, whatever has become of the list since. */
  readonly checkpoint: SeenCheckpoint | undefined;
  /** What the source's `tokenHistory` remembers. */
  readonly seen: unknown;
  /** When the source last offered an older version. */
  readonly olderAtMs: number | null;
  /** When the source last offered a list that was not taken over, from which its answers may come too. */
  readonly refusedAtMs: number | null;
  /** Epoch time of the last request for samples. */
  readonly calibratedAtMs: number;
  /** Whether the event was emitted for the present condition. */
  readonly isStaleReported: boolean;
  readonly isFrozenReported: boolean;
}

export const initialState: SyncState = {
  retry: noRetry,
  doubt: null,
  lastError: null,
  newest: null,
  checkpoint: undefined,
  seen: undefined,
  olderAtMs: null,
  refusedAtMs: null,
  calibratedAtMs: Number.NEGATIVE_INFINITY,
  isStaleReported: false,
  isFrozenReported: false,
};

/** @param minWaitMs The pause that the source asks for. */
export function afterSuccess(
  state: SyncState,
  minWaitMs: number | undefined,
  pollMs: number,
  nowMs: number,
  random: number,
): SyncState {
  return { ...state, retry: retryAfterSuccess(pollMs, minWaitMs, nowMs, random), doubt: null, lastError: null };
}

export function afterFailure(state: SyncState, error: PortcullisError, { pollMs, hasList, nowMs, random }: Failure): SyncState {
  return {
    ...state,
    retry: retryAfterFailure(state.retry, error, { pollMs, hasList, nowMs, random }),
    doubt: error instanceof DoubtfulListError ? error.doubt : state.doubt,
    lastError: error,
    olderAtMs: error.code === 'OLDER_LIST' ? nowMs : state.olderAtMs,
    refusedAtMs: mayNotAnswer.includes(error.code) ? nowMs : state.refusedAtMs,
  };
}

/** The network is back: what failed is due at once, unless the source asked for a pause. */
export function afterWake(state: SyncState, nowMs: number): SyncState {
  return state.retry.failures > 0 && !isHeld(state.retry, nowMs) ? dueNow(state) : state;
}

function dueNow(state: SyncState): SyncState {
  return { ...state, retry: { ...state.retry, dueAtMs: 0 } };
}

/** The list that the last round left is lost or damaged: what followed from its success no longer holds a round back. */
export function afterLoss(state: SyncState): SyncState {
  return state.retry.failures > 0 ? state : { ...state, retry: noRetry };
}

/** Epoch time of the next round. If the clock was set back, that is now. */
export function nextSyncAtMs(state: SyncState, generation: Generation | null, nowMs: number): number {
  return isFromTheFuture(state, generation, nowMs) && !isHeld(state.retry, nowMs) ? nowMs : state.retry.dueAtMs;
}

/** Whether the store is being read, or the first list is being fetched and nothing has failed yet. */
export function isLoading(isLoaded: boolean, isRunning: boolean, generation: Generation | null, { retry }: SyncState): boolean {
  return !isLoaded || (isRunning && generation === null && retry.failures === 0);
}

export function isFromTheFuture({ retry }: SyncState, generation: Generation | null, nowMs: number): boolean {
  return retry.atMs > nowMs || (generation !== null && generation.currentAtMs > nowMs);
}

/** A list, and what is known about its rounds. */
interface Kept {
  readonly state: SyncState;
  readonly generation: Generation;
}

/**
 * The same list, with the age that it had before the clock was set back; `null` if it was not. The age of a list that came while the clock
 * was ahead is unknown: it counts as new, once.
 */
export function afterClockBack(state: SyncState, generation: Generation, nowMs: number): Kept | null {
  const { snapshotAtMs, currentAtMs, movedAtMs, order } = generation;
  const latestMs = Math.max(currentAtMs, state.retry.failedAtMs);
  if (latestMs <= nowMs) return null;
  return {
    state: {
      ...state,
      newest: state.newest && { ...state.newest, seenAtMs: Math.min(state.newest.seenAtMs, nowMs) },
      retry: { ...state.retry, failedAtMs: Math.min(state.retry.failedAtMs, nowMs) },
    },
    generation: {
      ...generation,
      snapshotAtMs: Math.min(snapshotAtMs, nowMs),
      currentAtMs: Math.max(0, nowMs - (latestMs - currentAtMs)),
      movedAtMs: Math.min(movedAtMs, nowMs),
      order: { ...order, seenAtMs: Math.min(order.seenAtMs, nowMs) },
    },
  };
}

/** After a failure, or a clock that was set back, another tab's poll does not replace a round. */
export function mayBeFresh(state: SyncState, generation: Generation | null, nowMs: number): boolean {
  return state.retry.failures === 0 && !isFromTheFuture(state, generation, nowMs);
}

/** A list another tab fetched within this share of the polling interval saves a poll. */
const freshShare = 0.5;

export function isFresh(generation: Generation | null, nowMs: number, pollMs: number): boolean {
  return generation !== null && isWithin(nowMs - generation.currentAtMs, pollMs * freshShare);
}

export function isWithin(ageMs: number, limitMs: number): boolean {
  return ageMs >= 0 && ageMs < limitMs;
}

export function ageOf({ retry }: SyncState, generation: Generation | null, nowMs: number): number {
  return generation === null ? 0 : Math.max(0, Math.max(nowMs, retry.failedAtMs) - generation.currentAtMs);
}

/** Whether the list is missing, or too old for a miss to mean `clear`. */
export function isStale({ retry }: SyncState, generation: Generation | null, nowMs: number, maxAgeMs: number): boolean {
  return generation === null || isOutdated(generation, Math.max(nowMs, retry.failedAtMs), maxAgeMs);
}

/** An event about the age of a list. */
export type AgeEvent =
  /** The list became too old for a miss to mean `clear`. */
  | { readonly type: 'stale'; readonly ageMs: number }
  /** No token has changed for `frozenMs`. */
  | { readonly type: 'frozen'; readonly sinceMs: number };

interface AgeLimits {
  readonly maxAgeMs: number;
  readonly frozenMs: number;
  readonly source: Pick<Source, 'moves'>;
}

/** The events that are due, each once until its condition ends. */
export function afterAgeing(
  state: SyncState,
  generation: Generation | null,
  { maxAgeMs, frozenMs, source }: AgeLimits,
  nowMs: number,
): { readonly state: SyncState; readonly events: readonly AgeEvent[] } {
  const events: AgeEvent[] = [];
  const isStaleReported = generation !== null && isStale(state, generation, nowMs, maxAgeMs);
  if (isStaleReported && !state.isStaleReported) events.push({ type: 'stale', ageMs: ageOf(state, generation, nowMs) });
  const sinceMs = generation === null ? nowMs : generation.movedAtMs;
  const isFrozenReported = source.moves !== false && nowMs - sinceMs > frozenMs;
  if (isFrozenReported && !state.isFrozenReported) events.push({ type: 'frozen', sinceMs });
  return { state: { ...state, isStaleReported, isFrozenReported }, events };
}
