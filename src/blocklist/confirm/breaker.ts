import { isPortcullisError, type PortcullisError } from '../../core/errors.js';
import { globals } from '../../core/http/fetch.js';

/** The requests that may be sent now. `one`: after a pause, one request shows whether the source is back. */
export type Admission = 'none' | 'one' | 'all';

/** Stops asking a source that fails or hangs, so that no check waits for it. */
export interface Breaker {
  /** Consecutive failed requests; concurrent ones count once. */
  readonly failures: number;
  readonly lastError: PortcullisError | null;
  /** Epoch time at which the pause ends; 0 without one. */
  readonly heldUntilMs: number;
  admits(): Admission;
  /** Whether a request has been pending for so long that no check should wait for it or for another. */
  isSlow(): boolean;
  /**
   * Runs a request.
   *
   * @param isExpected Errors that do not mean that the source fails.
   */
  run<T>(prefixCount: number, request: () => Promise<T>, isExpected: (error: unknown) => boolean): Promise<T>;
  /** The network is back. A pause that the source asked for still applies. */
  wake(): void;
}

/** The pause after the first failure, doubled by each further one up to the longest, after which a source that is back is asked again. */
const minPauseMs = 1_000;
const maxPauseMs = 60_000;

/** A longer requested pause would leave hits unconfirmed for the rest of the day. */
const maxRequestedPauseMs = 15 * 60_000;

/** Every source answers this number of prefixes in one round trip; more may take several. */
const prefixesPerRoundTrip = 6;

/** @param slowMs How long a request of one round trip may be pending before the source counts as slow. */
export function createBreaker(now: () => number, slowMs: number): Breaker {
  let failures = 0;
  let lastError: PortcullisError | null = null;
  let held = { fromMs: 0, untilMs: 0, isRequested: false };
  /** Requests are numbered in the order in which they were sent. */
  let sent = 0;
  let newestAnswered = 0;
  const pending = new Set<number>();
  const slow = new Set<number>();

  /** A clock that was set back ends a pause. */
  const isHeld = (): boolean => held.fromMs <= now() && now() < held.untilMs;

  /** An answer to a later request shows that only the earlier one hangs. */
  const isSlow = (): boolean => [...slow].some((number) => number > newestAnswered);

  function fail(error: PortcullisError, failuresBefore: number): void {
    if (failures === failuresBefore) failures++;
    const pauseMs = Math.min(minPauseMs * 2 ** Math.min(failures - 1, 16), maxPauseMs);
    const requestedMs = Math.min(error.retryAfterMs ?? 0, maxRequestedPauseMs);
    const untilMs = now() + Math.max(pauseMs, requestedMs);
    lastError = error;
    if (!isHeld() || untilMs > held.untilMs) held = { fromMs: now(), untilMs, isRequested: requestedMs > 0 };
  }

  return {
    get failures() {
      return failures;
    },
    get lastError() {
      return lastError;
    },
    get heldUntilMs() {
      return isHeld() ? held.untilMs : 0;
    },
    admits() {
      if (isHeld() || isSlow()) return 'none';
      if (failures === 0) return 'all';
      return pending.size > 0 ? 'none' : 'one';
    },
    isSlow,
    async run(prefixCount, request, isExpected) {
      const number = ++sent;
      const failuresBefore = failures;
      const roundTrips = Math.ceil(prefixCount / prefixesPerRoundTrip);
      const timer = globals.setTimeout(() => slow.add(number), slowMs * roundTrips);
      pending.add(number);
      try {
        const answer = await request();
        newestAnswered = Math.max(newestAnswered, number);
        // A request sent before the failure of another says nothing about the time after it.
        if (failures === failuresBefore) {
          failures = 0;
          lastError = null;
          held = { fromMs: 0, untilMs: 0, isRequested: false };
        }
        return answer;
      } catch (error) {
        if (isPortcullisError(error) && !isExpected(error)) fail(error, failuresBefore);
        throw error;
      } finally {
        globals.clearTimeout(timer);
        pending.delete(number);
        slow.delete(number);
      }
    },
    wake() {
      if (!held.isRequested) held = { ...held, untilMs: 0 };
    },
  };
}
