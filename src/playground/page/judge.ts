import { type Blocklist, type Explanation, expressionsOf, hashOf, prefixOf, type Verdict } from 'portcullis';
import type { LoggedRequest, Requests } from './requests.js';
import { type Timing, timed } from './stopwatch.js';
import type { Subject } from './subject.js';

export interface Look {
  readonly expression: string;
  /** 64 hex digits; the first 8 are the prefix. */
  readonly hash: string;
  readonly prefix: string;
  /** What the list says; `null` where there is none. */
  readonly found: Pick<Explanation['lists'][number]['expressions'][number], 'heldIn' | 'known'> | null;
}

/** A verdict and the way to it. */
export interface Judgement {
  readonly subject: Subject;
  readonly verdict: Verdict;
  readonly explanation: Explanation;
  readonly looks: readonly Look[];
  /** What was asked for this check. */
  readonly asked: readonly LoggedRequest[];
  /** What was asked before, where its answer still counts. */
  readonly earlier: LoggedRequest | undefined;
  readonly timing: Timing;
}

export async function judge(subject: Subject, blocklist: Blocklist, requests: Requests): Promise<Judgement> {
  const before = new Set(requests.log);
  const verdict = await blocklist.check(subject.input);
  const explanation = blocklist.explain(subject.input);
  const looks = looksOf(subject, verdict, explanation);
  const own = new Set(looks.map(({ prefix }) => prefix));
  const questions = requests.log.filter(({ kind }) => kind === 'confirm');
  // One for a shard names no prefix.
  const asked = questions.filter(
    (request) => !before.has(request) && (request.prefixes.length === 0 || request.prefixes.some((prefix) => own.has(prefix))),
  );
  const earlier = questions.find(({ answered }) => Object.keys(answered ?? {}).some((prefix) => own.has(prefix)));
  await Promise.all(asked.map(({ done }) => done));
  return { subject, verdict, explanation, looks, asked, earlier, timing: timed(() => blocklist.test(subject.input)) };
}

/** Of the first list that is there; of a text that is not to be looked up nothing. */
function looksOf({ input, assets }: Subject, { status }: Verdict, { lists }: Explanation): readonly Look[] {
  if (status === 'not-listable') return [];
  const explained = lists.find(({ expressions }) => expressions.length > 0)?.expressions;
  const expressions =
    explained?.map(({ expression }) => expression) ?? (assets.length === 0 ? [] : expressionsOf(contentOf(input)));
  return expressions.map((expression, at) => ({
    expression,
    hash: [...hashOf(expression)].map(hex).join(''),
    prefix: (prefixOf(expression) >>> 0).toString(16).padStart(8, '0'),
    found: explained?.[at] ?? null,
  }));
}

function contentOf(input: Subject['input']): string {
  return typeof input === 'string' ? input : input.content;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
