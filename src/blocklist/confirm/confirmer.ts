import { readU32 } from '../../core/bytes.js';
import { PortcullisError, throwIfAborted, wrapError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { host } from '../../core/http/fetch.js';
import { isTransient } from '../../core/http/retry.js';
import { TokenBucket } from '../../core/token-bucket.js';
import type { Confirmation, Source } from '../source.js';
import type { VerdictReason } from '../verdict.js';
import { type CachedAnswer, ConfirmCache } from './cache.js';

/** How to ask a source about hits, and how long its answers count. */
export interface ConfirmOptions {
  /** How long a block counts without asking again, if the source does not say, in milliseconds. @default 300_000 */
  readonly positiveMs?: number | undefined;
  /** How long a disproved hit is clear without asking again, if the source does not say, in milliseconds. @default 1_800_000 */
  readonly negativeMs?: number | undefined;
  /** How long a block counts while its source cannot be queried, in milliseconds. @default 604_800_000 */
  readonly earlierMs?: number | undefined;
  /** Number of remembered prefixes. @default 10_000 */
  readonly maxCount?: number | undefined;
  /** Longest time for one request, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number | undefined;
  /** Prefixes per request. @default 100 */
  readonly maxPrefixes?: number | undefined;
  /** Prefixes per minute. @default 600 */
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
export type Answer = { readonly hashes: readonly Uint8Array[] } | { readonly failure: VerdictReason };

interface Tools {
  readonly source: Source;
  readonly now: () => number;
  readonly options: ConfirmOptions;
  /** Prefixes to send with this one. */
  readonly decoysFor: (prefix: number, count: number) => readonly number[];
  /** Called after each request. */
  readonly onAsked: (asked: { readonly prefixes: number; readonly error?: PortcullisError | undefined }) => void;
  /** Called when the positives have changed. */
  readonly onPositives: () => void;
}

interface Waiting {
  readonly answer: Promise<Answer>;
  readonly settle: (answer: Answer) => void;
}

/**
 * Asks one source for full hashes: concurrent checks of one prefix share its request, and prefixes asked together are sent
 * together.
 */
export interface Confirmer {
  readonly cache: ConfirmCache;
  /** Prefixes with a pending request. */
  readonly inFlight: { readonly size: number };
  known(prefix: number, hash: Uint8Array): CachedAnswer;
  /** The list has changed: a denied hash may be on it now. Running requests are about the old list. */
  doubt(isDoubtful: (prefix: number) => boolean): void;
  /** Asks for the hashes behind a prefix. Never rejects. */
  ask(prefix: number, algoVersion: string): Promise<Answer>;
  /** Answers all waiting checks with `offline`. */
  close(): void;
}

export function createConfirmer({ source, now, options, decoysFor, onAsked, onPositives }: Tools): Confirmer {
  const { positiveMs = 300_000, negativeMs = 1_800_000, earlierMs = 604_800_000, maxCount = 10_000 } = options;
  const { timeoutMs = 5_000, maxPrefixes = defaultMaxPrefixes, prefixesPerMinute = 600, decoys = 0 } = options;
  const cache = new ConfirmCache({ positiveMs, negativeMs, earlierMs, maxCount });
  /** A page with a thousand crafted hits must not use up the shared budget for longer than a minute. */
  const budget = new TokenBucket(prefixesPerMinute, { refillsOnClockBack: true });
  /** Pending requests by algorithm and prefix. */
  const inFlight = new Map<string, Waiting>();
  const end = createEnd();
  let queued: number[] = [];
  let queuedVersion: string | undefined;
  /** The end of the pause that the source asked for. */
  let heldUntilMs = 0;
  /** Counts the changes of the list. */
  let changes = 0;

  function flush(): void {
    const algoVersion = queuedVersion;
    const prefixes = queued;
    queued = [];
    if (algoVersion === undefined || prefixes.length === 0) return;
    const nowMs = now();
    const isHeld = end.signal.aborted || (nowMs < heldUntilMs && heldUntilMs - nowMs <= maxHeldMs);
    const count = isHeld ? 0 : budget.takeUpTo(prefixes.length, nowMs);
    settle(prefixes.slice(count), algoVersion, () => ({ failure: isHeld ? 'offline' : 'budget' }));
    const size = Math.max(1, Math.floor(maxPrefixes / (1 + decoys)));
    for (let at = 0; at < count; at += size) {
      void request(prefixes.slice(at, Math.min(at + size, count)), algoVersion, maxSplits);
    }
  }

  /** Never rejects: a failure becomes the answer. */
  async function request(prefixes: readonly number[], algoVersion: string, splits: number): Promise<void> {
    const sent = decoys === 0 ? prefixes : sorted([...prefixes, ...prefixes.flatMap((prefix) => decoysFor(prefix, decoys))]);
    const changesBefore = changes;
    let answered: readonly (readonly Uint8Array[])[];
    let confirmation: Confirmation;
    try {
      confirmation = await bounded(timeoutMs, end.signal, (signal) => source.confirm!(sent, { algoVersion, signal }));
      throwIfAborted(end.signal);
      answered = prefixes.map((prefix) => hashesOf(confirmation, prefix));
    } catch (cause) {
      if (end.signal.aborted) return settle(prefixes, algoVersion, () => ({ failure: 'offline' }));
      const error = wrapError(cause, 'NETWORK', 'the source could not be queried');
      if (prefixes.length > 1 && splits > 0 && (error.status === 400 || error.status === 413)) {
        const half = prefixes.length >>> 1;
        await request(prefixes.slice(0, half), algoVersion, splits - 1);
        return request(prefixes.slice(half), algoVersion, splits - 1);
      }
      if (error.retryAfterMs !== undefined) heldUntilMs = now() + Math.min(error.retryAfterMs, maxHeldMs);
      onAsked({ prefixes: prefixes.length, error });
      return settle(prefixes, algoVersion, () => ({ failure: failureOf(error) }));
    }
    let changed = false;
    settle(prefixes, algoVersion, (prefix, at) => {
      const hashes = answered[at]!;
      // A denial from before the list changed is not remembered.
      const negativeMs = changesBefore === changes ? confirmation.negativeMs : 0;
      changed = cache.put(prefix, { hashes, positiveMs: confirmation.positiveMs, negativeMs }, now()) || changed;
      return { hashes };
    });
    if (changed) onPositives();
    onAsked({ prefixes: prefixes.length });
  }

  function settle(prefixes: readonly number[], algoVersion: string, answerTo: (prefix: number, at: number) => Answer): void {
    prefixes.forEach((prefix, at) => {
      const key = keyOf(algoVersion, prefix);
      const waiting = inFlight.get(key);
      inFlight.delete(key);
      const answer = answerTo(prefix, at);
      waiting?.settle(answer);
    });
  }

  return {
    cache,
    inFlight,
    known: (prefix, hash) => cache.known(prefix, hash, now()),
    doubt(isDoubtful) {
      changes++;
      cache.doubt(isDoubtful);
    },
    ask(prefix, algoVersion) {
      // All prefixes of a request have the same algorithm.
      if (algoVersion !== queuedVersion) flush();
      queuedVersion = algoVersion;
      const key = keyOf(algoVersion, prefix);
      const known = inFlight.get(key);
      if (known !== undefined) return known.answer;
      let settle: (answer: Answer) => void = () => {};
      const answer = new Promise<Answer>((resolve) => {
        settle = resolve;
      });
      inFlight.set(key, { answer, settle });
      queued.push(prefix);
      if (queued.length === 1) host.setTimeout(flush, 0);
      return answer;
    },
    close: () => end.abort(),
  };
}

/** How often a request that is rejected for its size is halved: from a thousand prefixes to one. */
const maxSplits = 10;

/** A longer pause would leave hits unconfirmed for the rest of the day. */
const maxHeldMs = 15 * 60_000;

function keyOf(algoVersion: string, prefix: number): string {
  return `${prefix} ${algoVersion}`;
}

/** A built-in source has already dropped hashes that do not match; a custom source may not have. */
function hashesOf(confirmation: Confirmation, prefix: number): readonly Uint8Array[] {
  if (typeof confirmation?.hashes?.get !== 'function')
    throw new PortcullisError('INVALID_RESPONSE', 'the source returned an invalid confirmation');
  const hashes: unknown = confirmation.hashes.get(prefix) ?? [];
  if (!Array.isArray(hashes)) throw new PortcullisError('INVALID_RESPONSE', 'the source returned something other than hashes');
  return hashes.filter((hash) => hash instanceof Uint8Array && hash.length === 32 && readU32(hash, 0) === prefix);
}

/** A source of the app's own may throw an error with a code and no status. */
function failureOf(error: PortcullisError): VerdictReason {
  const { code } = error;
  return isTransient(error) || code === 'TOO_MANY_REQUESTS' || code === 'INTERNAL_SERVER_ERROR' ? 'offline' : 'bad-answer';
}

/** Sorted by value, which does not reveal the real one. */
function sorted(prefixes: readonly number[]): number[] {
  return [...new Set(prefixes)].sort((a, b) => a - b);
}
