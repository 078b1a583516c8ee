import { type AssetIssue, type Issue, known, PortcullisError } from '../../core/errors.js';
import { codeOfStatus } from '../../core/http/http-status.js';
import { retryAfterMs } from '../../core/http/retry.js';
import type { HttpAnswer } from '../../core/http/send.js';

/** The JSON of a successful response, unchanged. */
export function resultOf({ status, bytes }: HttpAnswer, mayBeEmpty: boolean): unknown {
  if (mayBeEmpty && bytes.length === 0) return null;
  const parsed = parse(bytes);
  if (parsed !== undefined) return parsed;
  throw new PortcullisError('INVALID_RESPONSE', `the service answered ${status} with ${kindOf(bytes)} instead of JSON`, {
    status,
  });
}

/** The error of any other response. Its fields are at the top or under `error`, which may also be a string or missing. */
export function errorOf({ status, headers, bytes }: HttpAnswer, nowMs: number): PortcullisError {
  const parsed = parse(bytes);
  const body = asObject(parsed);
  const inner = asObject(body['error']);
  const envelope = textOf(inner['message']) || textOf(inner['code']) ? inner : body;
  const code = codeOfStatus(status);
  const serviceCode = textOf(envelope['code']) || code;
  const kind = parsed === undefined ? kindOf(bytes) : 'unexpected JSON';
  const what = textOf(envelope['message']) || textOf(body['error']) || `the service answered ${status} with ${kind}`;
  const issues = listOf(envelope['issues']).map(issueOf);
  const assets = listOf(asObject(envelope['data'] ?? body['data'])['errors']).map(assetOf);
  const details = known({
    status,
    issues: issues.length > 0 ? issues : undefined,
    assets: assets.length > 0 ? assets : undefined,
    retryAfterMs: retryAfterMs(headers.get('retry-after'), nowMs),
  });
  return new PortcullisError(code, serviceCode === code ? what : `${what} (${serviceCode})`, details);
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
  return Object.fromEntries(keys.map((key) => [key, textOf(fields[key])])) as Record<(typeof keys)[number], string>;
}
