import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Question } from '../model/question.js';
import type { Policy, SourceFinding } from '../model/verdict.js';

/**
 * The finding about an input, or a notice that a link inside it is blocked. Each is judged alone, as any other link, and nothing else
 * about it counts: whether its host can be reached or read is no fact about the input. Who allowed the input has allowed its site to open
 * what it carries.
 */
export function withCarried(
  own: SourceFinding,
  question: Question,
  algorithm: Algorithm,
  policy: Policy,
  judge: (question: Question) => SourceFinding,
): SourceFinding {
  const { status, reason } = own;
  if (status === 'blocked' || status === 'unconfirmed' || reason === 'override' || reason === 'secret') return own;
  let open: SourceFinding | null = null;
  for (const link of carriedBy(question, algorithm, policy)) {
    const found = judge(questionAbout(link));
    if (found.status === 'blocked') return { ...found, status: 'unconfirmed', reason: 'carried', carried: link };
    if (found.status === 'unconfirmed') open ??= { ...found, carried: link };
  }
  return open ?? own;
}

/** A carried link is read as it is: nothing was pasted around it. */
export function questionAbout(link: string): Question {
  return { content: link, also: [], asset: null, refused: null, kept: null };
}

/** The links inside the input that are looked up. A hint says what the input is, and then nothing else in it counts. */
export function carriedBy({ content, also, asset }: Question, { carriedIn }: Algorithm, policy: Policy): readonly string[] {
  if (carriedIn === undefined || asset !== null || policy.carried === 'allow') return [];
  if (also.length === 0) return carriedIn(content);
  return [content, ...also].flatMap((text) => (typeof text === 'string' ? carriedIn(text) : []));
}
