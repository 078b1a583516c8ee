import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import type { HashSet } from '../../core/prefixes/hash-set.js';
import type { PrefixSet } from '../../core/prefixes/prefix-set.js';
import type { WholeHashes } from '../formats/whole-hashes.js';

/** Entries of a list: 4 bytes, which have to be confirmed, or 8 bytes, which are proof. */
export type EntrySet = PrefixSet | HashSet;

/** The sets of one list. */
export interface Lists {
  readonly base: EntrySet;
  /** Entries added after the base. */
  readonly recent: EntrySet;
  /** Entries of the base that are no longer listed. */
  readonly removed: HashSet | null;
  /** Entries the source allows. */
  readonly allowed: HashSet | null;
  /** Whole hashes of the newest entries, whose hits need no question. */
  readonly hot: WholeHashes | null;
  /** Whole hashes of a global cache, which lists nothing. */
  readonly common?: WholeHashes | undefined;
}

/** One state of one source's list. Immutable: a new state replaces it, and a check uses one state from beginning to end. */
export interface Generation extends Lists {
  /** The sequence of its head in the store. */
  readonly sequence: number;
  /** The source's name for the algorithm; `algorithm` is ours. */
  readonly algoVersion: string;
  readonly algorithm: string;
  readonly snapshotToken: string;
  readonly recentToken: string | null;
  /** SHA-256 of the whole hashes that the version names, even if they could not be fetched. */
  readonly hotSum: string | null;
  /** When the snapshot was fetched. */
  readonly snapshotAtMs: number;
  /** When the source last confirmed these tokens. The list's age counts from here. */
  readonly currentAtMs: number;
  /** When a token last changed. */
  readonly movedAtMs: number;
  readonly order: VersionOrder;
  /** What lets another process verify the list when it reads it from a store; `null` if no signature was verified. */
  readonly signed: SignedList | null;
  /**
   * How many entries of the base are covers (docs/formats.md §10); the list then has the cover of each host of two labels below which it lists
   * something. Without it, it may lack them.
   */
  readonly covers?: number | undefined;
  /** Whether the list holds known entries, as it must if the algorithm is what its name says. */
  readonly calibration: CalibrationResult;
}

/** The covers of a list that also has entries of another one: none if that one has none, because its entries may lack theirs. */
export function coversAmong(covers: number | undefined, other: Pick<Generation, 'covers'> | null): number | undefined {
  return other !== null && other.covers === undefined ? undefined : covers;
}

/** The list, with an unknown age: it may have changed since. What it was sure of is asked about again. */
export function ofUnknownAge(list: Generation): Generation {
  return { ...list, currentAtMs: 0, hot: null, hotSum: null };
}

/** A verified version, as it was signed. */
export interface SignedList {
  readonly document: unknown;
  /** The recent entries that it names. The list may have more, of earlier versions and webhooks. */
  readonly feed: EntrySet;
}

/** What a version says about its place in time. */
export interface VersionOrder {
  /** `null` if the source has none. */
  readonly sequence: number | null;
  /** Where the sequence counts. */
  readonly origin: string;
  /** The name of the list; `null` if it has none. */
  readonly listName: string | null;
  readonly expiresAtMs: number | null;
  /** The trusted key that signed the version; `null` if no signature was verified. */
  readonly signedBy: string | null;
  /** Epoch time at which the source last offered it. */
  readonly seenAtMs: number;
  /** As in `ListVersion`. */
  readonly ohttpKeys?: unknown;
}

/** How many known entries a list holds. */
export interface CalibrationResult {
  /** `skipped`: too few samples, or no permission to ask for them, which proves nothing. */
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly samples: number;
  readonly found: number;
}

/** Where a list holds an entry. `removed`: in the base, and removed since. */
export type HeldIn = 'nothing' | 'base' | 'recent' | 'removed' | 'allowed';

/** Whether an entry begins with this prefix: all that a miss has to look up. */
export function hasPrefix(set: EntrySet, prefix: number): boolean {
  return set instanceof AscendingSet ? set.has(prefix) : set.hasPrefix(prefix);
}

/** Where a list holds an entry, by its hash and the first four bytes of it. */
export function heldIn({ base, recent, removed, allowed }: Lists, hash: Uint8Array, prefix: number): HeldIn {
  if (allowed?.has(hash)) return 'allowed';
  if (has(recent, hash, prefix)) return 'recent';
  if (!has(base, hash, prefix)) return 'nothing';
  return removed?.has(hash) ? 'removed' : 'base';
}

/** Entries of 8 bytes and whole hashes are proof; another hit of 4 bytes has to be confirmed. */
export function isProof({ base, hot }: Lists, hash: Uint8Array): boolean {
  return !(base instanceof AscendingSet) || hot?.has(hash) === true;
}

function has(set: EntrySet, hash: Uint8Array, prefix: number): boolean {
  return set instanceof AscendingSet ? set.has(prefix) : set.has(hash);
}
