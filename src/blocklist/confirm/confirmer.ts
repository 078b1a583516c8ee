import {
  hasCode,
  isPortcullisError,
  type PortcullisError,
  type SignalLike,
  throwIfAborted,
  wrapError,
} from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { globals } from '../../core/http/fetch.js';
import { isTransient } from '../../core/http/retry.js';
import { TokenBucket } from '../../core/token-bucket.js';
import { checkedConfirmation } from '../formats/confirm-answer.js';
import type { Confirmation, Source } from '../source.js';
import type { VerdictReason } from '../verdict.js';
import { type Breaker, createBreaker } from './breaker.js';
import { type CachedAnswer, ConfirmCache, type Hashes, type StoredAnswer } from './cache.js';

/** How to ask a source about hits, and how long its answers count. */
export interface ConfirmOptions {
  /** How long a block counts without asking again, if the source does not say, in milliseconds. @default 300_000 */
  readonly positiveMs?: number | undefined;
  /** How long a disproved hit is clear without asking again, if the source does not say, in milliseconds. @default 1_800_000 */
  readonly negativeMs?: number | undefined;
  /** How long a confirmed block still blocks at once, while the source is asked again, in milliseconds. @default 604_800_000 */
  readonly earlierMs?: number | undefined;
  /** Number of remembered prefixes. @default 10_000 */
  readonly maxCount?: number | undefined;
  /** Longest time for one request, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number | undefined;
  /** Prefixes per request. @default 100 */
  readonly maxPrefixes?: number | undefined;
  /** Prefixes per minute. `screen` has as many again, and waits for them. @default 600 */
  readonly prefixesPerMinute?: number | undefined;
  /**
   * Other prefixes of the list sent with each prefix, to hide which one was hit. They are the same each time, or repeated requests
   * would reveal the real one. @default 0
   */
  readonly decoys?: number | undefined;
}

/** Enough for the hits of a page, and accepted by every service. */
export const defaultMaxPrefixes = 100;

/** The answer about a prefix: its hashes, or why there is none. */
export type Answer = Hashes | { readonly failure: VerdictReason };

interface Tools {
  readonly source: Pick<Source, 'confirm'>;
  readonly now: () => number;
  readonly options: ConfirmOptions;
  /** How long checks usually wait. */
  readonly deadlineMs: number;
  /** Prefixes to send with this one. */
  readonly decoysFor: (prefix: number, count: number) => readonly number[];
  /** Called after each request. */
  readonly onAsked: (asked: { readonly prefixes: number; readonly error?: PortcullisError | undefined }) => void;
  /** Called with the answers that must be stored. */
  readonly onPositives: (answers: readonly StoredAnswer[]) => void;
}

interface Waiting {
  readonly answer: Promise<Answer>;
  readonly settle: (answer: Answer) => void;
}

type Pending = Map<string, Waiting>;

/**
 * Asks one source for full hashes: concurrent checks of one prefix share its request, and prefixes asked together are sent
 * together.
 */
export interface Confirmer {
  readonly cache: ConfirmCache;
  readonly breaker: Breaker;
  /** Prefixes with a pending request. */
  readonly inFlight: { readonly size: number };
  known(prefix: number, hash: Uint8Array, isFrame?: boolean): CachedAnswer;
  /** The list has changed: a denied hash may be on it now. Running requests are about the old list. */
  doubt(isDoubtful: (prefix: number) => boolean): void;
  /**
   * Asks for the hashes behind a prefix. Never rejects.
   *
   * @param isPaid Whether the budget of `screen` covers it. Others use the budget of checks.
   */
  ask(prefix: number, algoVersion: string, isPaid?: boolean): Promise<Answer>;
  /** Whether a failed source may answer the same question later. */
  mayRecover(): boolean;
  /** Aborted by `close`. */
  readonly closing: SignalLike;
  readonly now: () => number;
  readonly maxPerRequest: number;
  readonly prefixesPerMinute: number;
  /** Answers all waiting checks with `offline`. */
  close(): void;
}

export function createConfirmer({ source, now, options, deadlineMs, decoysFor, onAsked, onPositives }: Tools): Confirmer {
  const { positiveMs = 300_000, negativeMs = 1_800_000, earlierMs = 604_800_000, maxCount = 10_000 } = options;
  const { timeoutMs = 5_000, maxPrefixes = defaultMaxPrefixes, prefixesPerMinute = 600, decoys = 0 } = options;
  const cache = new ConfirmCache({ positiveMs, negativeMs, earlierMs, maxCount });
  const breaker = createBreaker(now, Math.min(timeoutMs, Math.max(deadlineMs, minSlowMs)));
  /** A page with a thousand crafted hits must not use up the shared budget for longer than a minute. */
  const budget = new TokenBucket(prefixesPerMinute, { refillsOnClockBack: true });
  const end = createEnd();
  const maxPerRequest = Math.max(1, Math.floor(maxPrefixes / (1 + decoys)));
  /** Pending requests by algorithm and prefix, for checks of the present list. */
  let inFlight: Pending = new Map();
  let queued: { readonly prefix: number; readonly isPaid: boolean }[] = [];
  let queuedVersion: string | undefined;

  function flush(): void {
    const algoVersion = queuedVersion;
    const asked = queued;
    queued = [];
    if (algoVersion === undefined || asked.length === 0) return;
    const refused = (some: readonly number[], failure: VerdictReason): void =>
      settle(inFlight, some, algoVersion, () => ({ failure }));
    const admission = end.signal.aborted ? 'none' : breaker.admits();
    const max = admission === 'none' ? 0 : admission === 'one' ? maxPerRequest : asked.length;
    const paid = asked.filter(({ isPaid }) => isPaid).map(({ prefix }) => prefix);
    const unpaid = asked.filter(({ isPaid }) => !isPaid).map(({ prefix }) => prefix);
    // A check does not wait behind a screening.
    const taken = budget.takeUpTo(Math.min(unpaid.length, max), now());
    if (max > taken) refused(unpaid.slice(taken, max), 'budget');
    const sent = [...unpaid.slice(0, taken), ...paid].slice(0, max);
    refused([...unpaid.slice(max), ...paid.slice(Math.max(0, max - taken))], unavailable());
    for (let at = 0; at < sent.length; at += maxPerRequest) {
      void request(inFlight, sent.slice(at, at + maxPerRequest), algoVersion, maxSplits);
    }
  }

  /** Why the source is not asked now. */
  function unavailable(): VerdictReason {
    if (breaker.isSlow()) return 'deadline';
    return breaker.lastError === null || end.signal.aborted ? 'offline' : failureOf(breaker.lastError);
  }

  /** Never rejects: a failure becomes the answer. */
  async function request(pending: Pending, prefixes: readonly number[], algoVersion: string, splits: number): Promise<void> {
    const sent = decoys === 0 ? prefixes : sorted([...prefixes, ...prefixes.flatMap((prefix) => decoysFor(prefix, decoys))]);
    const isTooLarge = (error: unknown): boolean =>
      prefixes.length > 1 && splits > 0 && isPortcullisError(error) && (error.status === 400 || error.status === 413);
    let confirmation: Confirmation;
    try {
      const ask = async (): Promise<Confirmation> => {
        try {
          const answer = await bounded(timeoutMs, end.signal, (signal) => source.confirm!(sent, { algoVersion, signal }));
          throwIfAborted(end.signal);
          return { ...answer, hashes: checkedConfirmation(answer?.hashes, sent) };
        } catch (cause) {
          throw wrapError(cause, 'NETWORK', 'the source could not be queried');
        }
      };
      confirmation = await breaker.run(sent.length, ask, (error) => end.signal.aborted || isTooLarge(error));
    } catch (error) {
      if (end.signal.aborted) return settle(pending, prefixes, algoVersion, () => ({ failure: 'offline' }));
      if (isTooLarge(error)) {
        const half = prefixes.length >>> 1;
        await request(pending, prefixes.slice(0, half), algoVersion, splits - 1);
        return request(pending, prefixes.slice(half), algoVersion, splits - 1);
      }
      onAsked({ prefixes: prefixes.length, error: error as PortcullisError });
      return settle(pending, prefixes, algoVersion, () => ({ failure: failureOf(error as PortcullisError) }));
    }
    const { hashes: groups } = confirmation;
    // A custom source may return something else.
    const kinds = confirmation.kinds instanceof Map ? confirmation.kinds : undefined;
    // Decoys are listed, so an answer about a single prefix is whole if it has them all.
    const isWhole = prefixes.length === 1 && sent.every((prefix) => prefix === prefixes[0] || groups.has(prefix));
    const answered = prefixes.filter((prefix) => isWhole || groups.has(prefix));
    const toStore: StoredAnswer[] = [];
    settle(pending, answered, algoVersion, (prefix) => {
      const hashes = groups.get(prefix) ?? [];
      // A denial from before the list changed is not remembered.
      const denialMs = pending === inFlight ? confirmation.negativeMs : 0;
      const stored = cache.put(prefix, { hashes, kinds, positiveMs: confirmation.positiveMs, negativeMs: denialMs }, now());
      if (stored !== null) toStore.push(stored);
      return { hashes, kinds };
    });
    if (toStore.length > 0) onPositives(toStore);
    onAsked({ prefixes: prefixes.length });
    if (answered.length < prefixes.length) {
      const leftOut = prefixes.filter((prefix) => !answered.includes(prefix));
      await askAgain(pending, prefixes.length === 1 ? [] : leftOut, algoVersion);
      settle(pending, leftOut, algoVersion, () => ({ failure: 'bad-answer' }));
    }
  }

  /** Asks about each prefix alone, because half an answer must not read as "not listed". */
  async function askAgain(pending: Pending, prefixes: readonly number[], algoVersion: string): Promise<void> {
    for (const prefix of prefixes.slice(0, maxAskedAgain)) {
      if (end.signal.aborted || breaker.admits() !== 'all' || budget.takeUpTo(1, now()) === 0) return;
      await request(pending, [prefix], algoVersion, 0);
    }
  }

  function settle(
    pending: Pending,
    prefixes: readonly number[],
    algoVersion: string,
    answerTo: (prefix: number) => Answer,
  ): void {
    for (const prefix of prefixes) {
      const key = keyOf(algoVersion, prefix);
      const waiting = pending.get(key);
      pending.delete(key);
      const answer = answerTo(prefix);
      waiting?.settle(answer);
    }
  }

  return {
    cache,
    breaker,
    get inFlight() {
      return inFlight;
    },
    known: (prefix, hash, isFrame) => cache.known(prefix, hash, now(), isFrame),
    doubt(isDoubtful) {
      flush();
      // Later checks do not wait for an answer that may be older than their list.
      inFlight = new Map();
      cache.doubt(isDoubtful);
    },
    ask(prefix, algoVersion, isPaid = false) {
      const key = keyOf(algoVersion, prefix);
      const known = inFlight.get(key);
      // Neither a new request nor a slow one would be answered in time.
      if (known === undefined ? breaker.admits() === 'none' : breaker.isSlow())
        return Promise.resolve({ failure: unavailable() });
      if (known !== undefined) return known.answer;
      // All prefixes of a request have the same algorithm.
      if (algoVersion !== queuedVersion) flush();
      queuedVersion = algoVersion;
      let settle: (answer: Answer) => void = () => {};
      const answer = new Promise<Answer>((resolve) => {
        settle = resolve;
      });
      inFlight.set(key, { answer, settle });
      queued.push({ prefix, isPaid });
      if (queued.length === 1) globals.setTimeout(flush, 0);
      return answer;
    },
    mayRecover: () => unavailable() !== 'bad-answer',
    closing: end.signal,
    now,
    maxPerRequest,
    prefixesPerMinute,
    close: () => end.abort(),
  };
}

/** How often a request that is rejected for its size is halved: from a thousand prefixes to one. */
const maxSplits = 10;

/** Prefixes of one request that are asked about again. A source that leaves out what it does not list leaves out few: most hits are real. */
const maxAskedAgain = 10;

/** A shorter deadline is a choice of the app; the source is not slow because of it. */
const minSlowMs = 1_500;

function keyOf(algoVersion: string, prefix: number): string {
  return `${prefix} ${algoVersion}`;
}

/** A source of the app's own may throw an error with a code and no status. */
export function failureOf(error: PortcullisError): VerdictReason {
  const isFailure = isTransient(error) || hasCode(error, 'TOO_MANY_REQUESTS') || hasCode(error, 'INTERNAL_SERVER_ERROR');
  return isFailure ? 'offline' : 'bad-answer';
}

/** Sorted by value, which does not reveal the real one. */
function sorted(prefixes: readonly number[]): number[] {
  return [...new Set(prefixes)].sort((a, b) => a - b);
}
