import type { SignalLike } from '../../core/errors.js';

/** How a blocklist begins: with `ready`, with rounds that the app runs itself, or with a check, if the app forgets both. */
export interface Beginning {
  /** What checks wait for while the first lists are loading. */
  readonly first: Promise<unknown>;
  ready(signal: SignalLike | undefined): Promise<void>;
  start(): void;
  /** The app stops polling, or keeps checks from starting it. */
  stop(): void;
  /** The app runs this round itself. */
  ran(round: Promise<unknown>): void;
  /** Each check calls it: an app that forgets `ready` must not get verdicts without a list for ever. */
  check(): void;
}

interface Tools {
  readonly pollMs: number;
  readonly isLoading: () => boolean;
  /** Whether a missing list may be fetched again now. */
  readonly isDue: () => boolean;
  /** Loads what is stored, and fetches what is missing if it is still wanted then. */
  readonly fetchMissing: (signal: SignalLike | undefined, isWanted: () => boolean) => Promise<void>;
  readonly poll: () => void;
}

export function createBeginning({ pollMs, isLoading, isDue, fetchMissing, poll }: Tools): Beginning {
  let first: Promise<unknown> = Promise.resolve();
  let hasBegun = false;
  /** Whether a check has begun it, and nothing else. */
  let isForgotten = false;
  let stops = 0;

  function ran(round: Promise<unknown>): void {
    hasBegun = true;
    // Older engines have no `Promise.allSettled`.
    if (isLoading()) first = Promise.all([first, round.catch(() => {})]);
    round.catch(() => {
      // An app that gave up waiting has loaded nothing.
      hasBegun = false;
    });
  }

  async function ready(signal: SignalLike | undefined): Promise<void> {
    const before = stops;
    const fetched = fetchMissing(signal, () => true);
    ran(fetched);
    await fetched;
    if (pollMs > 0 && stops === before) poll();
  }

  return {
    get first() {
      return first;
    },
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
    check() {
      if (hasBegun && !(isForgotten && pollMs === 0 && isDue())) return;
      isForgotten = true;
      ready(undefined).catch(() => {});
    },
  };
}
