import { readU32 } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, throwIfAborted } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { host } from '../../core/http/fetch.js';
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
  /** How long a block counts while its source cannot be asked, in milliseconds. @default 604_800_000 */
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
   * Other prefixes of the list sent with each prefix, to hide which one was hit. They are the same each time, or repeated requests would
   * reveal the real one. @default 0
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

/** Asks one source for full hashes: concurrent checks of one prefix share its request, and prefixes asked together are sent together. */
export class Confirmer {
  readonly cache: ConfirmCache;
  private readonly tools: Tools;
  /** A page with a thousand crafted hits must not use up the shared budget for longer than a minute. */
  private readonly budget: TokenBucket;
  /** By algorithm and prefix. */
  private readonly inFlight = new Map<string, Waiting>();
  private queued: number[] = [];
  private algoVersion: string | undefined;
  /** Time until which the source asked for a pause. */
  private heldUntilMs = 0;
  /** Counts the changes of the list. */
  private changes = 0;
  private readonly end = createEnd();
  private isClosed = false;

  constructor(tools: Tools) {
    this.tools = tools;
    const { positiveMs = 300_000, negativeMs = 1_800_000, earlierMs = 604_800_000, maxCount = 10_000 } = tools.options;
    this.cache = new ConfirmCache({ positiveMs, negativeMs, earlierMs, maxCount });
    this.budget = new TokenBucket(tools.options.prefixesPerMinute ?? 600, { refillsOnClockBack: true });
  }

  get pendingCount(): number {
    return this.inFlight.size;
  }

  known(prefix: number, hash: Uint8Array): CachedAnswer {
    return this.cache.known(prefix, hash, this.tools.now());
  }

  /** The list has changed: a denied hash may be on it now. Running requests are about the old list. */
  doubt(isDoubtful: (prefix: number) => boolean): void {
    this.changes++;
    this.cache.doubt(isDoubtful);
  }

  /** Settles all waiting checks with `offline`. */
  close(): void {
    this.isClosed = true;
    this.end.end();
  }

  /** Asks for the hashes behind a prefix. Never rejects. */
  ask(prefix: number, algoVersion: string): Promise<Answer> {
    // One request has prefixes of one algorithm.
    if (algoVersion !== this.algoVersion) this.flush();
    this.algoVersion = algoVersion;
    const known = this.inFlight.get(keyOf(algoVersion, prefix));
    if (known !== undefined) return known.answer;
    let settle: (answer: Answer) => void = () => {};
    const answer = new Promise<Answer>((resolve) => {
      settle = resolve;
    });
    this.inFlight.set(keyOf(algoVersion, prefix), { answer, settle });
    this.queued.push(prefix);
    if (this.queued.length === 1) host.setTimeout(() => this.flush(), 0);
    return answer;
  }

  private flush(): void {
    const { algoVersion, queued } = this;
    this.queued = [];
    if (algoVersion === undefined || queued.length === 0) return;
    const nowMs = this.tools.now();
    const isHeld = this.isClosed || (nowMs < this.heldUntilMs && this.heldUntilMs - nowMs <= maxHeldMs);
    const count = isHeld ? 0 : this.budget.takeUpTo(queued.length, nowMs);
    for (const prefix of queued.slice(count)) this.settle(keyOf(algoVersion, prefix), { failure: isHeld ? 'offline' : 'budget' });
    const { maxPrefixes = defaultMaxPrefixes, decoys = 0 } = this.tools.options;
    const size = Math.max(1, Math.floor(maxPrefixes / (1 + decoys)));
    for (let at = 0; at < count; at += size) {
      void this.request(queued.slice(at, Math.min(at + size, count)), algoVersion, maxSplits);
    }
  }

  /** Never rejects: a failure becomes the answer. */
  private async request(prefixes: readonly number[], algoVersion: string, splits: number): Promise<void> {
    const { source, now, options, decoysFor, onAsked, onPositives } = this.tools;
    const { timeoutMs = 5_000, decoys = 0 } = options;
    const sent = decoys === 0 ? prefixes : sorted([...prefixes, ...prefixes.flatMap((prefix) => decoysFor(prefix, decoys))]);
    const { changes } = this;
    let answered: readonly (readonly Uint8Array[])[];
    let confirmation: Confirmation;
    try {
      confirmation = await bounded(timeoutMs, this.end.signal, (signal) => source.confirm!(sent, { algoVersion, signal }));
      throwIfAborted(this.end.signal);
      answered = prefixes.map((prefix) => hashesOf(confirmation, prefix));
    } catch (cause) {
      if (this.isClosed) {
        for (const prefix of prefixes) this.settle(keyOf(algoVersion, prefix), { failure: 'offline' });
        return;
      }
      const error = isPortcullisError(cause) ? cause : new PortcullisError('NETWORK', 'the source could not be asked', { cause });
      if (prefixes.length > 1 && splits > 0 && (error.status === 400 || error.status === 413)) {
        const half = prefixes.length >>> 1;
        await this.request(prefixes.slice(0, half), algoVersion, splits - 1);
        return this.request(prefixes.slice(half), algoVersion, splits - 1);
      }
      if (error.retryAfterMs !== undefined) this.heldUntilMs = now() + Math.min(error.retryAfterMs, maxHeldMs);
      onAsked({ prefixes: prefixes.length, error });
      for (const prefix of prefixes) this.settle(keyOf(algoVersion, prefix), { failure: failureOf(error) });
      return;
    }
    let changed = false;
    prefixes.forEach((prefix, at) => {
      const hashes = answered[at]!;
      // A denial from before the list changed is not remembered.
      const negativeMs = changes === this.changes ? confirmation.negativeMs : 0;
      changed = this.cache.put(prefix, { hashes, positiveMs: confirmation.positiveMs, negativeMs }, now()) || changed;
      this.settle(keyOf(algoVersion, prefix), { hashes });
    });
    if (changed) onPositives();
    onAsked({ prefixes: prefixes.length });
  }

  private settle(key: string, answer: Answer): void {
    const waiting = this.inFlight.get(key);
    this.inFlight.delete(key);
    waiting?.settle(answer);
  }
}

/** Times a request refused for its size is halved: from a thousand prefixes to one. */
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

function failureOf({ code, status = 0 }: PortcullisError): VerdictReason {
  const isAway = code === 'NETWORK' || code === 'TIMEOUT' || status === 429 || status >= 500;
  return isAway || code === 'TOO_MANY_REQUESTS' || code === 'INTERNAL_SERVER_ERROR' ? 'offline' : 'bad-answer';
}

/** Sorted by value, which does not reveal the real one. */
function sorted(prefixes: readonly number[]): number[] {
  return [...new Set(prefixes)].sort((a, b) => a - b);
}
