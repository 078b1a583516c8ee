import type { Asset } from '../../core/assets/asset.js';
import { u32ToHex } from '../../core/bytes.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';
import type { Checker } from '../engine/checker.js';
import { internalsOf } from '../engine/internals.js';
import type { List } from '../engine/kept-list.js';
import type { Blocklist } from '../model/blocklist-interface.js';
import { type HeldIn, heldIn, isProof } from '../model/generation.js';
import type { Override } from '../model/override-set.js';
import { assetsIn, type CheckInput, type Question, questionOf, subjectsFor } from '../model/question.js';
import { type Policy, type SourceFinding, type Verdict, wholePolicy } from '../model/verdict.js';
import { carriedBy } from '../rules/judge-carried.js';
import type { CachedAnswer } from '../rules/judge-hit.js';

/** Why a verdict is what it is. Contains nothing of a secret. */
export interface Explanation {
  /** The verdict of `test`. */
  readonly verdict: Verdict;
  /** All readings of the input, most specific first. */
  readonly assets: readonly Asset[];
  /** The override that decides. */
  readonly override: Override | null;
  readonly policy: Required<Policy>;
  readonly lists: readonly ExplainedList[];
}

/** What one list says about an input. */
export interface ExplainedList {
  readonly source: string;
  readonly finding: SourceFinding;
  /** Our name for the list's algorithm; `null` if there is no list, or its algorithm is unknown. */
  readonly algorithm: string | null;
  readonly expressions: readonly ExplainedExpression[];
}

/** One expression of an input, and what a list says about it. */
export interface ExplainedExpression {
  readonly expression: string;
  /** Which target of the input it belongs to, counted from 0. Each target is judged alone, and the worst verdict wins. */
  readonly target: number;
  /** Set if the target is a link inside the input that its site may or may not open. If blocked, the verdict has the reason `carried`. */
  readonly isCarried?: true | undefined;
  /** The first 4 bytes of its hash, in hex. No other part of it is ever sent. */
  readonly prefix: string;
  readonly heldIn: HeldIn;
  /** Set if the app never blocks by this entry, because it covers a host of `neverBlock`. */
  readonly isIgnored?: true | undefined;
  /** The remembered answer about a hit of 4 bytes. */
  readonly known?: CachedAnswer | undefined;
}

/**
 * Explains the verdict of `test`. Sends nothing.
 *
 * @example explain(blocklist, 'https://claim.example/airdrop').lists[0]?.expressions
 */
export function explain(blocklist: Blocklist, input: CheckInput): Explanation {
  const { checker, lists, parts, session } = internalsOf(blocklist);
  session.requireOpen();
  const question = questionOf(input, parts);
  const isReadable = subjectsFor(question, checker.own).length > 0;
  return {
    verdict: checker.verdict(checker.find(question), question),
    assets: isReadable ? assetsIn(question, parts.assets) : [],
    override: checker.overrideOf(question) ?? null,
    policy: wholePolicy(checker.policy),
    lists: isReadable
      ? lists.map((list, place) => explainList(list, checker.findInList(place, question), checker, question))
      : [],
  };
}

function explainList(
  { id: source, generation, confirmer, isIgnored: ignores }: List,
  finding: SourceFinding,
  checker: Checker<List>,
  question: Question,
): ExplainedList {
  const algorithm = generation === null ? undefined : checker.algorithmOf(generation);
  if (generation === null || algorithm === undefined) return { source, finding, algorithm: null, expressions: [] };
  const targets = new Map<string, number>();
  const own = subjectsFor(question, algorithm);
  const carried = carriedBy(question, checker.own, checker.policy).flatMap((link) => algorithm.subjectsOf(link));
  for (const [target, subject] of [...own, ...carried].entries())
    for (const expression of subject) if (!targets.has(expression)) targets.set(expression, target);
  const expressions = [...targets].map(([expression, target]): ExplainedExpression => {
    const prefix = prefixOf(expression);
    const hash = hashOf(expression);
    const held = heldIn(generation, hash, prefix);
    const isHit = held === 'base' || held === 'recent';
    const isIgnored = isHit && ignores(expression);
    const isAsked = isHit && !isIgnored && !isProof(generation, hash) && confirmer !== null;
    return {
      expression,
      target,
      prefix: u32ToHex(prefix),
      heldIn: held,
      ...(target >= own.length && { isCarried: true }),
      ...(isIgnored && { isIgnored }),
      ...(isAsked && { known: confirmer.known(prefix, hash) }),
    };
  });
  return { source, finding, algorithm: algorithm.name, expressions };
}
