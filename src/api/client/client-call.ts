import { isPortcullisError } from '../../core/errors.js';
import { keyOf } from '../../core/http/api-key.js';
import { bounded } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import type { FetchLike } from '../../core/http/fetch.js';
import { keyHeader, redactor, withoutSecrets } from '../../core/http/redact.js';
import { withRetries } from '../../core/http/retry.js';
import { type HttpAnswer, type HttpRequest, send } from '../../core/http/send.js';
import { unshown } from '../operations/kinds.js';
import type { Operation } from '../operations/operation.js';
import { errorOf, resultOf } from './client-answer.js';
import type { ClientEvents } from './client-events.js';
import { type ClientSettings, checkNumbers } from './client-options.js';
import type { Platform } from './client-platform.js';
import { requestOf } from './client-request.js';
import type { CallOptions } from './client-types.js';
import { mismatchesOf } from './mismatch.js';

/** Bytes of one answer after decompression: ten times the largest documented page, 10,000 assets. */
const maxAnswerBytes = 32 * 1024 * 1024;

export type Input = Readonly<Record<string, unknown>>;

/** What the calls of one client share. */
export interface CallContext {
  readonly settings: ClientSettings;
  readonly platform: Platform;
  readonly fetch: FetchLike;
  readonly events: ClientEvents;
}

/** One call under way. */
interface Call extends CallContext {
  readonly row: Operation;
  readonly perCall: CallOptions;
  /** Sent with the request; all errors and events are stripped of their values. */
  readonly headers: Record<string, string>;
  /** By the client's clock. */
  readonly endMs: number;
}

/** One call of an operation: checks the input, sends it with retries, reads the answer. Its errors carry no secret. */
export async function call(row: Operation, input: Input, perCall: CallOptions, context: CallContext): Promise<unknown> {
  const { settings, events } = context;
  const headers: Record<string, string> = { accept: 'application/json', ...settings.headers };
  if (typeof settings.apiKey === 'string') headers[keyHeader] = settings.apiKey;
  try {
    checkCall(input, perCall);
    Object.assign(headers, checkedHeaders(perCall.headers));
    const endMs = settings.now() + (perCall.deadlineMs ?? settings.deadlineMs);
    const one: Call = { ...context, row, perCall, headers, endMs };
    const request = await prepared(one, input);
    if (row.deprecated) events.emitOnce({ type: 'deprecated', operation: row.name, replacement: row.replacement });
    const answer = await answerOf(one, request);
    reportDeprecation(one, answer);
    const value = resultOf(answer, row.output === unshown);
    const issues = events.hasListener ? mismatchesOf(row, value) : [];
    if (issues.length > 0) events.emit({ type: 'response-mismatch', operation: row.name, issues });
    return value;
  } catch (error) {
    throw isPortcullisError(error) ? withoutSecrets(error, headers, row.name) : error;
  }
}

function checkCall(input: unknown, perCall: CallOptions): void {
  if (typeof input !== 'object' || input === null) throw new TypeError('input must be an object');
  if (perCall.signal && !perCall.signal.addEventListener) throw new TypeError('signal must be an AbortSignal');
  checkNumbers(perCall);
}

/** The request with all headers. Reading a file and asking for the key count towards the deadline too. */
function prepared({ row, perCall, settings, platform, headers, endMs }: Call, input: Input): Promise<HttpRequest> {
  const { apiKey, baseUrl, now } = settings;
  return bounded(endMs - now(), perCall.signal, async (ended) => {
    const withSlug = inputWithSlug(row, input, perCall.slug ?? settings.slug);
    const request = await requestOf(row, settings.paths?.[row.name], baseUrl, withSlug, platform, ended);
    if (typeof apiKey === 'function') headers[keyHeader] = await keyOf(apiKey, { withCause: true });
    return { ...request, headers: { ...headers, ...request.headers } };
  });
}

/** An input that names its organization, or several, keeps them. */
function inputWithSlug({ slugAs }: Operation, input: Input, slug: string | undefined): Input {
  const isNamed = slugAs !== null && (input[slugAs] !== undefined || (input['slugs'] as unknown[] | undefined)?.length);
  return slugAs === null || slug === undefined || isNamed ? input : { ...input, [slugAs]: slug };
}

function answerOf({ row, perCall, settings, fetch, events, headers, endMs }: Call, request: HttpRequest): Promise<HttpAnswer> {
  const { now, random } = settings;
  const { signal, retry = settings.retry, timeoutMs = settings.timeoutMs } = perCall;
  return withRetries(
    async (attemptMs) => {
      const answer = await send(request, { fetch, timeoutMs: attemptMs, bytesMax: maxAnswerBytes, signal });
      if (answer.status < 200 || answer.status > 299) throw errorOf(answer, now());
      return answer;
    },
    {
      retry: retry === false || !row.repeatSafe ? { maxRetries: 0 } : retry,
      timeoutMs,
      deadlineMs: endMs - now(),
      signal,
      now,
      random,
      onRetry: (attempt, delayMs, error) =>
        events.emit({ type: 'retry', operation: row.name, attempt, delayMs, error: withoutSecrets(error, headers, row.name) }),
    },
  );
}

function reportDeprecation({ row, events, headers }: Call, answer: HttpAnswer): void {
  const redact = redactor(headers);
  const [deprecation = null, sunset = null] = ['deprecation', 'sunset'].map((name) => {
    const value = answer.headers.get(name);
    return value && redact(value);
  });
  if ((deprecation ?? sunset) !== null) {
    events.emitOnce({ type: 'deprecation-header', operation: row.name, deprecation, sunset });
  }
}
