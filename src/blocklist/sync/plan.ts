import type { Generation } from '../generation.js';
import type { ListVersion } from '../source.js';

/** What to fetch: nothing, the recent entries, or both the snapshot and them. */
export type Plan = 'nothing' | 'recent' | 'both';

export interface PlanLimits {
  /** Age at which a snapshot is fetched again even if its token is the same, in milliseconds. */
  readonly maxSnapshotAgeMs: number;
  /** Number of recent entries after which the snapshot is fetched again. */
  readonly maxRecentCount: number;
}

/** Shortest time between two fetches of the snapshot because of too many recent entries. */
const refetchMs = 3_600_000;

/** @param algorithm Our name for the version's algorithm. It may differ from the one the held list was read with. */
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
