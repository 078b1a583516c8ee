import type { Algorithm, Subject } from '../../core/algorithms/algorithm.js';
import type { Reader } from '../../core/algorithms/pasted-input.js';
import { isSound } from '../../core/algorithms/self-test.js';
import { withoutWww } from '../../core/assets/web/host.js';
import { ownAlgorithm, type Parts, type Settings } from '../model/blocklist-options.js';
import type { Generation } from '../model/generation.js';
import type { Override, Overrides } from '../model/override-set.js';
import { assetFor, assetsIn, keepSubjects, type Question, refusalFor, subjectsFor } from '../model/question.js';
import {
  type Advisory,
  actionOf,
  merge,
  type Policy,
  type SourceFinding,
  type Verdict,
  type VerdictReason,
  worst,
} from '../model/verdict.js';
import { questionAbout, withCarried } from '../rules/judge-carried.js';
import { judgeAlone, judgeAtOnce, judgeInList, type Look, type SureMissVerdict } from '../rules/judge-hit.js';
import { advisoryWith } from '../rules/terms.js';
import { type CoveredList, createSureMisses } from './sure-misses.js';

/** A list whose findings become verdicts. */
export interface CheckedList extends CoveredList {
  /** Why there is none. */
  readonly missing: VerdictReason;
  /** What its publisher wants to be shown. */
  readonly advisory: Advisory | undefined;
  /** What the source said that the expression is listed for. */
  threatsOf(expression: string): readonly string[];
}

/** A pass over the lists of a blocklist. */
export interface ListsLook<List> extends Look<List> {
  /** In the order of the lists, and of the caches. @default the current ones */
  readonly generations?: readonly (Generation | null)[];
  readonly caches?: readonly (Generation | null)[];
}

const firstLook = {};

/**
 * Computes a finding for a question, synchronously:
 *
 *     each subject: overrides ─► not listable
 *     what is left ─► each list: a miss, an entry, a hit with a known answer, or a hit to confirm; the worst subject ─► merge
 */
export interface Checker<List> {
  /** The algorithm of overrides. */
  readonly own: Algorithm;
  readonly policy: Policy;
  /** Whether the self-test passed. If not, every finding is `unknown`. */
  readonly isSound: boolean;
  /** The global caches of sources that are asked at once about what is not in them. */
  readonly caches: readonly List[];
  generations(): readonly (Generation | null)[];
  algorithmOf(generation: Generation): Algorithm | undefined;
  /**
   * The finding about a text as it was pasted, if it is sure that no list and no override holds anything of it: the fast path. `null` if `find`
   * must look.
   */
  findSureMiss(text: string, generations?: readonly (Generation | null)[]): SureMissVerdict | null;
  find(question: Question, look?: ListsLook<List>): SourceFinding;
  /** What sources say at once about a question that their caches lack; `null` if the lists alone decide. */
  findAtOnce(question: Question, look: ListsLook<List>): SourceFinding | null;
  /** The finding of one list, ignoring overrides and the other lists. */
  findInList(place: number, question: Question): SourceFinding;
  /** The override that decides: one that blocks a subject, or the first if all subjects are allowed. */
  overrideOf(question: Question): Override | undefined;
  verdict(finding: SourceFinding, question: Question): Verdict;
}

export function createChecker<List extends CheckedList>(
  lists: readonly List[],
  overrides: { readonly current: Pick<Overrides, 'find' | 'mayHold' | 'size'> },
  { policy, now }: Pick<Settings, 'policy' | 'now'>,
  { assets, algorithms, isSureMiss }: Pick<Parts, 'algorithms' | 'isSureMiss'> & { readonly assets: Reader },
  caches: readonly List[] = [],
): Checker<List> {
  const named = [...lists, ...caches];
  const own = algorithms.get(ownAlgorithm)!;
  const isEngineSound = isSound(own);
  let last: { readonly question: Question; readonly algorithm: Algorithm; readonly subjects: readonly Subject[] } | undefined;

  const sureMisses = createSureMisses(lists, overrides, { isSureMiss, algorithm: own.name, now });

  function findIn(
    place: number,
    question: Question,
    { subjects: read, decided }: Decided,
    nowMs: number,
    look: ListsLook<List>,
  ): SourceFinding {
    const list = lists[place]!;
    const generation = look.generations === undefined ? list.generation : look.generations[place]!;
    if (generation === null) return { status: 'unknown', reason: list.missing, source: list.id };
    const algorithm = algorithms.get(generation.algorithm);
    if (algorithm === undefined) return { status: 'unknown', reason: 'algorithm-unknown', source: list.id };
    const all = algorithm === own ? read : subjectsIn(question, algorithm);
    const subjects = decided === null ? all : openOf(all, read, decided);
    let found = subjects.length === 0 ? judgeInList([], generation, list, nowMs, look) : null;
    for (const subject of subjects) {
      const finding = judgeInList(subject, generation, list, nowMs, look);
      found = found === null ? finding : worst([found, finding]);
      if (finding.status === 'blocked' || finding.status === 'allowed')
        sureMisses.checkCover(place, generation, finding.expression!);
      if (finding.expression === undefined || look.wanted === undefined || question.kept !== null) continue;
      keepSubjects(question, own, subjectsFor(question, own));
      if (algorithm !== own) keepSubjects(question, algorithm, all);
    }
    return found!;
  }

  /** Lists of one service have the same algorithm. */
  function subjectsIn(question: Question, algorithm: Algorithm): readonly Subject[] {
    if (last?.question !== question || last.algorithm !== algorithm) {
      last = { question, algorithm, subjects: subjectsFor(question, algorithm) };
    }
    return last.subjects;
  }

  function findInLists(question: Question, decided: Decided, nowMs: number, look: ListsLook<List>): SourceFinding {
    if (lists.length === 1) return findIn(0, question, decided, nowMs, look);
    return merge(lists.map((_, place) => findIn(place, question, decided, nowMs, look)));
  }

  /** What an override or the address itself decides about one subject; `null` if lists decide. */
  function decideAlone(subject: Subject, nowMs: number): SourceFinding | null {
    const override = overrides.current.find(subject, nowMs);
    if (override === undefined) return judgeAlone(subject);
    const status = override.action === 'block' ? 'blocked' : 'allowed';
    return { status, reason: 'override', expression: override.expression };
  }

  /** What is known about the targets of a question. */
  function findTargets(question: Question, look: ListsLook<List>): SourceFinding {
    const subjects = subjectsFor(question, own);
    if (subjects.length === 0) return refusalFor(question, assets);
    const nowMs = now();
    // Nearly every input names one target.
    if (subjects.length === 1)
      return decideAlone(subjects[0]!, nowMs) ?? findInLists(question, { subjects, decided: null }, nowMs, look);
    const decided = subjects.map((subject) => decideAlone(subject, nowMs));
    const findings = decided.filter((finding) => finding !== null);
    if (findings.length === subjects.length) return worst(findings);
    return worst([...findings, findInLists(question, { subjects, decided }, nowMs, look)]);
  }

  return {
    own,
    policy,
    isSound: isEngineSound,
    caches,
    generations: () => lists.map(({ generation }) => generation),
    algorithmOf: ({ algorithm }) => algorithms.get(algorithm),
    findSureMiss: (text, generations) => (isEngineSound ? sureMisses.find(text, generations) : null),
    find(question, look: ListsLook<List> = firstLook) {
      if (!isEngineSound) return { status: 'unknown', reason: 'self-test-failed' };
      const found = findTargets(question, look);
      return withCarried(found, question, own, policy, (carried) => findTargets(carried, look));
    },
    findAtOnce(question, look) {
      if (!isEngineSound) return null;
      const nowMs = now();
      const read = subjectsFor(question, own);
      const decided = read.map((subject) => decideAlone(subject, nowMs));
      // A secret has no subject in any algorithm.
      if (decided.every((finding) => finding !== null) || !isPage(question, assets)) return null;
      let denied: SourceFinding | null = null;
      for (const [place, cache] of caches.entries()) {
        const generation = look.caches?.[place] ?? null;
        const algorithm = generation === null ? undefined : algorithms.get(generation.algorithm);
        if (generation === null || algorithm === undefined) continue;
        const subjects = openOf(algorithm === own ? read : subjectsIn(question, algorithm), read, decided);
        for (const subject of subjects) {
          const finding = judgeAtOnce(subject, generation, cache, nowMs, look);
          if (finding?.status === 'blocked') return finding;
          denied ??= finding;
        }
      }
      return denied;
    },
    findInList: (place, question) =>
      findIn(place, question, { subjects: subjectsFor(question, own), decided: null }, now(), firstLook),
    overrideOf(question) {
      const found = subjectsFor(question, own).map((subject) => overrides.current.find(subject, now()));
      return found.find((override) => override?.action === 'block') ?? (found.every(Boolean) ? found[0] : undefined);
    },
    verdict(finding, question) {
      // The hot path: spreading an object would take longer than everything else here, so each shape is written out.
      const { status, reason, source, expression, ageMs, generation, carried } = finding;
      const action = actionOf(status, reason, policy);
      if (expression === undefined) {
        if (source === undefined) return { status, action, reason };
        if (generation === undefined) return { status, action, reason, source };
        return { status, action, reason, source, ageMs, generation };
      }
      const list = named.find(({ id }) => id === source);
      const held = list?.generation;
      const about = carried === undefined ? question : questionAbout(carried);
      const asset = assetFor(about, expression, own, (held && algorithms.get(held.algorithm)) ?? own, assets);
      if (source === undefined) return { status, action, reason, asset, expression };
      const verdict = { status, action, reason, source, asset, expression, ageMs, generation };
      const threats = status === 'blocked' ? list!.threatsOf(expression) : [];
      const advisory = advisoryWith(list!.advisory, status);
      if (threats.length === 0 && advisory === undefined) return verdict;
      return { ...verdict, ...(threats.length > 0 && { threats }), ...(advisory !== undefined && { advisory }) };
    },
  };
}

/** The rules of Safe Browsing read any word as a host, but the address of a wallet or a mailbox is no page that somebody opens. */
function isPage(question: Question, assets: Reader): boolean {
  return assetsIn(question, assets).some(({ type }) => type === 'URL' || type === 'PAGE');
}

/** The subjects of our own algorithm, and what overrides or the addresses themselves decide about each of them. */
interface Decided {
  readonly subjects: readonly Subject[];
  readonly decided: readonly (SourceFinding | null)[] | null;
}

/**
 * The subjects left for a list. In another algorithm, a decision covers the subject of the same target: in the same place, and of the same
 * host. If that is unclear, the list decides.
 */
function openOf(
  all: readonly Subject[],
  own: readonly Subject[],
  decided: readonly (SourceFinding | null)[],
): readonly Subject[] {
  if (all.length !== own.length) return all;
  return all.filter((subject, at) => {
    if (decided[at] === null) return true;
    return all !== own && !own[at]!.includes(withoutWww(subject[0]?.split('/', 1)[0] ?? ''));
  });
}
