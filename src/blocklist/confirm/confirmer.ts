import { readU32 } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, throwIfAborted } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { host } from '../../core/http/fetch.js';
import { TokenBucket } from '../../core/token-bucket.js';
import type { Confirmation, Source } from '../source.js';
import type { VerdictReason } from '../verdict.js';
import { ConfirmCache, type Known } from './cache.js';

/** How a source is asked about hits, and how long its answers count. */
export interface ConfirmOptions {
  /** How long a block counts without asking again, where the source does not say, in milliseconds. @default 300_000 */
  readonly positiveMs?: number | undefined;
  /** How long a disproved hit is clear without asking again, where the source does not say, in milliseconds. @default 1_800_000 */
  readonly negativeMs?: number | undefined;
  /** How long a block answers while its source cannot be asked, in milliseconds. @default 604_800_000 */
  readonly earlierMs?: number | undefined;
  /** Prefixes that are remembered. @default 10_000 */
  readonly countMax?: number | undefined;
  /** Longest time of one request, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number | undefined;
  /** Prefixes of one request. @default 100 */
  readonly prefixesMax?: number | undefined;
  /** Prefixes asked for in a minute. @default 600 */
  readonly prefixesPerMinute?: number | undefined;
  /**
   * Other prefixes of the list that are asked for with each, so that a source sees more than what was hit. The same ones each time, or
   * repeated questions would give the real one away. @default 0
   */
  readonly decoys?: number | undefined;
}

/** A page's worth of hits, and little enough for every service. */
export const prefixesMaxUsual = 100;

/** What a hit is after asking. */
export type Answer = { readonly hashes: readonly Uint8Array[] } | { readonly failure: VerdictReason };

interface Tools {
  readonly source: Source;
  readonly now: () => number;
  readonly options: ConfirmOptions;
  /** Prefixes of the list that go with this one. */
  readonly decoysFor: (prefix: number, count: number) => readonly number[];
  /** Called after each request. */
  readonly onAsked: (asked: { readonly prefixes: number; readonly error?: PortcullisError | undefined }) => void;
  /** Called when what is worth storing has changed. */
  readonly onPositives: () => void;
}

interface Waiting {
  readonly answer: Promise<Answer>;
  readonly settle: (answer: Answer) => void;
}

/** Asks one source for full hashes: each prefix once however many wait for it, those of one moment in one request. */
export class Confirmer {
  readonly cache: ConfirmCache;
  private readonly tools: Tools;
  /** A page with a thousand crafted hits must not drain what all pages share for longer than a minute. */
  private readonly budget: TokenBucket;
  /** By algorithm and prefix. */
  private readonly inFlight = new Map<string, Waiting>();
  private queued: number[] = [];
  private algoVersion: string | undefined;
  /** Until when the source asked to be left alone. */
  private heldUntilMs = 0;
  /** Counts how often what is listed has changed. */
  private changes = 0;
  private readonly end = createEnd();
  private isClosed = false;

  constructor(tools: Tools) {
    this.tools = tools;
    const { positiveMs = 300_000, negativeMs = 1_800_000, earlierMs = 604_800_000, countMax = 10_000 } = tools.options;
    this.cache = new ConfirmCache({ positiveMs, negativeMs, earlierMs, countMax });
    this.budget = new TokenBucket(tools.options.prefixesPerMinute ?? 600, { refillsOnClockBack: true });
  }

  get pendingCount(): number {
    return this.inFlight.size;
  }

  known(prefix: number, hash: Uint8Array): Known {
    return this.cache.known(prefix, hash, this.tools.now());
  }

  /** The list has changed: what an answer denied may be on it now. An answer that is on its way is about the list before. */
  doubt(isDoubtful: (prefix: number) => boolean): void {
    this.changes++;
    this.cache.doubt(isDoubtful);
  }

  /** Whoever still waits is told that nobody could be asked. */
  close(): void {
    this.isClosed = true;
    this.end.end();
  }

  /** The hashes behind a prefix, asked for together with whatever else is asked for now. Never rejects. */
  ask(prefix: number, algoVersion: string): Promise<Answer> {
    // Prefixes of another algorithm are other prefixes.
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
    const isHeld = this.isClosed || (nowMs < this.heldUntilMs && this.heldUntilMs - nowMs <= heldMsMax);
    const count = isHeld ? 0 : this.budget.takeUpTo(queued.length, nowMs);
    for (const prefix of queued.slice(count)) this.settle(keyOf(algoVersion, prefix), { failure: isHeld ? 'offline' : 'budget' });
    const { prefixesMax = prefixesMaxUsual, decoys = 0 } = this.tools.options;
    const size = Math.max(1, Math.floor(prefixesMax / (1 + decoys)));
    for (let at = 0; at < count; at += size) {
      void this.request(queued.slice(at, Math.min(at + size, count)), algoVersion, splitsMax);
    }
  }

  /** Never rejects: what fails is the answer of those that wait. */
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
      if (error.retryAfterMs !== undefined) this.heldUntilMs = now() + Math.min(error.retryAfterMs, heldMsMax);
      onAsked({ prefixes: prefixes.length, error });
      for (const prefix of prefixes) this.settle(keyOf(algoVersion, prefix), { failure: failureOf(error) });
      return;
    }
    let changed = false;
    prefixes.forEach((prefix, at) => {
      const hashes = answered[at]!;
      // What was denied before the list changed is not remembered.
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

/** Halvings of a request that is refused for its size: from a thousand prefixes to one. */
const splitsMax = 10;

/** A longer wait would keep hits unconfirmed for the rest of the day. */
const heldMsMax = 15 * 60_000;

function keyOf(algoVersion: string, prefix: number): string {
  return `${prefix} ${algoVersion}`;
}

/** A built-in source has dropped what is no answer to the question; one of somebody else's may not have. */
function hashesOf(confirmation: Confirmation, prefix: number): readonly Uint8Array[] {
  if (typeof confirmation?.hashes?.get !== 'function')
    throw new PortcullisError('INVALID_RESPONSE', 'the source gave no confirmation');
  const hashes: unknown = confirmation.hashes.get(prefix) ?? [];
  if (!Array.isArray(hashes)) throw new PortcullisError('INVALID_RESPONSE', 'the source gave no hashes');
  return hashes.filter((hash) => hash instanceof Uint8Array && hash.length === 32 && readU32(hash, 0) === prefix);
}

function failureOf({ code, status = 0 }: PortcullisError): VerdictReason {
  const isAway = code === 'NETWORK' || code === 'TIMEOUT' || status === 429 || status >= 500;
  return isAway || code === 'TOO_MANY_REQUESTS' || code === 'INTERNAL_SERVER_ERROR' ? 'offline' : 'bad-answer';
}

/** By value, which for prefixes says nothing about which came first. */
function sorted(prefixes: readonly number[]): number[] {
  return [...new Set(prefixes)].sort((a, b) => a - b);
}
