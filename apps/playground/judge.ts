import { type Blocklist, type Explanation, explain, expressionsOf, type Verdict } from 'portcullis';
import { fullHashOf, prefixDigits } from '../shared/full-hash.js';
import { type LoggedRequest, okStatus, type Requests } from './requests.js';
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
  /** The questions that this check waited for. */
  readonly asked: readonly LoggedRequest[];
  /** An earlier question about one of the prefixes. */
  readonly earlier: LoggedRequest | undefined;
  readonly timing: Timing;
}

/** `before` are the requests that had ended before the check: it waits for a pending one, which an earlier check may have sent. */
export function judge(
  subject: Subject,
  verdict: Verdict,
  before: ReadonlySet<LoggedRequest>,
  { blocklist, requests }: { readonly blocklist: Blocklist; readonly requests: Requests },
): Judgment {
  const explanation = explain(blocklist, subject.input);
  const looks = looksOf(subject, verdict, explanation);
  const own = new Set(looks.map(({ prefix }) => prefix));
  const questions = requests.log.filter(({ kind }) => kind === 'confirm');
  const hits = looks.filter(({ found }) => found !== null && found.heldIn !== 'nothing').map(({ prefix }) => prefix);
  // A request for a shard names no prefix.
  const isOurs = ({ prefixes, path }: LoggedRequest): boolean =>
    prefixes.length === 0
      ? hits.some((prefix) => prefix.startsWith(shardDigitsOf(path) ?? ''))
      : prefixes.some((prefix) => own.has(prefix));
  const asked = questions.filter((request) => !before.has(request) && isOurs(request));
  const isAnswered = ({ answered, prefixes, outcome }: LoggedRequest): boolean =>
    prefixes.length === 0 ? outcome === okStatus : Object.keys(answered ?? {}).some((prefix) => own.has(prefix));
  const earlier = questions.find((request) => isOurs(request) && isAnswered(request));
  return { subject, verdict, explanation, looks, asked, earlier, timing: timed(() => blocklist.test(subject.input)) };
}

/** The digits that all hashes in the requested shard start with; none for a list with one shard. */
export function shardDigitsOf(path: string): string | undefined {
  return /\/([0-9a-f]+)-[0-9a-f]+\.bin$/.exec(path)?.[1];
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
