import { coversAmong, type Generation, hasPrefix } from '../model/generation.js';
import { laterOf } from '../rules/version-order.js';
import { addRecents } from './recents.js';

/** Merges the states of two writers: for the same snapshot, everything that either added; otherwise the list fetched later. */
export async function combine(stored: Generation, own: Generation, nowMs: number): Promise<Generation> {
  if (!isSameSnapshot(stored, own)) return laterOf(stored, own, stored.snapshotAtMs <= own.snapshotAtMs, nowMs);
  const { recent: entries, removed, allowed } = own;
  const later = { entries, isProven: false, remove: removed ?? undefined, allow: allowed ?? undefined };
  const younger = laterOf(stored, own, stored.currentAtMs <= own.currentAtMs, nowMs);
  const covers = coversAmong(coversAmong(younger.covers, own), stored);
  return { ...younger, covers, ...(await addRecents(stored, later, {})) };
}

export function isSameSnapshot(a: Generation, b: Generation): boolean {
  return a.algoVersion === b.algoVersion && a.snapshotToken === b.snapshotToken;
}

export function hasSameSets(a: Generation, b: Generation): boolean {
  const isSame = a.base === b.base && a.recent === b.recent && a.removed === b.removed && a.allowed === b.allowed;
  return isSame && a.hot === b.hot && a.common === b.common;
}

export function hasSameBase(before: Generation | null, next: Generation): before is Generation {
  return before !== null && before.base === next.base && before.algoVersion === next.algoVersion;
}

/**
 * Whether a prefix that was denied must be asked about again: it may be on the new list, even with the same sets if it had been removed for
 * a while.
 */
export function doubtfulAfter(before: Generation | null, next: Generation): (prefix: number) => boolean {
  const isSameVersion = hasSameBase(before, next) && before.order.sequence === next.order.sequence;
  const isNews = next.recent !== before?.recent;
  return (prefix) => !isSameVersion || (isNews && hasPrefix(next.recent, prefix));
}
