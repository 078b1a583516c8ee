import type { Algorithm, Subject } from '../../core/algorithms/algorithm.js';
import { withoutWww } from '../../core/assets/web/host.js';
import { isPrivateHost } from '../../core/assets/web/private.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { isListed } from '../confirm/cache.js';
import type { Answer, Confirmer } from '../confirm/confirmer.js';
import { type Generation, hasPrefix, heldIn, isProof } from '../generation.js';
import type { Override } from '../override-set.js';
import type { ListSync } from '../sync/list-sync.js';
import { actionOf, type Mark, merge, type Policy, type SourceFinding, type Verdict, weigh, worst } from '../verdict.js';
import { ownAlgorithm, type Parts, type Settings } from './blocklist-options.js';
import type { KeptOverrides } from './kept-overrides.js';
import type { NeverBlock } from './never-block.js';
import { assetFor, keepSubjects, type Question, refusalFor, subjectsFor } from './question.js';
import { isSound } from './self-test.js';

/** A list, and the confirmer that asks its source about hits. */
export interface CheckedList {
  readonly sync: ListSync;
  readonly confirmer: Confirmer | null;
  readonly neverBlock: NeverBlock;
}

/** A prefix that was hit and must be confirmed by the source. */
export interface Wanted {
  readonly list: CheckedList;
  readonly prefix: number;
  readonly algoVersion: string;
}

/** The answers of the sources, or why there are none, by list and prefix. */
export type Answers = ReadonlyMap<CheckedList, ReadonlyMap<number, Answer>>;

/** One pass over the lists. A check that asks a source makes two passes, both over the same generations. */
export interface Look {
  /** In the order of the lists. @default the current ones */
  readonly generations?: readonly (Generation | null)[];
  readonly answers?: Answers;
  /** Collects the prefixes to confirm. */
  readonly wanted?: Wanted[];
  /** Whether a frame is being loaded. @default false */
  readonly isFrame?: boolean;
}

const firstLook: Look = {};

/**
 * Computes a finding for a question, synchronously:
 *
 *     each subject: overrides ─► not listable
 *     what is left ─► each list: a miss, an entry, a hit with a known answer, or a hit to confirm; the worst subject ─► merge
 */
export interface Checker {
  /** The algorithm of overrides. */
  readonly own: Algorithm;
  readonly policy: Policy;
  /** Whether the self-test passed. If not, every finding is `unknown`. */
  readonly isSound: boolean;
  generations(): readonly (Generation | null)[];
  algorithmOf(generation: Generation): Algorithm | undefined;
  find(question: Question, look?: Look): SourceFinding;
  /** The finding of one list, ignoring overrides and the other lists. */
  findInList(place: number, question: Question): SourceFinding;
  /** The override that decides: one that blocks a subject, or the first if all subjects are allowed. */
  overrideOf(question: Question): Override | undefined;
  verdict(finding: SourceFinding, question: Question): Verdict;
}

export function createChecker(
  lists: readonly CheckedList[],
  overrides: KeptOverrides,
  { policy, now }: Settings,
  { assets, algorithms }: Parts,
): Checker {
  const own = algorithms.get(ownAlgorithm)!;
  const isEngineSound = isSound(own);
  let last: { readonly question: Question; readonly algorithm: Algorithm; readonly subjects: readonly Subject[] } | undefined;

  function findIn(
    place: number,
    question: Question,
    { subjects: read, decided }: Decided,
    nowMs: number,
    look: Look,
  ): SourceFinding {
    const list = lists[place]!;
    const { sync } = list;
    const generation = look.generations === undefined ? sync.held.generation : look.generations[place]!;
    if (generation === null) {
      const why = sync.state.lastError?.code === 'ALGORITHM_UNKNOWN' ? 'algorithm-unknown' : 'no-list';
      return { status: 'unknown', reason: sync.isLoaded ? why : 'loading', source: sync.id };
    }
    const algorithm = algorithms.get(generation.algorithm);
    if (algorithm === undefined) return { status: 'unknown', reason: 'algorithm-unknown', source: sync.id };
    const all = algorithm === own ? read : subjectsIn(question, algorithm);
    const subjects = decided === null ? all : openOf(all, read, decided);
    const ageMs = Math.max(0, nowMs - generation.currentAtMs);
    let found = subjects.length === 0 ? findSubject([], generation, list, ageMs, look) : null;
    for (const subject of subjects) {
      const finding = findSubject(subject, generation, list, ageMs, look);
      found = found === null ? finding : worst([found, finding]);
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

  function findInLists(question: Question, decided: Decided, nowMs: number, look: Look): SourceFinding {
    if (lists.length === 1) return findIn(0, question, decided, nowMs, look);
    return merge(lists.map((_, place) => findIn(place, question, decided, nowMs, look)));
  }

  /** What an override or the address itself decides about one subject; `null` if lists decide. */
  function decideAlone(subject: Subject, nowMs: number): SourceFinding | null {
    // One unreadable target of several, or the only one.
    if (subject.length === 0) return { status: 'unknown', reason: 'unreadable' };
    const override = overrides.current.find(subject, nowMs);
    if (override !== undefined) {
      const status = override.action === 'block' ? 'blocked' : 'allowed';
      return { status, reason: 'override', expression: override.expression };
    }
    const last = subject[subject.length - 1]!;
    return mayBeIp(last) && isPrivateHost(last) ? { status: 'not-listable', reason: 'private-address' } : null;
  }

  return {
    own,
    policy,
    isSound: isEngineSound,
    generations: () => lists.map(({ sync }) => sync.held.generation),
    algorithmOf: ({ algorithm }) => algorithms.get(algorithm),
    find(question, look = firstLook) {
      if (!isEngineSound) return { status: 'unknown', reason: 'self-test-failed' };
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
    },
    findInList: (place, question) =>
      findIn(place, question, { subjects: subjectsFor(question, own), decided: null }, now(), firstLook),
    overrideOf(question) {
      const found = subjectsFor(question, own).map((subject) => overrides.current.find(subject, now()));
      return found.find((override) => override?.action === 'block') ?? (found.every(Boolean) ? found[0] : undefined);
    },
    verdict(finding, question) {
      // The hot path: spreading an object would take longer than everything else here, so each shape is written out.
      const { status, reason, source, expression, ageMs, generation } = finding;
      const action = actionOf(status, reason, policy);
      if (expression === undefined) {
        if (source === undefined) return { status, action, reason };
        if (generation === undefined) return { status, action, reason, source };
        return { status, action, reason, source, ageMs, generation };
      }
      const list = lists.find(({ sync }) => sync.id === source);
      const held = list?.sync.held.generation;
      const asset = assetFor(question, expression, own, (held && algorithms.get(held.algorithm)) ?? own, assets);
      if (source === undefined) return { status, action, reason, asset, expression };
      const verdict = { status, action, reason, source, asset, expression, ageMs, generation };
      const threats = status === 'blocked' ? threatsOf(list, expression) : noThreats;
      return threats.length === 0 ? verdict : { ...verdict, threats };
    },
  };
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

const notListed = { status: 'clear', reason: 'not-listed' } as const;
const disproved = { status: 'clear', reason: 'disproved' } as const;
const confirmed = { status: 'blocked', reason: 'confirmed' } as const;
const notAsked = { status: 'unconfirmed', reason: 'not-asked' } as const;
const stale = { status: 'unknown', reason: 'list-stale' } as const;
const mismatch = { status: 'unknown', reason: 'algorithm-mismatch' } as const;

function findSubject(subject: Subject, generation: Generation, list: CheckedList, ageMs: number, look: Look): SourceFinding {
  const { sync } = list;
  const marks = marksIn(generation, list, subject, look);
  const mark = marks === null ? null : weigh(marks);
  const isMiss = mark === null || mark.status === 'clear';
  const { status, reason } = isMiss ? missIn(generation, mark, ageMs, sync.settings) : mark;
  const expression = isMiss ? undefined : subject[mark.at];
  return { status, reason, source: sync.id, expression, ageMs, generation: generation.sequence };
}

/** A miss means `clear` only if the list is current and its algorithm is understood. */
function missIn(
  { calibration, currentAtMs, order: { expiresAtMs } }: Generation,
  mark: Mark | null,
  ageMs: number,
  { maxAgeMs }: ListSync['settings'],
): Pick<SourceFinding, 'status' | 'reason'> {
  if (ageMs > maxAgeMs || (expiresAtMs !== null && currentAtMs + ageMs > expiresAtMs)) return stale;
  if (calibration.outcome === 'failed') return mismatch;
  return mark === null ? notListed : disproved;
}

/** A mark for each expression the list may hold; `null` if it holds none, which is nearly always the case. */
function marksIn(generation: Generation, list: CheckedList, expressions: readonly string[], look: Look): Mark[] | null {
  const { base, recent, allowed } = generation;
  const hasRecent = recent.size > 0;
  let marks: Mark[] | null = null;
  for (let at = 0; at < expressions.length; at++) {
    const prefix = prefixOf(expressions[at]!);
    const isHit = hasPrefix(base, prefix) || (hasRecent && hasPrefix(recent, prefix)) || allowed?.hasPrefix(prefix);
    if (!isHit) continue;
    const mark = markOf(generation, list, expressions[at]!, prefix, at, look);
    if (mark === null) continue;
    marks ??= [];
    marks.push(mark);
  }
  return marks;
}

function markOf(
  generation: Generation,
  list: CheckedList,
  expression: string,
  prefix: number,
  at: number,
  look: Look,
): Mark | null {
  const hash = hashOf(expression);
  const held = heldIn(generation, hash, prefix);
  if (held === 'nothing' || held === 'removed') return null;
  if (held === 'allowed') return { at, status: 'allowed', reason: 'source-allows' };
  if (list.neverBlock.has(expression)) return null;
  if (isProof(generation)) return { at, status: 'blocked', reason: 'listed' };
  return { at, ...hitOf(generation, list, hash, prefix, look) };
}

/** A hit of four bytes: the source's current or earlier answer, or why there is none. */
function hitOf(
  { algoVersion }: Generation,
  list: CheckedList,
  hash: Uint8Array,
  prefix: number,
  look: Look,
): Pick<Mark, 'status' | 'reason'> {
  const { confirmer } = list;
  if (confirmer === null) return notAsked;
  const answer = look.answers?.get(list)?.get(prefix);
  if (answer !== undefined && 'hashes' in answer) {
    return isListed(answer, hash, look.isFrame ?? false) ? confirmed : disproved;
  }
  const known = confirmer.known(prefix, hash, look.isFrame);
  if (known === 'blocked') return confirmed;
  if (known === 'disproved') return disproved;
  if (answer === undefined) look.wanted?.push({ list, prefix, algoVersion });
  if (known === 'earlier') return { status: 'blocked', reason: 'confirmed-earlier' };
  return answer === undefined ? notAsked : { status: 'unconfirmed', reason: answer.failure };
}

const noThreats: readonly string[] = [];

/** What the source said that the expression is listed for. */
function threatsOf(list: CheckedList | undefined, expression: string): readonly string[] {
  const { threats } = list!.sync.settings.source;
  const kind = threats && list!.confirmer?.cache.kindOf(prefixOf(expression), hashOf(expression));
  return kind ? threats.filter((_, at) => ((kind | (kind >>> 8)) >>> at) & 1) : noThreats;
}

/** A cheap test: an IP address begins with a digit or a bracket, and few other hosts do. */
function mayBeIp(expression: string): boolean {
  const first = expression.charCodeAt(0);
  return first === 0x5b || (first >= 0x30 && first <= 0x39);
}
