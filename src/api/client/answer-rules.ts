import { isStatusCode } from '../../core/http/http-status.js';
import { unshown } from '../operations/kinds.js';
import type { Operation } from '../operations/operation.js';
import { hasEssential, onlyReports } from './essentials.js';

/** What the JSON of a successful response holds: an answer, or a failure and what is wrong with it. */
export type Found = { readonly answer: unknown } | { readonly failure: unknown; readonly wrong: string };

/**
 * Finds the answer in a body: the body itself, or the `data` that some services wrap around it. `data` is unwrapped if it alone is an
 * answer, or if everything beside it only reports how the request went.
 *
 * @param row `undefined` if any value without an error is an answer.
 */
export function answerIn(row: Operation | undefined, body: unknown): Found {
  const failed = { failure: body, wrong: 'with an error' };
  if (isFailure(asObject(body), row)) return failed;
  if (row === undefined) return { answer: body };
  const isPublished = row.essential !== '';
  const { data, success, status } = asObject(body);
  const isWrapper = onlyReports(asObject(body));
  if ((isWrapper || isPublished) && isFailure(asObject(data), row)) return { ...failed, failure: data };
  const inBody = isAnswer(row, body);
  const inData = isAnswer(row, data);
  if (inData && (isWrapper || !inBody)) return { answer: data };
  // A write may have nothing to say but that it succeeded.
  const isDone = row.write && !isPublished && data == null && (success === true || /^(ok|success)$/i.test(String(status)));
  // With the deciding field in both, nobody knows which of them counts.
  const isTwice = row.essential.split('.')[0]! in asObject(data);
  if (inBody ? !isTwice : isWrapper && isDone) return { answer: body };
  return { failure: body, wrong: `without a usable ${row.essential || 'answer'}` };
}

/** Whether it has what the caller decides by. Where that is not published, something that does more than report. */
function isAnswer(row: Operation, value: unknown): boolean {
  if (row.essential !== '') return hasEssential(row, value);
  return Array.isArray(value) ? row.output === unshown : !onlyReports(asObject(value));
}

/**
 * Whether it is an error of the service, or one by another common convention. An answer that is not published may name an error of its
 * own, such as that of a scan that failed.
 */
function isFailure(body: Fields, row: Operation | undefined): boolean {
  const envelope = envelopeOf(body);
  const { error, message, code, success, status } = body;
  if (isStatusCode(envelope['code']) || (row && success === false)) return true;
  if (row?.essential === '' && !onlyReports(body)) return false;
  if (envelope !== body || (error && typeof error !== 'object') || (row && /^(error|fail(ed|ure)?)$/i.test(String(status))))
    return true;
  // Some answers have both beside the field by which their caller decides.
  const { shape = {} } = (row?.output._zod.def ?? {}) as { readonly shape?: object };
  return Boolean(textOf(message) && code) && !('code' in shape && hasEssential(row!, body));
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an error are at the top or under `error`, which may also be a text or missing. */
export function envelopeOf(body: Fields): Fields {
  const inner = asObject(body['error']);
  return textOf(inner['message']) || textOf(inner['code']) ? inner : body;
}

export function asObject(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
