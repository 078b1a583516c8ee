import { PortcullisError } from '../../core/errors.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import type { EntrySet } from '../generation.js';
import type { Artifact } from '../source.js';
import type { SetReader } from '../sync/round.js';

/** Entries of 4 bytes, all that a light list holds. Without the entries that a source allows, a check would block what is good. */
export const lightSets: SetReader = {
  require(artifact, part) {
    const { entries, remove, allow } = Object(artifact) as Partial<Artifact>;
    if (entries instanceof AscendingSet && remove === undefined && allow === undefined) return;
    throw new PortcullisError(
      'INVALID_ARTIFACT',
      `the ${part} is invalid: a light list holds a PrefixSet; for others use createBlocklist`,
    );
  },
  async join(snapshot, recent, same, signal) {
    const entries = await runInSlices(union(same?.recent, recent?.entries), signal);
    return { base: snapshot?.entries ?? same!.base, recent: entries, removed: null, allowed: null };
  },
};

/** A feed may be a moving window, so the entries of earlier feeds under the same snapshot stay. Recents are few. */
function* union(...sets: readonly (EntrySet | undefined)[]): Sliced<AscendingSet> {
  const entries = new Set<number>();
  for (const set of sets) for (const entry of (set as AscendingSet | undefined) ?? []) entries.add(entry);
  return yield* AscendingSet.ofAscending(Uint32Array.from(entries).sort());
}
