import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { isPrivateHost } from '../../core/assets/web/private.js';
import { equalBytes } from '../../core/bytes.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';
import type { Answer, Confirmer } from '../confirm/confirmer.js';
import { type Generation, hasPrefix, heldIn, isProof } from '../generation.js';
import type { Override, Overrides } from '../override-set.js';
import type { ListSync } from '../sync/list-sync.js';
import { actionOf, type Mark, merge, type Policy, type SourceFinding, type Verdict, weigh } from '../verdict.js';
import { assetFor, expressionsFor, type Question, refusalFor } from './question.js';

/** A list, and whom to ask about its hits. */
export interface CheckedList {
  readonly sync: ListSync;
  readonly confirmer: Confirmer | null;
}

export interface CheckerTools {
  readonly lists: readonly CheckedList[];
  readonly algorithms: ReadonlyMap<string, Algorithm>;
  readonly assets: Assets;
  readonly overrides: () => Overrides;
  readonly policy: Policy;
  readonly now: () => number;
  /** This engine computes what it should. */
  readonly isSound: boolean;
}

/** A prefix whose hit nobody has decided yet. */
export interface Wanted {
  readonly list: CheckedList;
  readonly prefix: number;
  readonly algoVersion: string;
}

/** What was answered, or why not, by list and prefix. */
export type Answers = ReadonlyMap<CheckedList, ReadonlyMap<number, Answer>>;

/** One look at the lists. A check that asks looks twice, and both times at the same generations. */
export interface Look {
  /** By the places of the lists; without it those of now. */
  readonly generations?: readonly (Generation | null)[];
  readonly answers?: Answers;
  /** Takes what has to be asked about. */
  readonly wanted?: Wanted[];
}

const firstLook: Look = {};

/** The algorithm in which overrides are kept, and by which an input is known to be readable. */
const ownAlgorithm = 'portcullis-1';

/**
 * From a question to a finding, without waiting for anything:
 *
 *     overrides ─► not listable ─► each list: a miss, an entry, a prefix whose hit is known, or one to ask about ─► merge
 */
export class Checker {
  private readonly tools: CheckerTools;
  /** The algorithm of overrides. */
  readonly own: Algorithm;

  constructor(tools: CheckerTools) {
    this.tools = tools;
    this.own = tools.algorithms.get(ownAlgorithm)!;
  }

  get policy(): Policy {
    return this.tools.policy;
  }

  algorithmOf({ algorithm }: Generation): Algorithm | undefined {
    return this.tools.algorithms.get(algorithm);
  }

  /** The finding as it stands. */
  find(question: Question, look: Look = firstLook): SourceFinding {
    const { lists, isSound, now, overrides, assets } = this.tools;
    if (!isSound) return { status: 'unknown', reason: 'self-test-failed' };
    const expressions = expressionsFor(question, this.own);
    if (expressions.length === 0) return refusalFor(question, assets);
    const nowMs = now();
    const override = overrides().find(expressions, nowMs);
    if (override !== undefined) {
      const status = override.action === 'block' ? 'blocked' : 'allowed';
      return { status, reason: 'override', expression: override.expression };
    }
    const last = expressions[expressions.length - 1]!;
    if (mayBeIp(last) && isPrivateHost(last)) return { status: 'not-listable', reason: 'private-address' };
    if (lists.length === 1) return this.findIn(0, question, expressions, nowMs, look);
    return merge(lists.map((_, place) => this.findIn(place, question, expressions, nowMs, look)));
  }

  /** What one list says, whatever overrides and the other lists say. */
  findInList(place: number, question: Question): SourceFinding {
    return this.findIn(place, question, expressionsFor(question, this.own), this.tools.now(), firstLook);
  }

  overrideOf(question: Question): Override | undefined {
    return this.tools.overrides().find(expressionsFor(question, this.own), this.tools.now());
  }

  verdict(finding: SourceFinding, question: Question): Verdict {
    // Written out, because this is the hot path, and spreading an object takes longer than everything else here.
    const { status, reason, source, expression, ageMs, generation } = finding;
    const action = actionOf(status, this.tools.policy);
    if (expression === undefined) {
      if (source === undefined) return { status, action, reason };
      if (generation === undefined) return { status, action, reason, source };
      // Nearly every verdict. Nobody asks what it was read as.
      return { status, action, reason, source, ageMs, generation };
    }
    const asset = assetFor(question, this.tools.assets);
    if (source === undefined) return { status, action, reason, asset, expression };
    return { status, action, reason, source, asset, expression, ageMs, generation };
  }

  private findIn(place: number, question: Question, own: readonly string[], nowMs: number, look: Look): SourceFinding {
    const list = this.tools.lists[place]!;
    const { sync } = list;
    const generation = look.generations === undefined ? sync.generation : look.generations[place]!;
    if (generation === null) {
      const reason = sync.lastError?.code === 'ALGORITHM_UNKNOWN' ? 'algorithm-unknown' : 'no-list';
      return { status: 'unknown', reason, source: sync.id };
    }
    const algorithm = this.algorithmOf(generation);
    if (algorithm === undefined) return { status: 'unknown', reason: 'algorithm-unknown', source: sync.id };
    const expressions = algorithm === this.own ? own : expressionsFor(question, algorithm);
    const marks = marksIn(generation, list, expressions, look);
    const ageMs = Math.max(0, nowMs - generation.currentAtMs);
    const mark = marks === null ? null : weigh(marks);
    const { status, reason } = mark === null || mark.status === 'clear' ? missIn(generation, mark, ageMs, sync.settings) : mark;
    const expression = mark === null || mark.status === 'clear' ? undefined : expressions[mark.at];
    return { status, reason, source: sync.id, expression, ageMs, generation: generation.sequence };
  }
}

const notListed = { status: 'clear', reason: 'not-listed' } as const;
const disproved = { status: 'clear', reason: 'disproved' } as const;
const stale = { status: 'unknown', reason: 'list-stale' } as const;
const mismatch = { status: 'unknown', reason: 'algorithm-mismatch' } as const;

/** What is not on a list says something only where the list is known to be current and understood. */
function missIn(
  { calibration }: Generation,
  mark: Mark | null,
  ageMs: number,
  { maxAgeMs }: ListSync['settings'],
): Pick<SourceFinding, 'status' | 'reason'> {
  if (ageMs > maxAgeMs) return stale;
  if (calibration.outcome === 'failed') return mismatch;
  return mark === null ? notListed : disproved;
}

/** What a list says about each expression it may hold; `null` where it holds none, as nearly always. */
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
  const held = heldIn(generation, expression, prefix);
  if (held === 'nothing' || held === 'removed') return null;
  if (held === 'allowed') return { at, status: 'allowed', reason: 'source-allows' };
  if (isProof(generation)) return { at, status: 'blocked', reason: 'listed' };
  return markOfHit(generation, list, expression, prefix, at, look);
}

function markOfHit(
  { algoVersion }: Generation,
  list: CheckedList,
  expression: string,
  prefix: number,
  at: number,
  look: Look,
): Mark {
  const { confirmer } = list;
  if (confirmer === null) return { at, status: 'unconfirmed', reason: 'not-asked' };
  const hash = hashOf(expression);
  const answer = look.answers?.get(list)?.get(prefix);
  if (answer !== undefined && 'hashes' in answer) {
    const isListed = answer.hashes.some((known) => equalBytes(known, hash));
    return isListed ? { at, status: 'blocked', reason: 'confirmed' } : { at, status: 'clear', reason: 'disproved' };
  }
  const known = confirmer.known(prefix, hash);
  if (known === 'blocked') return { at, status: 'blocked', reason: 'confirmed' };
  if (known === 'disproved') return { at, status: 'clear', reason: 'disproved' };
  if (answer === undefined) look.wanted?.push({ list, prefix, algoVersion });
  if (known === 'earlier') return { at, status: 'blocked', reason: 'confirmed-earlier' };
  return { at, status: 'unconfirmed', reason: answer === undefined ? 'not-asked' : answer.failure };
}

/** A host that is an address begins with a digit or a bracket, as hardly any name does. */
function mayBeIp(expression: string): boolean {
  const first = expression.charCodeAt(0);
  return first === 0x5b || (first >= 0x30 && first <= 0x39);
}
