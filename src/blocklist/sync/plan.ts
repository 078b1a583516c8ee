import type { Generation } from '../generation.js';
import type { ListVersion } from '../source.js';

/** What has to be fetched: nothing, what came after the snapshot, or both. */
export type Plan = 'nothing' | 'recent' | 'both';

export interface PlanLimits {
  /** A snapshot is fetched again after this time, whatever its token says, in milliseconds. */
  readonly maxSnapshotAgeMs: number;
  /** Recents kept beside one snapshot before it is fetched again. */
  readonly maxRecentCount: number;
}

/** Recents past their bound fetch the snapshot again, but not with each poll. */
const refetchMs = 3_600_000;

/** @param algorithm What the source's algorithm means here now: what was held may have been read by another. */
export function planOf(
  version: ListVersion,
  algorithm: string,
  held: Generation | null,
  nowMs: number,
  limits: PlanLimits,
): Plan {
  if (
    held === null ||
    held.algorithm !== algorithm ||
    held.algoVersion !== version.algoVersion ||
    held.snapshotToken !== version.snapshot.token
  )
    return 'both';
  const ageMs = nowMs - held.snapshotAtMs;
  if (ageMs >= limits.maxSnapshotAgeMs || (held.recent.size > limits.maxRecentCount && ageMs >= refetchMs)) return 'both';
  return held.recentToken === (version.recent?.token ?? null) ? 'nothing' : 'recent';
}
