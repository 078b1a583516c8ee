import type { PortcullisError, SignalLike } from '../../core/errors.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { createEnd } from '../../core/http/end-signal.js';
import { TokenBucket } from '../../core/token-bucket.js';
import { type ConfirmOptions, defaultMaxPrefixes } from '../model/blocklist-options.js';
import type { Source, SourceTerms } from '../model/source.js';
import type { Answer, CachedAnswer } from '../rules/judge-hit.js';
import { timesUnder } from '../rules/terms.js';
import { ConfirmCache, type StoredAnswer } from './answers.js';
import { type Asker, createAsker } from './asker.js';

interface Tools {
  readonly confirm: NonNullable<Source['confirm']>;
  readonly now: () => number;
  /** The latest time that is known, even if the clock was set back since: terms limit the age of a block. */
  readonly latest: () => number;
  readonly options: ConfirmOptions;
  /** Of the source. */
  readonly terms: SourceTerms | undefined;
  /** How long checks usually wait. */
  readonly deadlineMs: number;
  /** Prefixes to send with this one. */
  readonly decoysFor?: (prefix: number, count: number) => readonly number[];
  /** Whether what the source denies counts now. */
  readonly mayDeny: () => boolean;
  /** Called after each request. */
  readonly onAsked: (asked: { readonly prefixes: number; readonly error?: PortcullisError | undefined }) => void;
  /** Called with each answer that must be stored. */
  readonly onPositive: (answer: StoredAnswer) => void;
}

/** Asks one source about hits, within a budget, and remembers its answers. */
export interface Confirmer {
  readonly cache: ConfirmCache;
  readonly asker: Asker;
  known(prefix: number, hash: Uint8Array, isFrame?: boolean): CachedAnswer;
  mayDeny(): boolean;
  /** What the source said that the expression is listed for. */
  threatsOf(source: Pick<Source, 'threats'>, expression: string): readonly string[];
  /** The list has changed: a denied hash may be on it now. Running requests are about the old list. */
  doubt(isDoubtful: (prefix: number) => boolean): void;
  /**
   * Asks for the hashes behind a prefix. Never rejects.
   *
   * @param isPaid Whether the budget of `screen` covers it. Others use the budget of checks.
   */
  ask(prefix: number, algoVersion: string, isPaid?: boolean): Promise<Answer>;
  /** Aborted by `close`. */
  readonly closing: SignalLike;
  readonly now: () => number;
  readonly maxPerRequest: number;
  readonly prefixesPerMinute: number;
  /** Answers all waiting checks with `offline`. */
  close(): void;
}

export function createConfirmer({
  confirm,
  now,
  latest,
  options,
  terms,
  deadlineMs,
  decoysFor,
  mayDeny,
  onAsked,
  onPositive,
}: Tools): Confirmer {
  const { positiveMs = 300_000, negativeMs = 1_800_000, earlierMs = 604_800_000, maxCount = 10_000 } = options;
  const { timeoutMs = 5_000, maxPrefixes = defaultMaxPrefixes, prefixesPerMinute = 600, decoys = 0 } = options;
  const cache = new ConfirmCache({ ...timesUnder(terms, { positiveMs, negativeMs, earlierMs }), maxCount });
  /** A page with a thousand crafted hits must not use up the shared budget for longer than a minute. */
  const budget = new TokenBucket(prefixesPerMinute, { refillsOnClockBack: true });
  const end = createEnd();
  const maxPerRequest = Math.max(1, Math.floor(maxPrefixes / (1 + decoys)));
  const asker = createAsker({
    confirm,
    now,
    closing: end.signal,
    timeoutMs,
    maxPerRequest,
    slowMs: Math.min(timeoutMs, Math.max(deadlineMs, minSlowMs)),
    decoysFor: decoysFor && decoys > 0 ? (prefix) => decoysFor(prefix, decoys) : undefined,
    take: (count) => budget.takeUpTo(count, now()),
    onAsked,
    onAnswer(prefix, answer, isCurrent, askedAtMs) {
      // A late answer about an older list must not replace a newer one.
      if (!isCurrent && cache.isNewer(prefix, askedAtMs)) return;
      // A denial that does not count must not replace what was confirmed.
      if (!mayDeny() && cache.hasOthers(prefix, answer)) return;
      // A denial from before the list changed is not remembered.
      const isRemembered = isCurrent && mayDeny();
      const stored = cache.put(prefix, { ...answer, negativeMs: isRemembered ? answer.negativeMs : 0 }, now());
      if (stored !== null) onPositive(stored);
    },
  });
  return {
    cache,
    asker,
    mayDeny,
    known: (prefix, hash, isFrame) => cache.known(prefix, hash, terms === undefined ? now() : latest(), isFrame),
    threatsOf({ threats }, expression) {
      const kind = threats && cache.kindOf(prefixOf(expression), hashOf(expression));
      return kind ? threats.filter((_, at) => ((kind | (kind >>> 8)) >>> at) & 1) : [];
    },
    doubt(isDoubtful) {
      asker.renew();
      cache.doubt(isDoubtful);
    },
    ask: asker.ask,
    closing: end.signal,
    now,
    maxPerRequest,
    prefixesPerMinute,
    close: () => end.abort(),
  };
}

/** A shorter deadline is a choice of the app; the source is not slow because of it. */
const minSlowMs = 1_500;
