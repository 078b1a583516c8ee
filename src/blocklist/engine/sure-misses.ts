import { coveredHost, coverPrefixOf } from '../../core/sure-miss/covers.js';
import type { SureMiss } from '../../core/sure-miss/sure-miss.js';
import { type EntrySet, type Generation, hasPrefix } from '../model/generation.js';
import type { Overrides } from '../model/override-set.js';
import { merge } from '../model/verdict.js';
import { type JudgedList, judgeSureMiss, type SureMissVerdict } from '../rules/judge-hit.js';

/** A list that sure misses are looked up in. */
export interface CoveredList extends JudgedList {
  readonly generation: Generation | null;
  /** Called once if the list lacks a cover that it should have. */
  readonly onUncovered?: (() => void) | undefined;
}

/** The fast path of a check: verdicts about texts of which it is sure that no list and no override holds anything. */
export interface SureMisses {
  /** `null` if the full path must look. @param generations Of the lists, in their order; without them, the current ones. */
  find(text: string, generations?: readonly (Generation | null)[]): SureMissVerdict | null;
  /** Called for each entry that blocks or allows. If its cover is missing, the covers of that snapshot are used no longer. */
  checkCover(place: number, generation: Generation, expression: string): void;
}

/** @param algorithm The name of the algorithm that the fast path reads. */
export function createSureMisses(
  lists: readonly CoveredList[],
  overrides: { readonly current: Pick<Overrides, 'mayHold' | 'size'> },
  { isSureMiss, algorithm, now }: { readonly isSureMiss: SureMiss; readonly algorithm: string; readonly now: () => number },
): SureMisses {
  /** What the last call looked at. */
  let seen: readonly (Generation | null)[] = [];
  let sets: readonly EntrySet[] = [];
  let hasCovers = false;
  let hasOverrides = false;
  /** Tokens of snapshots that lack a cover, by the place of the list. */
  const uncovered = new Map<number, string>();

  function mayHold(prefix: number): boolean {
    for (let at = 0; at < sets.length; at++) if (hasPrefix(sets[at]!, prefix)) return true;
    return hasOverrides && overrides.current.mayHold(prefix);
  }

  function look(place: number, generation: Generation): void {
    seen = lists.map((_, at) => (at === place ? generation : (seen[at] ?? null)));
    sets = seen.flatMap((one) => (one === null ? [] : setsOf(one)));
    hasCovers = seen.every((one, at) => one?.covers !== undefined && uncovered.get(at) !== one.snapshotToken);
  }

  return {
    find(text, generations) {
      const nowMs = now();
      let found: SureMissVerdict | null = null;
      for (let place = 0; place < lists.length; place++) {
        const list = lists[place]!;
        const generation = generations === undefined ? list.generation : generations[place]!;
        if (generation === null || generation.algorithm !== algorithm) return null;
        const verdict = judgeSureMiss(generation, list, nowMs);
        if (verdict === null) return null;
        found = found === null ? verdict : (merge([found, verdict]) as SureMissVerdict);
        if (seen[place] !== generation) look(place, generation);
      }
      hasOverrides = overrides.current.size > 0;
      return found !== null && isSureMiss(text, mayHold, hasCovers) ? found : null;
    },
    checkCover(place, generation, expression) {
      if (generation.covers === undefined || uncovered.get(place) === generation.snapshotToken) return;
      const host = coveredHost(expression);
      if (host === null || setsOf(generation).some((set) => hasPrefix(set, coverPrefixOf(host)))) return;
      uncovered.set(place, generation.snapshotToken);
      seen = [];
      lists[place]!.onUncovered?.();
    },
  };
}

/** The sets of a list in which a hit may be, largest first. */
function setsOf({ base, recent, allowed }: Generation): readonly EntrySet[] {
  return [base, recent, allowed].filter((set) => set !== null && set.size > 0) as EntrySet[];
}
