import type { PortcullisError } from '../../core/errors.js';
import type { CalibrationResult } from '../generation.js';
import type { CheckedList } from './checker.js';

/** How a blocklist is. */
export interface BlocklistStatus {
  /** Whether this engine computes what every other does; where not, every verdict is `unknown`. */
  readonly isSound: boolean;
  /** Whether there is a store; `false` too where the given one cannot be opened. */
  readonly isStored: boolean;
  readonly overrides: number;
  readonly sources: readonly SourceStatus[];
}

/** How one source is. */
export interface SourceStatus {
  readonly source: string;
  /** `null` until there is one. */
  readonly list: ListStatus | null;
  /** Whether the newest list is in the store. */
  readonly isStored: boolean;
  /** Why the last round failed; `null` after a good one. */
  readonly lastError: PortcullisError | null;
  /** Rounds that failed one after the other. */
  readonly failures: number;
  /** Epoch time. */
  readonly nextSyncAtMs: number;
  /** Epoch time until which the source asked to be left alone; 0 where it did not. */
  readonly heldUntilMs: number;
  /** Answers about hits that are remembered, and questions without an answer yet. */
  readonly confirm: { readonly cached: number; readonly pending: number };
}

/** How the list of one source is. */
export interface ListStatus {
  readonly generation: number;
  readonly algoVersion: string;
  /** As ours is named. */
  readonly algorithm: string;
  readonly snapshotToken: string;
  readonly recentToken: string | null;
  /** Entries of the snapshot, and of what came after it. */
  readonly count: number;
  readonly recentCount: number;
  /** Bytes of both in memory. */
  readonly byteLength: number;
  /** Since a version answer last named these tokens. */
  readonly ageMs: number;
  /** Too old to say what is not on it. */
  readonly isStale: boolean;
  readonly calibration: CalibrationResult;
}

export function statusOf({ sync, confirmer }: CheckedList, nowMs: number): SourceStatus {
  const { generation, retry } = sync;
  return {
    source: sync.id,
    list:
      generation === null
        ? null
        : {
            generation: generation.sequence,
            algoVersion: generation.algoVersion,
            algorithm: generation.algorithm,
            snapshotToken: generation.snapshotToken,
            recentToken: generation.recentToken,
            count: generation.base.size,
            recentCount: generation.recent.size,
            byteLength: generation.base.byteLength + generation.recent.byteLength,
            ageMs: sync.ageMs(nowMs),
            isStale: sync.isStale(nowMs),
            calibration: generation.calibration,
          },
    isStored: sync.isStored,
    lastError: sync.lastError,
    failures: retry.failures,
    nextSyncAtMs: sync.nextSyncAtMs(),
    heldUntilMs: retry.heldUntilMs,
    confirm: { cached: confirmer?.cache.size ?? 0, pending: confirmer?.pendingCount ?? 0 },
  };
}
