import { hashOf } from '../core/hashing/sha256.js';
import type { HashSet } from '../core/prefixes/hash-set.js';
import { PrefixSet } from '../core/prefixes/prefix-set.js';

/** Entries of a list: 4 bytes, to be confirmed, or 8 bytes, which are proof. */
export type EntrySet = PrefixSet | HashSet;

/** The sets that answer. */
export interface Lists {
  readonly base: EntrySet;
  /** What came after the base. */
  readonly recent: EntrySet;
  /** What the base holds and is listed no longer. */
  readonly removed: HashSet | null;
  /** What the source itself allows. */
  readonly allowed: HashSet | null;
}

/** One state of one source's list. It never changes: the next one takes its place, and a check reads one from beginning to end. */
export interface Generation extends Lists {
  /** Counts the heads of the source's line. */
  readonly sequence: number;
  /** As the source names its algorithm, and as ours is named. */
  readonly algoVersion: string;
  readonly algorithm: string;
  readonly snapshotToken: string;
  readonly recentToken: string | null;
  /** When the snapshot was fetched, and its token seen for the first time. */
  readonly snapshotAtMs: number;
  /** When a version answer last named these tokens. The list's age counts from here. */
  readonly currentAtMs: number;
  /** When a token last moved. */
  readonly movedAtMs: number;
  /** Whether known entries were found in it, to see whether the algorithm is what its name says. */
  readonly calibration: CalibrationResult;
}

/** Whether known entries were found in a list. */
export interface CalibrationResult {
  /** `skipped`: too few samples, or no right to ask for them, which disproves nothing. */
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly samples: number;
  readonly found: number;
}

/** Where a list has an expression: nowhere; in its base or what came after; in the base and taken back since; among what it allows. */
export type HeldIn = 'nothing' | 'base' | 'recent' | 'removed' | 'allowed';

/** Whether an entry begins with this prefix: what nearly every check asks, and nothing else. */
export function hasPrefix(set: EntrySet, prefix: number): boolean {
  return set instanceof PrefixSet ? set.has(prefix) : set.hasPrefix(prefix);
}

/** The whole answer for an expression whose prefix a list may hold. */
export function heldIn({ base, recent, removed, allowed }: Lists, expression: string, prefix: number): HeldIn {
  const hash = hashOf(expression);
  if (allowed?.has(hash)) return 'allowed';
  if (has(recent, hash, prefix)) return 'recent';
  if (!has(base, hash, prefix)) return 'nothing';
  return removed?.has(hash) ? 'removed' : 'base';
}

/** Entries of 8 bytes are proof; a hit of 4 bytes has to be confirmed. */
export function isProof({ base }: Lists): boolean {
  return !(base instanceof PrefixSet);
}

function has(set: EntrySet, hash: Uint8Array, prefix: number): boolean {
  return set instanceof PrefixSet ? set.has(prefix) : set.has(hash);
}
