import { equalBytes } from '../../core/bytes.js';
import { type PortcullisError, wrapError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { globals } from '../../core/http/fetch.js';
import type { CachedAnswer } from '../ask/answers.js';
import { type Answer, failureOf } from '../ask/confirmer.js';
import { checkedConfirmation } from '../formats/confirm-answer.js';
import type { Confirmation, ConfirmCall } from '../source.js';

/** The answer about a prefix. Times are epoch milliseconds. */
export interface Remembered {
  readonly hashes: readonly Uint8Array[];
  readonly atMs: number;
  /** Until when its hashes count as blocked without asking again. */
  readonly positiveUntilMs: number;
  /** Until when other hashes count as disproved. */
  negativeUntilMs: number;
}

/** Asks the source about hits, and remembers its answers. Concurrent checks of a prefix share its request. */
export interface LightConfirmer {
  /** Answers with hashes by prefix, which are stored. */
  readonly blocks: Map<number, Remembered>;
  known(prefix: number, hash: Uint8Array): CachedAnswer;
  /** The list has changed: a denied hash may be on it now. */
  doubt(isDoubtful: (prefix: number) => boolean): void;
  /** Never rejects. */
  ask(prefix: number, algoVersion: string): Promise<Answer>;
}

type Pending = Map<string, { readonly answer: Promise<Answer>; settle: (answer: Answer) => void }>;

interface Tools {
  readonly confirm: (prefixes: readonly number[], call: ConfirmCall) => Promise<Confirmation>;
  readonly now: () => number;
  readonly closing: NonNullable<ConfirmCall['signal']>;
  readonly onError: (error: PortcullisError) => void;
  /** Called when `blocks` has changed. */
  readonly onBlocks: () => void;
}

// Times and counts are the defaults of `createBlocklist`.
const defaultPositiveMs = 300_000;
const defaultNegativeMs = 1_800_000;
/** How long a block counts while its source cannot be queried. */
export const earlierMs = 604_800_000;
const maxRemembered = 10_000;
const timeoutMs = 5_000;
const maxPrefixes = 100;
/** A crafted page with thousands of hits must not start as many requests. */
const maxPending = 600;
/** Prefixes of one answer that are asked about again, each alone. */
const maxAskedAgain = 10;
const maxPauseMs = 60_000;
/** A longer requested pause would leave hits unconfirmed for the rest of the day. */
const maxRequestedPauseMs = 15 * 60_000;

export function createLightConfirmer({ confirm, now, closing, onError, onBlocks }: Tools): LightConfirmer {
  const blocks = new Map<number, Remembered>();
  const denials = new Map<number, Remembered>();
  /** For checks of the present list. */
  let pending: Pending = new Map();
  let queued: number[] = [];
  let queuedVersion = '';
  let failures = 0;
  let running = 0;
  let lastError: PortcullisError | undefined;
  let pause = { fromMs: 0, untilMs: 0 };

  /** After a pause, one request shows whether the source is back. A clock that was set back ends a pause. */
  function mayAsk(): boolean {
    const nowMs = now();
    const isPaused = pause.fromMs <= nowMs && nowMs < pause.untilMs;
    return !closing.aborted && !isPaused && (failures === 0 || running === 0);
  }

  function failure(): Answer {
    return { failure: lastError === undefined || closing.aborted ? 'offline' : failureOf(lastError) };
  }

  function flush(): void {
    const asked = queued;
    queued = [];
    while (asked.length > 0 && mayAsk()) void request(pending, asked.splice(0, maxPrefixes), queuedVersion, maxAskedAgain);
    settle(pending, asked, queuedVersion, failure);
  }

  /** Never rejects: a failure becomes the answer. */
  async function request(own: Pending, prefixes: readonly number[], algoVersion: string, again: number): Promise<void> {
    const failuresBefore = failures;
    running++;
    try {
      const asked = bounded(timeoutMs, closing, (signal) => confirm(prefixes, { algoVersion, signal }));
      const { hashes: groups, positiveMs = defaultPositiveMs, negativeMs = defaultNegativeMs } = await asked;
      checkedConfirmation(groups, prefixes);
      // A request sent before the failure of another says nothing about the time after it.
      if (failures === failuresBefore) failures = 0;
      // A single prefix without a group has no hashes; of several, its group may be cut off.
      const isAnswered = (prefix: number): boolean => prefixes.length === 1 || groups.has(prefix);
      settle(own, prefixes.filter(isAnswered), algoVersion, (prefix) => {
        const hashes = groups.get(prefix) ?? [];
        // A denial from before the list changed is not remembered.
        remember(prefix, hashes, positiveMs, own === pending ? negativeMs : 0);
        return { hashes };
      });
      running--;
      const leftOut = prefixes.filter((prefix) => !isAnswered(prefix));
      for (const prefix of leftOut.slice(0, again)) if (mayAsk()) await request(own, [prefix], algoVersion, 0);
      settle(own, prefixes, algoVersion, () => ({ failure: 'bad-answer' }));
    } catch (cause) {
      running--;
      lastError = wrapError(cause, 'NETWORK', 'the source could not be queried');
      // Concurrent failures count once.
      if (failures === failuresBefore) failures++;
      const pauseMs = Math.min(1_000 * 2 ** (failures - 1), maxPauseMs);
      const requestedMs = Math.min(lastError.retryAfterMs ?? 0, maxRequestedPauseMs);
      pause = { fromMs: now(), untilMs: now() + Math.max(pauseMs, requestedMs) };
      if (!closing.aborted) onError(lastError);
      settle(own, prefixes, algoVersion, failure);
    }
  }

  function remember(prefix: number, hashes: readonly Uint8Array[], positiveMs: number, negativeMs: number): void {
    const atMs = now();
    const wasBlocked = blocks.delete(prefix);
    denials.delete(prefix);
    const kind = hashes.length > 0 ? blocks : denials;
    // A crafted page can fill the denials, and must not evict blocks.
    if (kind.size >= maxRemembered) kind.clear();
    const positiveUntilMs = atMs + Math.min(positiveMs, earlierMs);
    kind.set(prefix, { hashes, atMs, positiveUntilMs, negativeUntilMs: atMs + Math.min(negativeMs, earlierMs) });
    if (wasBlocked || hashes.length > 0) onBlocks();
  }

  /** Answers those that still wait. */
  function settle(own: Pending, prefixes: readonly number[], algoVersion: string, answerTo: (prefix: number) => Answer): void {
    for (const prefix of prefixes) {
      const key = `${prefix} ${algoVersion}`;
      const waiting = own.get(key);
      own.delete(key);
      waiting?.settle(answerTo(prefix));
    }
  }

  return {
    blocks,
    known(prefix, hash) {
      const entry = blocks.get(prefix) ?? denials.get(prefix);
      if (entry === undefined) return 'unknown';
      const nowMs = now();
      // If the clock was set back, the age of an answer is unknown.
      const counts = (untilMs: number): boolean => entry.atMs <= nowMs && nowMs < untilMs;
      if (!entry.hashes.some((known) => equalBytes(known, hash))) return counts(entry.negativeUntilMs) ? 'disproved' : 'unknown';
      if (counts(entry.positiveUntilMs)) return 'blocked';
      return nowMs < entry.atMs + earlierMs ? 'earlier' : 'unknown';
    },
    doubt(isDoubtful) {
      flush();
      // Later checks do not wait for an answer that may be older than their list.
      pending = new Map();
      for (const kind of [blocks, denials]) for (const [prefix, entry] of kind) if (isDoubtful(prefix)) entry.negativeUntilMs = 0;
    },
    ask(prefix, algoVersion) {
      const key = `${prefix} ${algoVersion}`;
      const known = pending.get(key)?.answer;
      if (known !== undefined) return known;
      if (!mayAsk()) return Promise.resolve(failure());
      if (pending.size >= maxPending) return Promise.resolve({ failure: 'budget' });
      // All prefixes of a request have the same algorithm.
      if (algoVersion !== queuedVersion) flush();
      queuedVersion = algoVersion;
      let settleIt: (answer: Answer) => void = () => {};
      const answer = new Promise<Answer>((resolve) => {
        settleIt = resolve;
      });
      pending.set(key, { answer, settle: settleIt });
      if (queued.push(prefix) === 1) globals.setTimeout(flush, 0);
      return answer;
    },
  };
}
