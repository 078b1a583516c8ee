import { readU32 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { WholeHashes } from '../formats/whole-hashes.js';
import type { EntrySet } from '../model/generation.js';
import type { Artifact } from '../model/source.js';
import type { SetReader } from './round.js';

/** The changes since a snapshot, kept beside it. */
export interface Recents {
  readonly recent: EntrySet;
  readonly removed: HashSet | null;
  readonly allowed: HashSet | null;
}

interface Work {
  readonly signal?: { readonly aborted: boolean } | undefined;
}

/**
 * Adds a new feed. A feed may be a moving window, so the entries of earlier feeds under the same snapshot stay until a later feed
 * contradicts them.
 */
export async function addRecents(before: Recents, { entries, remove, allow }: Artifact, work: Work): Promise<Recents> {
  // Nearly every source only adds entries.
  if (remove === undefined && allow === undefined && before.removed === null && before.allowed === null) {
    return { recent: await union(before.recent, entries, work), removed: null, allowed: null };
  }
  const gone = await HashSet.build(flat([remove, allow]), work);
  // A prefix may belong to several entries, so prefixes stay; `removed` names the removed entries.
  const stays = before.recent instanceof AscendingSet || gone.size === 0;
  const recent = stays ? before.recent : HashSet.from(withoutHashes(before.recent, gone));
  return {
    recent: await union(recent, entries, work),
    removed: await unionOrNull(withoutEntries(before.removed, entries), gone, work),
    allowed: await unionOrNull(withoutHashes(withoutEntries(before.allowed, entries), remove), allow, work),
  };
}

async function union(a: EntrySet, b: EntrySet, work: Work): Promise<EntrySet> {
  if (a.size === 0) return b;
  if (a instanceof AscendingSet) return PrefixSet.build(both(a, b as PrefixSet), work);
  return HashSet.build(both(a, b as HashSet), work);
}

function* both<T>(a: Iterable<T>, b: Iterable<T>): Iterable<T> {
  yield* a;
  yield* b;
}

function* flat(sets: readonly (Iterable<Uint8Array> | undefined)[]): Iterable<Uint8Array> {
  for (const set of sets) if (set !== undefined) yield* set;
}

async function unionOrNull(a: Iterable<Uint8Array>, b: HashSet | undefined, work: Work): Promise<HashSet | null> {
  const set = await HashSet.build(flat([a, b]), work);
  return set.size === 0 ? null : set;
}

function* withoutHashes(set: Iterable<Uint8Array>, gone: HashSet | undefined): Iterable<Uint8Array> {
  for (const entry of set) if (gone === undefined || !gone.has(entry)) yield entry;
}

function* withoutEntries(set: HashSet | null, entries: EntrySet): Iterable<Uint8Array> {
  if (set === null) return;
  for (const entry of set) {
    // The prefix may belong to another entry. Then the hit is confirmed, and nothing is lost.
    const isBack = entries instanceof AscendingSet ? entries.has(readU32(entry, 0)) : entries.has(entry);
    if (!isBack) yield entry;
  }
}

/** Entries of 4 or 8 bytes, with removed and allowed ones. */
export const allSets: SetReader = {
  require(artifact, part) {
    const { entries, remove, allow, hot, common } = Object(artifact) as Partial<Artifact>;
    const isOne =
      (entries instanceof AscendingSet || entries instanceof HashSet) &&
      (remove === undefined || remove instanceof HashSet) &&
      (allow === undefined || allow instanceof HashSet) &&
      (hot === undefined || hot instanceof WholeHashes) &&
      (common === undefined || common instanceof WholeHashes);
    if (isOne) return;
    throw new PortcullisError(
      'INVALID_ARTIFACT',
      `the ${part} is invalid: entries must be a PrefixSet or HashSet, remove and allow a HashSet, and hot and common a WholeHashes, of this copy of the package`,
    );
  },
  async join(snapshot, recent, same, signal) {
    const base = snapshot === null ? same!.base : snapshot.entries;
    const empty = { recent: (base instanceof AscendingSet ? PrefixSet : HashSet).from([]), removed: null };
    const before = same ?? { ...empty, allowed: snapshot!.allow ?? null };
    if (recent !== null && recent.entries instanceof AscendingSet !== base instanceof AscendingSet)
      throw new PortcullisError('INVALID_ARTIFACT', 'the snapshot and the recent entries have different entry lengths');
    const after = recent === null ? before : await addRecents(before, recent, { signal });
    const common = snapshot === null ? same?.common : snapshot.common;
    const sets = { base, recent: after.recent, removed: after.removed, allowed: after.allowed, hot: recent?.hot ?? null };
    return common === undefined ? sets : { ...sets, common };
  },
};
