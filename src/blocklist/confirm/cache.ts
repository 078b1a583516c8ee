import { equalBytes, fromUtf8, readU32, toHex, utf8 } from '../../core/bytes.js';
import { hashOfHex } from '../formats/confirm-answer.js';

/** The remembered answer about one prefix. */
interface Entry {
  readonly hashes: readonly Uint8Array[];
  readonly atMs: number;
  /** Time until which its hashes count as blocked without asking again. */
  readonly positiveUntilMs: number;
  /** Time until which all other hashes count as disproved. */
  negativeUntilMs: number;
}

/**
 * `blocked` and `disproved` by an answer that still counts; `earlier`: blocked by an answer that is too old to count without
 * asking.
 */
export type CachedAnswer = 'blocked' | 'earlier' | 'disproved' | 'unknown';

/** The hashes behind one prefix, and how long the answer counts if the source says so. */
export interface PrefixAnswer {
  readonly hashes: readonly Uint8Array[];
  readonly positiveMs?: number | undefined;
  readonly negativeMs?: number | undefined;
}

export interface CacheTimes {
  readonly positiveMs: number;
  readonly negativeMs: number;
  /** How long a block counts while its source cannot be queried. */
  readonly earlierMs: number;
  readonly maxCount: number;
}

/** The remembered answers of one source. */
export class ConfirmCache {
  private readonly entries = new Map<number, Entry>();
  private readonly times: CacheTimes;

  constructor(times: CacheTimes) {
    this.times = times;
  }

  get size(): number {
    return this.entries.size;
  }

  known(prefix: number, hash: Uint8Array, nowMs: number): CachedAnswer {
    const entry = this.entries.get(prefix);
    if (entry === undefined) return 'unknown';
    // If the clock was set back, the age of an answer is unknown.
    const counts = (untilMs: number): boolean => entry.atMs <= nowMs && nowMs < untilMs;
    if (!entry.hashes.some((known) => equalBytes(known, hash))) return counts(entry.negativeUntilMs) ? 'disproved' : 'unknown';
    if (counts(entry.positiveUntilMs)) return 'blocked';
    return nowMs < entry.atMs + this.times.earlierMs ? 'earlier' : 'unknown';
  }

  /** Remembers an answer about one prefix. Returns whether the positives changed. */
  put(prefix: number, { hashes, positiveMs, negativeMs }: PrefixAnswer, nowMs: number): boolean {
    const before = this.entries.get(prefix)?.hashes ?? [];
    this.entries.delete(prefix);
    if (this.entries.size >= this.times.maxCount) this.evict(nowMs);
    this.entries.set(prefix, {
      hashes,
      atMs: nowMs,
      positiveUntilMs: nowMs + Math.min(positiveMs ?? this.times.positiveMs, this.times.earlierMs),
      negativeUntilMs: nowMs + Math.min(negativeMs ?? this.times.negativeMs, this.times.earlierMs),
    });
    return before.length > 0 || hashes.length > 0;
  }

  /** Forgets denials of these prefixes, which a new list may hold. */
  doubt(isDoubtful: (prefix: number) => boolean): void {
    for (const [prefix, entry] of this.entries) {
      if (!isDoubtful(prefix)) continue;
      if (entry.hashes.length === 0) this.entries.delete(prefix);
      else entry.negativeUntilMs = 0;
    }
  }

  /** The positives that are still valid, in the stored form: one line each, with time and hash. */
  positives(nowMs: number): Uint8Array {
    const living = [...this.entries.values()].filter(({ atMs }) => nowMs < atMs + this.times.earlierMs);
    const lines = living.flatMap(({ hashes, atMs }) => hashes.map((hash) => `${atMs} ${toHex(hash)}`));
    return utf8(lines.join('\n'));
  }

  /** Reads stored positives, which count as `earlier` until they are confirmed again. */
  restore(stored: Uint8Array, nowMs: number): void {
    const groups = new Map<number, { hashes: Uint8Array[]; atMs: number }>();
    for (const line of (fromUtf8(stored) ?? '').split('\n')) {
      const [, time, hex] = /^(\d{1,16}) (.*)$/.exec(line) ?? [];
      const hash = hashOfHex(hex);
      if (hash === null) continue;
      const group = groups.get(readU32(hash, 0)) ?? { hashes: [], atMs: Number(time) };
      group.hashes.push(hash);
      groups.set(readU32(hash, 0), group);
    }
    for (const [prefix, { hashes, atMs }] of groups) {
      // A time in the future comes from a wrong clock: the age counts from now.
      if (nowMs >= atMs + this.times.earlierMs || this.entries.has(prefix) || this.entries.size >= this.times.maxCount) continue;
      this.entries.set(prefix, { hashes, atMs: Math.min(atMs, nowMs), positiveUntilMs: 0, negativeUntilMs: 0 });
    }
  }

  /** Evicts the oldest answer without hashes, or else the oldest answer, so that a crafted page cannot evict blocks. */
  private evict(nowMs: number): void {
    let oldest: number | undefined;
    for (const [prefix, { hashes, atMs }] of this.entries) {
      oldest ??= prefix;
      if (hashes.length > 0 && nowMs < atMs + this.times.earlierMs) continue;
      oldest = prefix;
      break;
    }
    this.entries.delete(oldest!);
  }
}
