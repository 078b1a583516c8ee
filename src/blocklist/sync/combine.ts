import type { Generation } from '../generation.js';
import { laterOf } from '../rules/version-order.js';
import { addRecents } from './recents.js';

/** Merges the states of two writers: for the same snapshot, everything that either added; otherwise the list fetched later. */
export async function combine(stored: Generation, own: Generation, nowMs: number): Promise<Generation> {
  if (!isSameSnapshot(stored, own)) return laterOf(stored, own, stored.snapshotAtMs <= own.snapshotAtMs, nowMs);
  const { recent: entries, removed, allowed } = own;
  const later = { entries, isProven: false, remove: removed ?? undefined, allow: allowed ?? undefined };
  const younger = laterOf(stored, own, stored.currentAtMs <= own.currentAtMs, nowMs);
  return { ...younger, ...(await addRecents(stored, later, {})) };
}

export function isSameSnapshot(a: Generation, b: Generation): boolean {
  return a.algoVersion === b.algoVersion && a.snapshotToken === b.snapshotToken;
}

export function hasSameSets(a: Generation, b: Generation): boolean {
  return a.base === b.base && a.recent === b.recent && a.removed === b.removed && a.allowed === b.allowed;
}

/** The same list, with timestamps in the future replaced by the current time. */
export function notAfter(generation: Generation, nowMs: number): Generation {
  const { snapshotAtMs, currentAtMs, movedAtMs } = generation;
  return {
    ...generation,
    snapshotAtMs: Math.min(snapshotAtMs, nowMs),
    currentAtMs: Math.min(currentAtMs, nowMs),
    movedAtMs: Math.min(movedAtMs, nowMs),
  };
}
