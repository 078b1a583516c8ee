import { type AssetIssue, type ErrorCode, type Issue, known, PortcullisError } from '../../core/errors.js';
import { codeOfStatus, isStatusCode } from '../../core/http/http-status.js';
import { retryAfterMs } from '../../core/http/retry.js';
import type { HttpAnswer } from '../../core/http/send.js';
import type { Operation } from '../operations/operation.js';
import { answerIn, asObject, envelopeOf, textOrEmpty } from './answer-rules.js';

/**
 * The value of a successful response. It can report a failure although its status is a success.
 *
 * @param row `undefined` if any value is an answer.
 */
export function resultOf(response: HttpAnswer, row: Operation | undefined, nowMs: number): unknown {
  const { status, bytes } = response;
  if (bytes.length === 0 && row === undefined) return null;
  if (status === 204 && row?.essential === '' && row.write) return {};
  const parsed = parse(bytes);
  const found =
    parsed === undefined ? { failure: parsed, wrong: `with ${kindOf(bytes)} instead of JSON` } : answerIn(row, parsed);
  if ('answer' in found) return found.answer;
  const { failure, wrong } = found;
  const { code } = envelopeOf(asObject(failure));
  throw errorFrom(
    response,
    failure,
    isStatusCode(code) ? code : 'INVALID_RESPONSE',
    `the service answered ${status} ${wrong}`,
    nowMs,
  );
}

/** The error of any other response. */
export function errorOf(response: HttpAnswer, nowMs: number): PortcullisError {
  const { status, bytes } = response;
  const body = parse(bytes);
  const kind = body === undefined ? kindOf(bytes) : 'unexpected JSON';
  return errorFrom(response, body, codeOfStatus(status), `the service answered ${status} with ${kind}`, nowMs);
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
  const serviceCode = textOrEmpty(envelope['code']);
  const { message, detail, title, errors } = envelope;
  const [first] = listOf(errors);
  const what = [message, body['error'], detail, title, asObject(first)['message']].map(textOrEmpty).find(Boolean) ?? otherwise;
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

/** Made by the first response, because some engines get it from a polyfill that is loaded later. */
let decoder: TextDecoder | undefined;

/** `undefined` if it is not JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    decoder ??= new TextDecoder('utf-8', { fatal: true });
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

function kindOf(bytes: Uint8Array): string {
  const first = bytes.find((byte) => byte > 0x20);
  return first === undefined ? 'an empty body' : first === 0x3c ? 'HTML' : 'text';
}

/** The maximum number of issues or assets in an error; one report can have a thousand rejected assets. */
const maxEntries = 1_000;

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, maxEntries) : [];
}

function issueOf(issue: unknown): Issue {
  const { message, path } = asObject(issue);
  const keys = listOf(path).filter((key) => typeof key === 'string' || typeof key === 'number');
  return { path: textOrEmpty(path) || keys.join('.'), message: textOrEmpty(message) };
}

function assetOf(issue: unknown): AssetIssue {
  const fields = asObject(issue);
  const keys = ['asset', 'errorType', 'message', 'suggestion'] as const;
  const texts = Object.fromEntries(keys.map((key) => [key, textOrEmpty(fields[key])])) as Record<(typeof keys)[number], string>;
  return { ...fields, ...texts };
}
