import { type AssetIssue, type ErrorCode, type Issue, known, PortcullisError } from '../../core/errors.js';
import { codeOfStatus, isStatusCode } from '../../core/http/http-status.js';
import { retryAfterMs } from '../../core/http/retry.js';
import type { HttpAnswer } from '../../core/http/send.js';
import type { Operation } from '../operations/operation.js';
import { hasEssential } from './essentials.js';

/**
 * The value of a successful response, without the `data` that some services wrap around it. A response can report a failure although
 * its status is a success.
 *
 * @param row `undefined` if any value is an answer.
 */
export function resultOf(response: HttpAnswer, row: Operation | undefined, nowMs: number): unknown {
  const { status, bytes } = response;
  const mayBeEmpty = !row?.essential;
  const parsed = mayBeEmpty && bytes.length === 0 ? null : parse(bytes);
  const fail = (body: unknown, what: string): PortcullisError => {
    const { code } = envelopeOf(asObject(body));
    return errorFrom(
      response,
      body,
      isStatusCode(code) ? code : 'INVALID_RESPONSE',
      `the service answered ${status} ${what}`,
      nowMs,
    );
  };
  if (parsed === undefined) throw fail(parsed, `with ${kindOf(bytes)} instead of JSON`);
  for (let value: unknown = parsed, depth = 0; ; depth++) {
    const isComplete = row !== undefined && hasEssential(row, value);
    if (isFailure(value, isComplete) || (row !== undefined && isFlagged(value))) throw fail(value, 'with an error');
    if (isComplete || row === undefined) return value;
    const body = asObject(value);
    if (mayBeEmpty && (depth > 0 || !('data' in body))) return value ?? {};
    value = body['data'];
    if (depth > 0 || typeof value !== 'object' || value === null)
      throw fail(parsed, row.essential ? `without a usable ${row.essential}` : 'with data that is not an object');
  }
}

/** The error of any other response. */
export function errorOf(response: HttpAnswer, nowMs: number): PortcullisError {
  const { status, bytes } = response;
  const body = parse(bytes);
  const kind = body === undefined ? kindOf(bytes) : 'unexpected JSON';
  return errorFrom(response, body, codeOfStatus(status), `the service answered ${status} with ${kind}`, nowMs);
}

/** Whether it is the service's error. Some answers have a `code` and a `message` beside the field by which their caller decides. */
function isFailure(value: unknown, isComplete: boolean): boolean {
  const body = asObject(value);
  if (envelopeOf(body) !== body || body['error'] === true || textOf(body['error'])) return true;
  return Boolean(textOf(body['message']) && body['code']) && (!isComplete || isStatusCode(body['code']));
}

/** Whether it says by another common convention that the call failed. No documented answer does. */
function isFlagged(value: unknown): boolean {
  const { success, status } = asObject(value);
  return success === false || status === 'error' || status === 'fail';
}

function errorFrom(
  { status, headers }: HttpAnswer,
  parsed: unknown,
  code: ErrorCode,
  otherwise: string,
  nowMs: number,
): PortcullisError {
  const body = asObject(parsed);
  const envelope = envelopeOf(body);
  const serviceCode = textOf(envelope['code']);
  const what = textOf(envelope['message']) || textOf(body['error']) || otherwise;
  const issues = listOf(envelope['issues']).map(issueOf);
  const assets = listOf(asObject(envelope['data'] ?? body['data'])['errors']).map(assetOf);
  const details = known({
    status,
    issues: issues.length > 0 ? issues : undefined,
    assets: assets.length > 0 ? assets : undefined,
    retryAfterMs: retryAfterMs(headers.get('retry-after'), nowMs),
  });
  return new PortcullisError(code, serviceCode === '' || serviceCode === code ? what : `${what} (${serviceCode})`, details);
}

/** The fields of an error are at the top or under `error`, which may also be a text or missing. */
function envelopeOf(body: Record<string, unknown>): Record<string, unknown> {
  const inner = asObject(body['error']);
  return textOf(inner['message']) || textOf(inner['code']) ? inner : body;
}

/** `undefined` if it is not JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function kindOf(bytes: Uint8Array): string {
  const first = bytes.find((byte) => byte > 0x20);
  return first === undefined ? 'an empty body' : first === 0x3c ? 'HTML' : 'a body that is not JSON';
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The maximum number of issues or assets in an error; one report can have a thousand rejected assets. */
const maxEntries = 1_000;

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, maxEntries) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function issueOf(issue: unknown): Issue {
  const { message, path } = asObject(issue);
  const keys = listOf(path).filter((key) => typeof key === 'string' || typeof key === 'number');
  return { path: textOf(path) || keys.join('.'), message: textOf(message) };
}

function assetOf(issue: unknown): AssetIssue {
  const fields = asObject(issue);
  const keys = ['asset', 'errorType', 'message', 'suggestion'] as const;
  const texts = Object.fromEntries(keys.map((key) => [key, textOf(fields[key])])) as Record<(typeof keys)[number], string>;
  return { ...fields, ...texts };
}
