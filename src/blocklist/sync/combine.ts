import type { Generation } from '../generation.js';
import { addRecents } from './recents.js';

/** Merges the states of two writers: for the same snapshot, everything that either added; otherwise the list fetched later. */
export async function combine(stored: Generation, own: Generation): Promise<Generation> {
  if (!isSameSnapshot(stored, own)) return stored.snapshotAtMs > own.snapshotAtMs ? stored : own;
  const { recent: entries, removed, allowed } = own;
  const later = { entries, isProven: false, remove: removed ?? undefined, allow: allowed ?? undefined };
  const younger = stored.currentAtMs > own.currentAtMs ? stored : own;
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
