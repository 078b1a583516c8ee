import { type ErrorCode, known, PortcullisError } from '../errors.js';
import { retryAfterMs } from './retry.js';
import type { HttpAnswer } from './send.js';

const codes: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
};

/** The error code for any unsuccessful status. */
export function codeOfStatus(status: number): ErrorCode {
  return codes[status] ?? (status > 500 ? codes[500]! : 'UNEXPECTED_STATUS');
}

/** Whether a text is the code of an unsuccessful status. */
export function isStatusCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.values<string>(codes).includes(text);
}

/** Throws for any status but 200. The error repeats only the status and the requested wait. */
export function requireOk(answer: Pick<HttpAnswer, 'status' | 'headers'>, nowMs: number): void {
  const { status, headers } = answer;
  if (status === 200) return;
  const details = known({ status, retryAfterMs: retryAfterMs(headers.get('retry-after'), nowMs) });
  throw new PortcullisError(codeOfStatus(status), `the service answered ${status}`, details);
}
