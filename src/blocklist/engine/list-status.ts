import type { SourceStatus } from '../model/blocklist-status.js';
import { pausedUntilMs } from '../rules/pause.js';
import { ageOf, isStale } from '../sync/sync-state.js';
import type { List } from './kept-list.js';

/** @param isKept Whether there is a store. */
export function statusOf({ sync, confirmer }: List, isKept: boolean, nowMs: number): SourceStatus {
  const { held, settings, state } = sync;
  const { generation } = held;
  const asker = confirmer?.asker;
  return {
    source: sync.id,
    list:
      generation === null
        ? null
        : {
            generation: generation.sequence,
            algoVersion: generation.algoVersion,
            algorithm: generation.algorithm,
            snapshotToken: generation.snapshotToken.slice(0, 128),
            recentToken: generation.recentToken,
            count: generation.common?.size ?? generation.base.size - (generation.covers ?? 0),
            recentCount: generation.recent.size,
            byteLength: generation.base.byteLength + generation.recent.byteLength + (generation.common?.memoryBytes.length ?? 0),
            listName: generation.order.listName,
            sequence: generation.order.sequence,
            expiresAtMs: generation.order.expiresAtMs,
            signedBy: generation.order.signedBy,
            ageMs: ageOf(state, generation, nowMs),
            isStale: isStale(state, generation, nowMs, settings.maxAgeMs),
            calibration: generation.calibration,
          },
    isStored: held.isKept() && isKept,
    lastError: state.lastError,
    olderAtMs: state.olderAtMs,
    failures: state.retry.failures,
    nextSyncAtMs: sync.nextSyncAtMs(),
    heldUntilMs: state.retry.heldUntilMs,
    confirm: {
      cached: confirmer?.cache.size ?? 0,
      pending: asker?.pendingCount ?? 0,
      isPaused: asker?.admits() === 'none',
      heldUntilMs: asker ? pausedUntilMs(asker.watch.pause, nowMs) : 0,
      failures: asker?.watch.pause.failures ?? 0,
      lastError: asker?.watch.pause.lastError ?? null,
    },
  };
}
