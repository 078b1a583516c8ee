import { PortcullisError } from '../../../core/errors.js';
import { baseAddress } from '../../../core/http/address.js';
import { type HttpAnswer, send } from '../../../core/http/send.js';
import type { Asked } from '../lists/open-list.js';

/** What came of asking for a list's version once. */
export interface Reached {
  readonly answer: HttpAnswer;
  readonly ms: number;
  /** How far this machine's clock is ahead of the other's, in milliseconds; `null` where the other does not say. */
  readonly clockAheadMs: number | null;
}

const timeoutMs = 10_000;
const bytesMax = 64 * 1024;

/** @throws TIMEOUT, NETWORK, ABORTED, REDIRECTED, LIMIT_EXCEEDED, INVALID_INPUT */
export async function reach({ url, apiKey, fetch }: Asked, signal: AbortSignal): Promise<Reached> {
  // The key must not go where others listen.
  baseAddress('url', url, false);
  const headers = { accept: 'application/json', ...(apiKey && { 'x-api-key': apiKey }) };
  const startMs = performance.now();
  const answer = await send({ method: 'GET', url, headers }, { fetch, timeoutMs, bytesMax, signal });
  const ms = performance.now() - startMs;
  const theirsMs = Date.parse(answer.headers.get('date') ?? '');
  // It was written somewhere between question and answer.
  const clockAheadMs = Number.isNaN(theirsMs) ? null : Math.round(Date.now() - ms / 2 - theirsMs);
  return { answer, ms, clockAheadMs };
}

/** What the answer's status says went wrong; `null` where nothing did. */
export function refusalOf({ status }: HttpAnswer): PortcullisError | null {
  if (status >= 200 && status < 300) return null;
  const code =
    status === 401
      ? 'UNAUTHORIZED'
      : status === 403
        ? 'FORBIDDEN'
        : status === 404
          ? 'NOT_FOUND'
          : status === 429
            ? 'TOO_MANY_REQUESTS'
            : 'UNEXPECTED_STATUS';
  return new PortcullisError(code, `the answer has status ${status}`, { status });
}
