import {
  hasCode,
  isPortcullisError,
  type PortcullisError,
  type SignalLike,
  throwIfAborted,
  wrapError,
} from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { globals } from '../../core/http/fetch.js';
import { isTransient } from '../../core/http/retry.js';
import { checkedConfirmation } from '../formats/confirm-answer.js';
import type { Confirmation, ConfirmCall } from '../model/source.js';
import type { VerdictReason } from '../model/verdict.js';
import type { Answer } from '../rules/judge-hit.js';
import { pauseLeftMs } from '../rules/pause.js';
import {
  type Asking,
  afterAnswered,
  afterRejected,
  askingAbout,
  isRejection,
  learnedSize,
  nextPart,
  type Part,
  type Portion,
  portionsOf,
  sizeNow,
} from '../rules/portions.js';
import type { PrefixAnswer } from './answers.js';
import { createWatch, type Watch } from './source-watch.js';

export interface AskerTools {
  readonly confirm: (prefixes: Portion, call: ConfirmCall) => Promise<Confirmation>;
  readonly now: () => number;
  /** Ends all waiting with `offline`. */
  readonly closing: SignalLike;
  /** Longest time for one request, in milliseconds. */
  readonly timeoutMs: number;
  /** Prefixes per request. */
  readonly maxPerRequest: number;
  /** How long a request of one round trip may be pending before no check waits for it or for another. @default forever */
  readonly slowMs?: number;
  /** Listed prefixes to send with this one. @default none */
  readonly decoysFor?: ((prefix: number) => Portion) | undefined;
  /** Takes up to this number of prefixes from a budget. @default all */
  readonly take?: (count: number) => number;
  /**
   * For a server that shares its questions among callers: how long questions are collected, how many may be pending, and after which time
   * one is no longer joined, because some workers end the work of a request with it.
   */
  readonly shared?: { readonly delayMs: (pendingCount: number) => number; readonly maxPending: number; readonly joinMs: number };
  /** An error of the caller's own, which is no failure of the source. */
  readonly isOwn?: (error: PortcullisError) => boolean;
  /** Called after each request that was not asked again in parts. */
  readonly onAsked: (asked: { readonly prefixes: number; readonly error?: PortcullisError | undefined }) => void;
  /** Called with each answer. `isCurrent`: the list has not changed since the question was asked, at `askedAtMs`. */
  readonly onAnswer: (prefix: number, answer: PrefixAnswer, isCurrent: boolean, askedAtMs: number, algoVersion: string) => void;
}

/**
 * Asks one source for full hashes, for an engine or a relay: concurrent questions about one prefix share its request, those of one moment
 * are sent together, and a source that fails or hangs is left alone, so that no check waits for it.
 */
export interface Asker {
  readonly watch: Pick<Watch, 'pause' | 'wake'>;
  /** Prefixes with a pending request. */
  readonly pendingCount: number;
  /** The requests that may be sent now. */
  admits(): ReturnType<Watch['admits']>;
  /** Never rejects. `isPaid`: another budget covers it. */
  ask(prefix: number, algoVersion: string, isPaid?: boolean): Promise<Answer>;
  /** The list has changed: later questions do not wait for an answer that may be older than their list. */
  renew(): void;
  /** Why the source is not asked now. */
  unavailable(): Answer & { readonly failure: VerdictReason };
}

interface Waiting {
  readonly answer: Promise<Answer>;
  readonly settle: (answer: Answer) => void;
  readonly sinceMs: number;
}

type Pending = Map<string, Waiting>;

/** Every source answers this number of prefixes in one round trip; more may take several. */
const prefixesPerRoundTrip = 6;

/** Longest time that collected questions wait for their timer, which ends with the work of a request in some workers. */
const maxCollectMs = 1_000;

export function createAsker(tools: AskerTools): Asker {
  const { now, closing, maxPerRequest, slowMs, decoysFor, shared, take = (count) => count } = tools;
  const joinMs = shared?.joinMs ?? Number.POSITIVE_INFINITY;
  const watch = createWatch(
    now,
    (error) => {
      if (!isPortcullisError(error) || closing.aborted || tools.isOwn?.(error)) return 'nothing';
      return isRejection(error) ? 'answer' : 'failure';
    },
    joinMs,
  );
  let learned = { size: maxPerRequest, untilMs: 0 };
  /** Pending questions by algorithm and prefix, for checks of the present list. */
  let pending: Pending = new Map();
  let queued: { readonly prefix: number; readonly isPaid: boolean }[] = [];
  let queuedVersion: string | undefined;
  let queuedAtMs = 0;

  const isJoined = (sinceMs: number): boolean => Math.abs(now() - sinceMs) < joinMs;

  const admits = (): ReturnType<Watch['admits']> => (closing.aborted ? 'none' : watch.admits());

  function unavailable(): Answer & { readonly failure: VerdictReason } {
    const { lastError } = watch.pause;
    if (watch.isSlow()) return { failure: 'deadline' };
    return lastError === null || closing.aborted ? { failure: 'offline' } : { failure: failureOf(lastError), error: lastError };
  }

  function flush(): void {
    const algoVersion = queuedVersion;
    const asked = queued;
    queued = [];
    if (algoVersion === undefined || asked.length === 0) return;
    const portionSize = sizeNow(learned, maxPerRequest, now());
    const admission = admits();
    const max = admission === 'none' ? 0 : admission === 'one' ? portionSize : asked.length;
    const paid = asked.filter(({ isPaid }) => isPaid).map(({ prefix }) => prefix);
    const unpaid = asked.filter(({ isPaid }) => !isPaid).map(({ prefix }) => prefix);
    // A check does not wait behind a screening.
    const taken = take(Math.min(unpaid.length, max));
    if (max > taken) settle(pending, unpaid.slice(taken, max), algoVersion, () => ({ failure: 'budget' }));
    const chosen = [...unpaid.slice(0, taken), ...paid].slice(0, max);
    settle(pending, [...unpaid.slice(max), ...paid.slice(Math.max(0, max - taken))], algoVersion, unavailable);
    for (const portion of portionsOf(chosen, portionSize)) void askInParts(pending, portion, algoVersion);
  }

  /** Asks about a portion, in as many requests as the source requires. */
  async function askInParts(own: Pending, portion: Portion, algoVersion: string): Promise<void> {
    let asking: Asking | null = askingAbout(portion);
    let failure: Answer = { failure: 'bad-answer' };
    for (let next = nextPart(asking); next !== null; next = asking && nextPart(asking)) {
      const [part, after]: readonly [Part, Asking] = next;
      // Another portion has failed meanwhile.
      if (after.requests > 1 && pauseLeftMs(watch.pause, now()) > 0) {
        failure = unavailable();
        break;
      }
      asking = after;
      if (part.isAgain && (admits() !== 'all' || take(1) === 0)) continue;
      try {
        asking = afterAnswered(after, part, await request(own, part.prefixes, algoVersion));
      } catch (cause) {
        const error = cause as PortcullisError;
        const isRejected = isRejection(error) && !closing.aborted;
        asking = isRejected ? afterRejected(after, part) : null;
        if (isRejected && part.prefixes.length > 1) continue;
        const why: Answer = { failure: closing.aborted ? 'offline' : failureOf(error), error };
        if (asking === null) failure = why;
        else settle(own, part.prefixes, algoVersion, () => why);
        if (!closing.aborted) tools.onAsked({ prefixes: part.prefixes.length, error });
      }
    }
    if (asking !== null && asking.accepted !== null) learned = learnedSize(asking.accepted, now());
    settle(own, portion, algoVersion, () => failure);
  }

  /** Sends one request and settles what it answers. Returns whether it answers a prefix. */
  async function request(own: Pending, prefixes: Portion, algoVersion: string): Promise<(prefix: number) => boolean> {
    const askedAtMs = now();
    const asked = decoysFor === undefined ? prefixes : sorted([...prefixes, ...prefixes.flatMap(decoysFor)]);
    const roundTrips = Math.ceil(asked.length / prefixesPerRoundTrip);
    const send = async (): Promise<Confirmation> => {
      try {
        const answer = await bounded(tools.timeoutMs, closing, (signal) => tools.confirm(asked, { algoVersion, signal }));
        throwIfAborted(closing);
        return { ...answer, hashes: checkedConfirmation(answer?.hashes, asked) };
      } catch (cause) {
        throw wrapError(cause, 'NETWORK', 'the source could not be queried');
      }
    };
    const confirmation = await watch.run(send, slowMs && slowMs * roundTrips);
    const { hashes: groups, positiveMs, negativeMs } = confirmation;
    // A custom source may return something else.
    const kinds = confirmation.kinds instanceof Map ? confirmation.kinds : undefined;
    // Decoys are listed, so an answer about a single prefix is whole if it has them all.
    const isWhole = prefixes.length === 1 && asked.every((prefix) => prefix === prefixes[0] || groups.has(prefix));
    const isAnswered = (prefix: number): boolean => isWhole || groups.has(prefix);
    settle(own, prefixes.filter(isAnswered), algoVersion, (prefix) => {
      const hashes = groups.get(prefix) ?? [];
      tools.onAnswer(prefix, { hashes, kinds, positiveMs, negativeMs }, own === pending, askedAtMs, algoVersion);
      return { hashes, kinds };
    });
    tools.onAsked({ prefixes: prefixes.length });
    return isAnswered;
  }

  /** Answers those that still wait. */
  function settle(own: Pending, prefixes: Portion, algoVersion: string, answerTo: (prefix: number) => Answer): void {
    for (const prefix of prefixes) {
      const key = keyOf(algoVersion, prefix);
      const waiting = own.get(key);
      if (waiting === undefined) continue;
      own.delete(key);
      waiting.settle(answerTo(prefix));
    }
  }

  /** Too many pending questions, without those that will never be answered. */
  function isFull(): boolean {
    if (shared === undefined || pending.size < shared.maxPending) return false;
    for (const [key, { sinceMs }] of pending) if (!isJoined(sinceMs)) pending.delete(key);
    return pending.size >= shared.maxPending;
  }

  return {
    watch,
    get pendingCount() {
      return pending.size;
    },
    admits,
    ask(prefix, algoVersion, isPaid = false) {
      const key = keyOf(algoVersion, prefix);
      const known = pending.get(key);
      const joined = known !== undefined && isJoined(known.sinceMs) ? known : undefined;
      // Neither a new request nor a slow one would be answered in time.
      if (joined === undefined ? admits() === 'none' : watch.isSlow()) return Promise.resolve(unavailable());
      // A timer that was lost with its worker would keep them waiting.
      if (queued.length > 0 && Math.abs(now() - queuedAtMs) > maxCollectMs) flush();
      if (joined !== undefined) return joined.answer;
      if (isFull()) return Promise.resolve({ failure: 'budget' });
      // All prefixes of a request have the same algorithm.
      if (algoVersion !== queuedVersion) flush();
      queuedVersion = algoVersion;
      let resolveIt: (answer: Answer) => void = () => {};
      const answer = new Promise<Answer>((resolve) => {
        resolveIt = resolve;
      });
      const settleBoth = (given: Answer): void => {
        resolveIt(given);
        known?.settle(given);
      };
      pending.set(key, { answer, settle: settleBoth, sinceMs: now() });
      queued.push({ prefix, isPaid });
      if (queued.length === 1) {
        queuedAtMs = now();
        globals.setTimeout(flush, shared?.delayMs(watch.runningCount()) ?? 0);
      }
      return answer;
    },
    renew() {
      flush();
      pending = new Map();
    },
    unavailable,
  };
}

function keyOf(algoVersion: string, prefix: number): string {
  return `${prefix} ${algoVersion}`;
}

/** A source of the app's own may throw an error with a code and no status. */
function failureOf(error: PortcullisError): VerdictReason {
  const isFailure = isTransient(error) || hasCode(error, 'TOO_MANY_REQUESTS') || hasCode(error, 'INTERNAL_SERVER_ERROR');
  return isFailure ? 'offline' : 'bad-answer';
}

/** Sorted by value, which does not reveal the real one. */
function sorted(prefixes: readonly number[]): number[] {
  return [...new Set(prefixes)].sort((a, b) => a - b);
}
