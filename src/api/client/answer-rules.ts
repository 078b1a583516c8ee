import { jsonWord, reportsFailure } from '../../core/http/failure-report.js';
import { isStatusCode } from '../../core/http/http-status.js';
import { unshown } from '../operations/kinds.js';
import type { Operation } from '../operations/operation.js';
import { declares, hasEssential, hasKnownStatus, onlyReports, reporting } from './essentials.js';

/** What the JSON of a successful response holds: an answer, or a failure and what is wrong with it. */
export type Found = { readonly answer: unknown } | { readonly failure: unknown; readonly wrong: string };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Finds the answer in a body: the body itself, or the `data` that some services wrap around it.
 *
 * @param row `undefined` if any value without an error is an answer.
 */
export function answerIn(row: Operation | undefined, body: unknown): Found {
  return row?.essential ? decided(row, body, row.essential.split('.', 1)[0]!) : undecided(row, body);
}

/** If the response is published, its caller decides by one field. It may be in the body or in its `data`, but not in both. */
function decided(row: Operation, body: unknown, name: string): Found {
  const outer = asObject(body);
  const data = asObject(outer['data']);
  for (const part of [outer, data]) {
    // Some answers have a code and a message of their own.
    const isDocumented = declares(row, 'code') && name in part && !/^[A-Z\d_]+$/.test(jsonWord(part['code']));
    if (reportsFailure(part) || (isCoded(part) && !isDocumented)) return { failure: part, wrong: 'with an error' };
  }
  const isMark = reporting.test(name) && isSuccess(outer[name]);
  const answer = name in data && (isMark || !(name in outer)) ? unwrapped(outer) : body;
  // In a wrapper or beside it, or two levels deep.
  const isTwice = name in asObject(asObject(answer)['data']);
  return !isTwice && hasEssential(row, answer) ? { answer } : { failure: body, wrong: `without a usable ${row.essential}` };
}

/**
 * If it is not published, an answer does more than report how the request went. It may name an error of its own, such as that of a scan
 * that failed.
 */
function undecided(row: Operation | undefined, body: unknown, isInner = false): Found {
  const fields = asObject(body);
  const { code, data, success, status, error } = fields;
  const isReport = onlyReports(fields);
  if (row && hasKnownStatus(row, fields)) return { answer: body };
  // A request that the table lacks may have any flags.
  const isError = isReport && (isCoded(fields) || reportsFailure(row ? fields : { error }));
  if (isError || isStatusCode(code) || (row && success === false)) return { failure: body, wrong: 'with an error' };
  if (!row || (Array.isArray(body) ? row.output === unshown : !isReport)) return { answer: body };
  if (data != null && !isInner) return undecided(row, data, true);
  // A write may have nothing to say but that it succeeded.
  const isDone = row.write && data == null && [success, status].some(isSuccess);
  return isDone ? { answer: body } : { failure: body, wrong: 'without an answer' };
}

/** The content of a wrapper. Its fields that do more than report stay beside it, because a cursor may be among them. */
function unwrapped({ data, ...outer }: Fields): unknown {
  const others = Object.entries(outer).filter(([name]) => !reporting.test(name));
  return others.length > 0 ? { ...Object.fromEntries(others), ...asObject(data) } : data;
}

function isSuccess(value: unknown): boolean {
  return value === true || /^(2\d\d|ok|success)$/i.test(jsonWord(value));
}

/** Whether it has the `code` and `message` of an error. */
function isCoded({ code, message }: Fields): boolean {
  return Boolean(textOrEmpty(message) && code) && !isSuccess(code);
}

/** The fields of an error are at the top or under `error`, which may also be a text or missing. */
export function envelopeOf(body: Fields): Fields {
  const inner = asObject(body['error']);
  return textOrEmpty(inner['message']) || textOrEmpty(inner['code']) ? inner : body;
}

export function asObject(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
