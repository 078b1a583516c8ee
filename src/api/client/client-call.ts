import { isPortcullisError, requireObject } from '../../core/errors.js';
import { keyOf } from '../../core/http/api-key.js';
import { bounded } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import { keyHeader, redactor, withoutSecrets } from '../../core/http/redact.js';
import { withRetries } from '../../core/http/retry.js';
import { send } from '../../core/http/send.js';
import type { Operation } from '../operations/operation.js';
import { errorOf, resultOf } from './client-answer.js';
import type { ClientEvents } from './client-events.js';
import { type ClientSettings, checkNumbers } from './client-options.js';
import type { Platform } from './client-platform.js';
import { requestOf } from './client-request.js';
import type { CallOptions } from './client-types.js';
import { mismatchesOf } from './mismatch.js';

/** Bytes of one response after decompression: ten times the largest documented page, 10,000 assets. */
const maxAnswerBytes = 32 * 1024 * 1024;

export type Input = Readonly<Record<string, unknown>>;

export type Call = (row: Operation, input: Input, perCall: CallOptions) => Promise<unknown>;

/**
 * The function that all methods of one client call: checks the input, sends it with retries and reads the response. Errors and events
 * carry no secret.
 */
export function createCall(settings: ClientSettings, platform: Platform, { emit, emitOnce, emitMismatch }: ClientEvents): Call {
  const { apiKey, now, random } = settings;

  return async (row, input, perCall) => {
    const operation = row.name;
    const headers: Record<string, string> = { accept: 'application/json', ...settings.headers };
    if (typeof apiKey === 'string') headers[keyHeader] = apiKey;
    const { signal, deadlineMs = settings.deadlineMs, retry = settings.retry, slug = settings.slug } = perCall;
    try {
      checkCall(input, perCall);
      Object.assign(headers, checkedHeaders(perCall.headers));
      const endMs = now() + deadlineMs;
      // Reading a file and asking for the key count toward the deadline too.
      const request = await bounded(deadlineMs, signal, async (ended) => {
        const made = await requestOf(row, settings, inputWithSlug(row, input, slug), platform, ended);
        if (typeof apiKey === 'function') headers[keyHeader] = await keyOf(apiKey, true);
        return { ...made, headers: { ...headers, ...made.headers } };
      });
      if (row.deprecated) emitOnce({ type: 'deprecated', operation, replacement: row.replacement });
      const answer = await withRetries(
        async (attemptMs) => {
          const options = { fetch: settings.fetch ?? platform.fetch, timeoutMs: attemptMs, maxBytes: maxAnswerBytes, signal };
          const found = await send(request, options);
          if (found.status < 200 || found.status > 299) throw errorOf(found, now());
          return found;
        },
        {
          now,
          random,
          retry: retry === false || !row.repeatSafe ? { maxRetries: 0 } : retry,
          timeoutMs: perCall.timeoutMs ?? settings.timeoutMs,
          deadlineMs: endMs - now(),
          signal,
          onRetry: (attempt, delayMs, error) =>
            emit({ type: 'retry', operation, attempt, delayMs, error: withoutSecrets(error, headers, operation) }),
        },
      );
      const [deprecation = null, sunset = null] = ['deprecation', 'sunset'].map((name) => {
        const value = answer.headers.get(name);
        return value && redactor(headers)(value);
      });
      if ((deprecation ?? sunset) !== null) emitOnce({ type: 'deprecation-header', operation, deprecation, sunset });
      const value = resultOf(answer, row, now());
      if (settings.onEvent) emitMismatch(operation, mismatchesOf(row, value));
      return value;
    } catch (error) {
      throw isPortcullisError(error) ? withoutSecrets(error, headers, operation) : error;
    }
  };
}

function checkCall(input: unknown, perCall: CallOptions): void {
  requireObject(input, 'input');
  if (perCall.signal && !perCall.signal.addEventListener) throw new TypeError('signal must be an AbortSignal');
  checkNumbers(perCall);
}

/** An input that names its organization, or several, keeps them. */
function inputWithSlug({ slugAs }: Operation, input: Input, slug: string | undefined): Input {
  const isNamed = slugAs !== null && (input[slugAs] !== undefined || (input['slugs'] as unknown[] | undefined)?.length);
  return slugAs === null || slug === undefined || isNamed ? input : { ...input, [slugAs]: slug };
}
