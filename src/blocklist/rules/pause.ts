import type { PortcullisError } from '../../core/errors.js';

/** How a source that answers questions has failed lately, and until when it is left alone. Immutable: each outcome makes the next one. */
export interface Pause {
  /** Consecutive failed requests; concurrent ones count once. */
  readonly failures: number;
  /** The last failure; `null` once the source has answered. */
  readonly lastError: PortcullisError | null;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether the source asked for it. */
  readonly isRequested: boolean;
}

export const noPause: Pause = { failures: 0, lastError: null, fromMs: 0, untilMs: 0, isRequested: false };

/** The pause after the first failure, doubled by each further one up to the longest, after which a source that is back is asked again. */
const minPauseMs = 1_000;
const maxPauseMs = 60_000;

/** A longer requested pause would leave hits unconfirmed for the rest of the day. */
const maxRequestedPauseMs = 15 * 60_000;

/** When the pause ends; 0 without one. A clock that was set back ends it. */
export function pausedUntilMs({ fromMs, untilMs }: Pause, nowMs: number): number {
  return fromMs <= nowMs && nowMs < untilMs ? untilMs : 0;
}

/** The time that is left of the pause; 0 without one. */
export function pauseLeftMs(pause: Pause, nowMs: number): number {
  return Math.max(0, pausedUntilMs(pause, nowMs) - nowMs);
}

/** The requests that may be sent now. After a pause, one shows whether the source is back. */
export function admittedBy(pause: Pause, pendingCount: number, nowMs: number): 'none' | 'one' | 'all' {
  if (pausedUntilMs(pause, nowMs) > 0) return 'none';
  if (pause.failures === 0) return 'all';
  return pendingCount > 0 ? 'none' : 'one';
}

/** @param failuresBefore When the request was sent. One sent before the failure of another says nothing about the time after it. */
export function afterAnswer(pause: Pause, failuresBefore: number): Pause {
  return pause.failures === failuresBefore ? noPause : pause;
}

/** A failure never shortens a pause. */
export function afterFailure(pause: Pause, failuresBefore: number, error: PortcullisError, nowMs: number): Pause {
  const failures = pause.failures === failuresBefore ? pause.failures + 1 : pause.failures;
  const pauseMs = Math.min(minPauseMs * 2 ** Math.min(failures - 1, 16), maxPauseMs);
  const requestedMs = Math.min(error.retryAfterMs ?? 0, maxRequestedPauseMs);
  const untilMs = nowMs + Math.max(pauseMs, requestedMs);
  if (untilMs <= pausedUntilMs(pause, nowMs)) return { ...pause, failures, lastError: error };
  return {
    failures,
    lastError: error,
    fromMs: nowMs,
    untilMs,
    isRequested: requestedMs > 0 || (pause.isRequested && pausedUntilMs(pause, nowMs) > 0),
  };
}

/** The network is back. A pause that the source asked for still applies. */
export function afterWaking(pause: Pause): Pause {
  return pause.isRequested ? pause : { ...pause, untilMs: 0 };
}
