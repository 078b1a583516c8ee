import { isPortcullisError } from '../../core/errors.js';
import { keyOf } from '../../core/http/api-key.js';
import { bounded } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
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

export type Call = (row: Operation, input: Input, perCall: CallOptions) => Promise<unknown>;

/** The function that all methods of one client call. */
export function createCall(settings: ClientSettings, platform: Platform, events: ClientEvents): Call {
  const { apiKey, baseUrl, now, random } = settings;
  const fetch = settings.fetch ?? platform.fetch;

  /** Checks the input, sends it with retries and reads the answer. Errors and events carry no secret. */
  async function call(row: Operation, input: Input, perCall: CallOptions): Promise<unknown> {
    const headers: Record<string, string> = { accept: 'application/json', ...settings.headers };
    if (typeof apiKey === 'string') headers[keyHeader] = apiKey;
    try {
      checkCall(input, perCall);
      Object.assign(headers, checkedHeaders(perCall.headers));
      const endMs = now() + (perCall.deadlineMs ?? settings.deadlineMs);
      const request = await prepare(row, input, perCall, headers, endMs);
      if (row.deprecated) events.emitOnce({ type: 'deprecated', operation: row.name, replacement: row.replacement });
      const answer = await sendWithRetries(row, request, perCall, headers, endMs);
      reportDeprecation(row, answer, headers);
      const value = resultOf(answer, row.output === unshown);
      const issues = settings.onEvent ? mismatchesOf(row, value) : [];
      if (issues.length > 0) events.emit({ type: 'response-mismatch', operation: row.name, issues });
      return value;
    } catch (error) {
      throw isPortcullisError(error) ? withoutSecrets(error, headers, row.name) : error;
    }
  }

  /** The request with all headers. Reading a file and asking for the key count towards the deadline too. */
  function prepare(
    row: Operation,
    input: Input,
    { slug, signal }: CallOptions,
    headers: Record<string, string>,
    endMs: number,
  ): Promise<HttpRequest> {
    return bounded(endMs - now(), signal, async (ended) => {
      const withSlug = inputWithSlug(row, input, slug ?? settings.slug);
      const request = await requestOf(row, settings.paths?.[row.name], baseUrl, withSlug, platform, ended);
      if (typeof apiKey === 'function') headers[keyHeader] = await keyOf(apiKey, true);
      return { ...request, headers: { ...headers, ...request.headers } };
    });
  }

  function sendWithRetries(
    row: Operation,
    request: HttpRequest,
    { signal, retry = settings.retry, timeoutMs = settings.timeoutMs }: CallOptions,
    headers: Readonly<Record<string, string>>,
    endMs: number,
  ): Promise<HttpAnswer> {
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

  function reportDeprecation(row: Operation, answer: HttpAnswer, headers: Readonly<Record<string, string>>): void {
    const headerOf = (name: string): string | null => {
      const value = answer.headers.get(name);
      return value && redactor(headers)(value);
    };
    const deprecation = headerOf('deprecation');
    const sunset = headerOf('sunset');
    if ((deprecation ?? sunset) !== null) {
      events.emitOnce({ type: 'deprecation-header', operation: row.name, deprecation, sunset });
    }
  }

  return call;
}

function checkCall(input: unknown, perCall: CallOptions): void {
  if (typeof input !== 'object' || input === null) throw new TypeError('input must be an object');
  if (perCall.signal && !perCall.signal.addEventListener) throw new TypeError('signal must be an AbortSignal');
  checkNumbers(perCall);
}

/** An input that names its organization, or several, keeps them. */
function inputWithSlug({ slugAs }: Operation, input: Input, slug: string | undefined): Input {
  const isNamed = slugAs !== null && (input[slugAs] !== undefined || (input['slugs'] as unknown[] | undefined)?.length);
  return slugAs === null || slug === undefined || isNamed ? input : { ...input, [slugAs]: slug };
}
