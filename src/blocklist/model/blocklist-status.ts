import type { PortcullisError } from '../../core/errors.js';
import type { CalibrationResult } from './generation.js';

/** The state of a blocklist. */
export interface BlocklistStatus {
  /** Whether this engine passed the self-test. If it did not, every verdict is `unknown`. */
  readonly isSound: boolean;
  /** Whether there is a store. Also `false` if the given store cannot be opened. */
  readonly isStored: boolean;
  readonly overrides: number;
  readonly sources: readonly SourceStatus[];
}

/** The state of one source. */
export interface SourceStatus {
  readonly source: string;
  /** `null` until the first list is loaded. */
  readonly list: ListStatus | null;
  /** Whether the newest list is in the store. */
  readonly isStored: boolean;
  /** The error of the last round; `null` if it succeeded. */
  readonly lastError: PortcullisError | null;
  /** Epoch time at which the source last offered an older version of the list than this device had; `null` if it never did. */
  readonly olderAtMs: number | null;
  /** Consecutive failed rounds. */
  readonly failures: number;
  /** Epoch time in milliseconds. */
  readonly nextSyncAtMs: number;
  /** Epoch time until which the source asked for a pause; 0 if it did not. */
  readonly heldUntilMs: number;
  readonly confirm: ConfirmStatus;
}

/** How hits are confirmed. All values are 0, `false` or `null` for a source that cannot confirm hits. */
export interface ConfirmStatus {
  /** Prefixes with a remembered answer. */
  readonly cached: number;
  /** Prefixes with a pending request. */
  readonly pending: number;
  /** Whether the source is not asked now, because it failed, hangs, or asked for a pause. */
  readonly isPaused: boolean;
  /** Epoch time in milliseconds at which a pause ends; 0 without one, and while a request hangs. */
  readonly heldUntilMs: number;
  /** Consecutive failed requests; concurrent ones count once. */
  readonly failures: number;
  /** The error of the last request; `null` if it succeeded. */
  readonly lastError: PortcullisError | null;
}

/** The state of one source's list. */
export interface ListStatus {
  readonly generation: number;
  readonly algoVersion: string;
  /** This package's name for the list's algorithm. */
  readonly algorithm: string;
  /** The first 128 characters: some sources keep entries in the rest. */
  readonly snapshotToken: string;
  readonly recentToken: string | null;
  /** Entries of the snapshot; `recentCount` counts those added after it. */
  readonly count: number;
  readonly recentCount: number;
  /** Bytes of both in memory. */
  readonly byteLength: number;
  /** The name of the list, which is not replaced by another one; `null` if it has none. */
  readonly listName: string | null;
  /** The version's place in time; `null` if the source has none. */
  readonly sequence: number | null;
  /** Epoch time in milliseconds after which the list is stale, whatever its age; `null` if it does not expire. */
  readonly expiresAtMs: number | null;
  /** The id of the trusted key that signed the list; `null` if the source verifies no signatures. */
  readonly signedBy: string | null;
  /** Time since the source last confirmed these tokens. */
  readonly ageMs: number;
  /** Whether the list is too old for a miss to mean `clear`. */
  readonly isStale: boolean;
  readonly calibration: CalibrationResult;
}
