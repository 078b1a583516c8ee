import { type Blocklist, type Explanation, explain, expressionsOf, type Verdict } from 'portcullis';
import { fullHashOf, prefixDigits } from '../shared/full-hash.js';
import type { LoggedRequest } from './requests.js';
import { type Timing, timed } from './stopwatch.js';
import type { Subject } from './subject.js';

export interface Look {
  readonly expression: string;
  /** 64 hex digits; the first 8 are the prefix. */
  readonly hash: string;
  readonly prefix: string;
  /** What the list says; `null` without a list. */
  readonly found: Pick<Explanation['lists'][number]['expressions'][number], 'heldIn' | 'known' | 'target'> | null;
}

/** A verdict and how it was found. */
export interface Judgment {
  readonly subject: Subject;
  readonly verdict: Verdict;
  readonly explanation: Explanation;
  readonly looks: readonly Look[];
  /** The requests that had ended before the text was entered, so that it did not cause them. */
  readonly before: ReadonlySet<LoggedRequest>;
  readonly timing: Timing;
}

export function judge(subject: Subject, verdict: Verdict, before: ReadonlySet<LoggedRequest>, blocklist: Blocklist): Judgment {
  const explanation = explain(blocklist, subject.input);
  const looks = looksOf(subject, verdict, explanation);
  return { subject, verdict, explanation, looks, before, timing: timed(() => blocklist.test(subject.input)) };
}

/** From the first list that has any; none for a text that is not looked up. */
function looksOf({ input, assets }: Subject, { status }: Verdict, { lists }: Explanation): readonly Look[] {
  if (status === 'not-listable') return [];
  const explained = lists.find(({ expressions }) => expressions.length > 0)?.expressions;
  const read = typeof input === 'string' ? input : assets[0];
  const expressions =
    explained?.map(({ expression }) => expression) ?? (read === undefined || assets.length === 0 ? [] : expressionsOf(read));
  return expressions.map((expression, at) => {
    const hash = fullHashOf(expression);
    return { expression, hash, prefix: hash.slice(0, prefixDigits), found: explained?.[at] ?? null };
  });
}
