import type { SignalLike } from '../../core/errors.js';
import { waitFor } from '../../core/http/bounded.js';

/** How a blocklist begins: with `ready`, with rounds that the app runs itself, or with a check, if the app forgets both. */
export interface Beginning {
  ready(signal: SignalLike | undefined): Promise<void>;
  start(): void;
  /** The app stops polling, or keeps checks from starting it. */
  stop(): void;
  /** The app runs this round itself. */
  ran(round: Promise<unknown>): void;
  /** Each check calls it: an app that forgets `ready` must not get verdicts without a list for ever. */
  check(): void;
  /** Waits while the first lists are loading, but no longer than `waitMs`. Resolves to the time that is left. */
  wait(waitMs: number, signal: SignalLike | undefined): Promise<number>;
}

interface Tools {
  readonly pollMs: number;
  /** Reads what is stored. */
  readonly load: () => Promise<unknown>;
  readonly isLoading: () => boolean;
  /** Whether a missing list may be fetched again now. */
  readonly isDue: () => boolean;
  /** Loads what is stored, and fetches what is missing if it is still wanted then. */
  readonly fetchMissing: (signal: SignalLike | undefined, isWanted: () => boolean) => Promise<void>;
  readonly poll: () => void;
}

export function createBeginning({ pollMs, load, isLoading, isDue, fetchMissing, poll }: Tools): Beginning {
  let first: Promise<unknown> = Promise.resolve();
  let hasBegun = false;
  /** Whether a check has begun it, and nothing else. */
  let isForgotten = false;
  let stops = 0;

  function ran(round: Promise<unknown>): void {
    const before = hasBegun;
    hasBegun = true;
    // Older engines have no `Promise.allSettled`.
    if (isLoading()) first = Promise.all([first, round.catch(() => {})]);
    round.catch(() => {
      // An app that gave up waiting has loaded nothing.
      hasBegun = before;
    });
  }

  async function ready(signal: SignalLike | undefined): Promise<void> {
    const before = stops;
    const fetched = fetchMissing(signal, () => true);
    ran(fetched);
    await fetched;
    if (pollMs > 0 && stops === before) poll();
  }

  function check(): void {
    if (hasBegun && !(isForgotten && pollMs === 0 && isDue())) return;
    isForgotten = true;
    ready(undefined).catch(() => {});
  }

  return {
    ready,
    ran,
    start() {
      const before = stops;
      ran(fetchMissing(undefined, () => stops === before));
      poll();
    },
    stop() {
      stops++;
      hasBegun = true;
    },
    check,
    async wait(waitMs, signal) {
      let leftMs = waitMs;
      // If the app gives up what a check waits for, the check begins itself.
      for (let waits = 0; waits < 2 && leftMs > 0 && isLoading(); waits++) {
        check();
        leftMs = await waitFor(leftMs, signal, () => Promise.all([load(), first]));
      }
      return leftMs;
    },
  };
}
