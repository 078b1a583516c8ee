import { equalBytes } from '../../core/bytes.js';
import { type CachedAnswer, type Hashes, isListed } from '../rules/judge-hit.js';
import type { TimesUnderTerms } from '../rules/terms.js';

/** The remembered answer about one prefix. */
interface Entry extends Hashes {
  readonly atMs: number;
  /** Time until which its hashes count as blocked without asking again. */
  readonly positiveUntilMs: number;
  /** Time until which all other hashes count as disproved. */
  negativeUntilMs: number;
}

/** The hashes behind one prefix, and how long the answer counts if the source says so. */
export interface PrefixAnswer extends Hashes {
  readonly positiveMs?: number | undefined;
  readonly negativeMs?: number | undefined;
}

/** An answer in its stored form. Without hashes it replaces an earlier one that had some. */
export interface StoredAnswer extends Hashes {
  readonly prefix: number;
  /** Epoch time in milliseconds. */
  readonly atMs: number;
  /** How long its hashes count as blocked without asking again. */
  readonly positiveMs: number;
}

export interface CacheTimes extends TimesUnderTerms {
  readonly maxCount: number;
}

/** The remembered answers of one source. */
export class ConfirmCache {
  readonly times: CacheTimes;
  /** Answers with hashes, and those without, each from the oldest to the newest. */
  private readonly blocks = new AgedMap<Entry>();
  private readonly denials = new AgedMap<Entry>();

  constructor(times: CacheTimes) {
    this.times = times;
  }

  get size(): number {
    return this.blocks.size + this.denials.size;
  }

  known(prefix: number, hash: Uint8Array, nowMs: number, isFrame = false): CachedAnswer {
    const entry = this.blocks.get(prefix) ?? this.denials.get(prefix);
    if (entry === undefined) return 'unknown';
    // If the clock was set back, the age of an answer is unknown.
    const counts = (untilMs: number): boolean => entry.atMs <= nowMs && nowMs < untilMs;
    if (!isListed(entry, hash, isFrame)) return counts(entry.negativeUntilMs) ? 'disproved' : 'unknown';
    if (counts(entry.positiveUntilMs)) return 'blocked';
    return this.isOver(entry.atMs, nowMs) ? 'unknown' : 'earlier';
  }

  /** What a hash is listed for; 0 if that is not known. */
  kindOf(prefix: number, hash: Uint8Array): number {
    const { hashes = [], kinds } = this.blocks.get(prefix) ?? {};
    return kinds?.get(hashes.find((known) => equalBytes(known, hash))!) ?? 0;
  }

  /** Remembers an answer about one prefix. Returns the change to store; `null` if a denial changes nothing that was blocked. */
  put(prefix: number, { hashes, kinds, positiveMs, negativeMs }: PrefixAnswer, nowMs: number): StoredAnswer | null {
    const { times } = this;
    const wasBlocked = this.blocks.delete(prefix);
    this.denials.delete(prefix);
    if (this.size >= times.maxCount) this.evict(nowMs);
    const positiveForMs = Math.min(positiveMs ?? times.positiveMs, times.earlierMs);
    const ofKind = hashes.length > 0 ? this.blocks : this.denials;
    ofKind.add(prefix, {
      hashes,
      kinds,
      atMs: nowMs,
      positiveUntilMs: nowMs + positiveForMs,
      negativeUntilMs: nowMs + Math.min(negativeMs ?? times.negativeMs, times.maxNegativeMs),
    });
    return wasBlocked || hashes.length > 0 ? { prefix, hashes, kinds, atMs: nowMs, positiveMs: positiveForMs } : null;
  }

  /** Whether a hash was confirmed that this answer lacks. */
  hasOthers(prefix: number, { hashes }: Hashes): boolean {
    const known = this.blocks.get(prefix)?.hashes ?? [];
    return known.some((hash) => !hashes.some((other) => equalBytes(hash, other)));
  }

  /** Whether the remembered answer came after this time. */
  isNewer(prefix: number, thanMs: number): boolean {
    const entry = this.blocks.get(prefix) ?? this.denials.get(prefix);
    return entry !== undefined && entry.atMs >= thanMs;
  }

  /** What is known to be blocked, from the oldest to the newest. */
  *stored(): Iterable<StoredAnswer> {
    for (const [prefix, { hashes, kinds, atMs, positiveUntilMs }] of this.blocks)
      yield { prefix, hashes, kinds, atMs, positiveMs: Math.max(0, positiveUntilMs - atMs) };
  }

  /** Forgets denials of these prefixes, which a new list may hold. */
  doubt(isDoubtful: (prefix: number) => boolean): void {
    for (const [prefix] of this.denials) if (isDoubtful(prefix)) this.denials.delete(prefix);
    for (const [prefix, entry] of this.blocks) if (isDoubtful(prefix)) entry.negativeUntilMs = 0;
  }

  /** Adds a stored answer, unless a newer one is known. Its hashes count for as long as they would have without the restart. */
  restore({ prefix, hashes, kinds, atMs, positiveMs }: StoredAnswer, nowMs: number): void {
    const { earlierMs, maxCount } = this.times;
    if (hashes.length === 0 || this.isOver(atMs, nowMs) || this.size >= maxCount) return;
    if (this.blocks.get(prefix) !== undefined || this.denials.get(prefix) !== undefined) return;
    // A time in the future comes from a wrong clock: the age is unknown, and counts from now.
    const positiveUntilMs = atMs <= nowMs ? atMs + Math.min(positiveMs, earlierMs) : 0;
    this.blocks.add(prefix, { hashes, kinds, atMs: Math.min(atMs, nowMs), positiveUntilMs, negativeUntilMs: 0 });
  }

  /** Whether a block that was confirmed at this time no longer counts. */
  isOver(atMs: number, nowMs: number): boolean {
    const { earlierMs, needsAge } = this.times;
    return !(nowMs < atMs + earlierMs) || (needsAge && atMs > nowMs);
  }

  /** Evicts the oldest denial, because a crafted page must not evict blocks; or the oldest block, if it no longer counts or is all there is. */
  private evict(nowMs: number): void {
    const block = this.blocks.oldest();
    const isOver = block !== undefined && this.isOver(this.blocks.get(block)!.atMs, nowMs);
    const denial = isOver ? undefined : this.denials.oldest();
    if (denial !== undefined) this.denials.delete(denial);
    else if (block !== undefined) this.blocks.delete(block);
  }
}

/** A map by number that knows its oldest key. Each step takes constant time: the first key of a `Map` comes after all deleted ones. */
export class AgedMap<Value> {
  private readonly values = new Map<number, Value>();
  private keys: Iterator<number> = this.values.keys();
  /** The key the iterator has stopped at. */
  private first: number | undefined;

  get size(): number {
    return this.values.size;
  }

  get(key: number): Value | undefined {
    return this.values.get(key);
  }

  /** Adds a key that is not in the map. */
  add(key: number, value: Value): void {
    this.values.set(key, value);
  }

  delete(key: number): boolean {
    if (key === this.first) this.first = undefined;
    return this.values.delete(key);
  }

  oldest(): number | undefined {
    if (this.first !== undefined || this.size === 0) return this.first;
    let step = this.keys.next();
    if (step.done) {
      // An iterator that has ended does not see what is added later.
      this.keys = this.values.keys();
      step = this.keys.next();
    }
    this.first = step.value as number;
    return this.first;
  }

  [Symbol.iterator](): Iterator<[number, Value]> {
    return this.values.entries();
  }
}
