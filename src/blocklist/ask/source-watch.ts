import type { PortcullisError } from '../../core/errors.js';
import { globals } from '../../core/http/fetch.js';
import { admittedBy, afterAnswer, afterFailure, afterWaking, noPause, type Pause } from '../rules/pause.js';

/** What an error says about the source: that it answers, that it fails, or nothing. */
export type Meaning = 'answer' | 'failure' | 'nothing';

/** Watches the requests to a source: how it has failed lately, which requests are running, and whether it hangs. */
export interface Watch {
  readonly pause: Pause;
  runningCount(): number;
  /** Whether a request has been running for so long that no check should wait for it, or for another one. */
  isSlow(): boolean;
  /** The requests that may be sent now. */
  admits(): ReturnType<typeof admittedBy>;
  /** @param slowMs How long it may run before the source counts as slow. @default forever */
  run<T>(send: () => Promise<T>, slowMs?: number): Promise<T>;
  /** The network is back. */
  wake(): void;
}

/** @param limitMs After which time a request counts as lost: some workers end the work of a request with it. */
export function createWatch(
  now: () => number,
  meaningOf: (error: unknown) => Meaning,
  limitMs: number = Number.POSITIVE_INFINITY,
): Watch {
  let pause = noPause;
  /** Requests are numbered in the order in which they were sent. */
  let sent = 0;
  let newestAnswered = 0;
  /** When each running request was sent. */
  const running = new Map<number, number>();
  const slow = new Set<number>();

  const runningCount = (): number => [...running.values()].filter((sinceMs) => Math.abs(now() - sinceMs) < limitMs).length;

  /** An answer to a later request shows that only the earlier one hangs. */
  const isSlow = (): boolean => [...slow].some((number) => number > newestAnswered);

  return {
    get pause() {
      return pause;
    },
    runningCount,
    isSlow,
    admits: () => (isSlow() ? 'none' : admittedBy(pause, runningCount(), now())),
    async run(send, slowMs) {
      const number = ++sent;
      const { failures } = pause;
      const timer = slowMs === undefined ? undefined : globals.setTimeout(() => slow.add(number), slowMs);
      running.set(number, now());
      let meaning: Meaning = 'answer';
      try {
        return await send();
      } catch (error) {
        meaning = meaningOf(error);
        if (meaning === 'failure') pause = afterFailure(pause, failures, error as PortcullisError, now());
        throw error;
      } finally {
        if (meaning === 'answer') {
          newestAnswered = Math.max(newestAnswered, number);
          pause = afterAnswer(pause, failures);
        }
        globals.clearTimeout(timer);
        running.delete(number);
        slow.delete(number);
      }
    },
    wake() {
      pause = afterWaking(pause);
    },
  };
}
