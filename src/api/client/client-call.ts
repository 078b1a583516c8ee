import { isPortcullisError, type PortcullisError, requireObject, type SignalLike } from '../../core/errors.js';
import { keyOf } from '../../core/http/api-key.js';
import { bounded } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import { keyHeader, redactor } from '../../core/http/redact.js';
import { withRetries } from '../../core/http/retry.js';
import { type HttpAnswer, type HttpRequest, send } from '../../core/http/send.js';
import type { Operation } from '../operations/operation.js';
import { errorOf, resultOf } from './client-answer.js';
import { cleaned, metaOf } from './client-error.js';
import { type ClientEvents, notify } from './client-events.js';
import { type ClientSettings, callOptions, checkOptions, rawOptions } from './client-options.js';
import type { Platform } from './client-platform.js';
import { requestOf } from './client-request.js';
import type { CallOptions, ResponseMeta } from './client-types.js';
import { mismatchesOf } from './mismatch.js';
import { isRaw, rawRequestOf } from './raw-request.js';

/** Bytes of one response after decompression: ten times the largest documented page, 10,000 assets. */
const maxAnswerBytes = 32 * 1024 * 1024;

export type Input = Readonly<Record<string, unknown>>;

/** What a call found. */
export interface Answered {
  readonly data: unknown;
  readonly meta: () => ResponseMeta;
}

/** The responses that errors are about. */
const responses = new WeakMap<PortcullisError, HttpAnswer>();

export type Call = (row: Operation, input: Input, perCall: CallOptions) => Promise<Answered>;

/**
 * The function that all methods of one client call: checks the input, sends it with retries and reads the response. Errors and events
 * carry no secret.
 */
export function createCall(settings: ClientSettings, platform: Platform, { emit, emitOnce, emitMismatch }: ClientEvents): Call {
  const { apiKey, now, random } = settings;

  return async (row, input, perCall) => {
    const operation = (): string => (isRaw(row) ? redactor(headers)(row.name) : row.name);
    const plain = (error: PortcullisError): PortcullisError => cleaned(error, headers, operation(), responses.get(error));
    const headers: Record<string, string> = { accept: 'application/json', ...settings.headers };
    if (typeof apiKey === 'string') headers[keyHeader] = apiKey;
    const { signal, deadlineMs = settings.deadlineMs, slug = settings.slug, extra, onResponse } = perCall;
    // A write that is repeated may take effect twice, so its caller decides.
    const retry = perCall.retry ?? (row.repeatSafe && settings.retry);
    try {
      requireObject(input, 'input');
      checkOptions(perCall, isRaw(row) ? rawOptions : callOptions);
      if (perCall.headers) Object.assign(headers, checkedHeaders(perCall.headers));
      const endMs = now() + deadlineMs;
      const prepare = async (ended: SignalLike | undefined): Promise<HttpRequest> => {
        const request = isRaw(row)
          ? rawRequestOf(row, settings.baseUrl, input)
          : await requestOf(row, settings, inputWithSlug(row, input, slug, extra), extra, platform, ended);
        if (typeof apiKey === 'function') headers[keyHeader] = await keyOf(apiKey, true);
        return { ...request, headers: { ...headers, ...request.headers } };
      };
      // Reading a file and asking for the key count toward the deadline too. Nothing else takes time.
      const isSlow = row.upload || typeof apiKey === 'function';
      const request = await (isSlow ? bounded(deadlineMs, signal, prepare) : prepare(signal));
      if (row.deprecated) emitOnce({ type: 'deprecated', operation: row.name, replacement: row.replacement });
      const { response, data } = await withRetries(
        async (attemptMs) => {
          const options = { fetch: settings.fetch ?? platform.fetch, timeoutMs: attemptMs, maxBytes: maxAnswerBytes, signal };
          const response = await send(request, options);
          if (onResponse) notify(onResponse, metaOf(response, headers));
          try {
            if (response.status < 200 || response.status > 299) throw errorOf(response, now());
            return { response, data: resultOf(response, isRaw(row) ? undefined : row, now()) };
          } catch (error) {
            responses.set(error as PortcullisError, response);
            throw error;
          }
        },
        {
          now,
          random,
          retry: retry || { maxRetries: 0 },
          timeoutMs: perCall.timeoutMs ?? settings.timeoutMs,
          deadlineMs: endMs - now(),
          signal,
          onRetry: (attempt, delayMs, error) =>
            emit({ type: 'retry', operation: operation(), attempt, delayMs, error: plain(error) }),
        },
      );
      const [deprecation = null, sunset = null] = ['deprecation', 'sunset'].map((name) => {
        const value = response.headers.get(name);
        return value && redactor(headers)(value);
      });
      // Each path of a raw request would be remembered.
      if ((deprecation ?? sunset) !== null && !isRaw(row))
        emitOnce({ type: 'deprecation-header', operation: row.name, deprecation, sunset });
      if (settings.onEvent) emitMismatch(row.name, mismatchesOf(row, data));
      return { data, meta: () => metaOf(response, headers) };
    } catch (error) {
      throw isPortcullisError(error) ? plain(error) : error;
    }
  };
}

/** An input that names its organization, or several, keeps them. A guild or a group belongs to one. */
function inputWithSlug({ slugAs }: Operation, input: Input, slug: string | undefined, extra: Input | undefined): Input {
  if (slugAs === null || slug === undefined) return input;
  const given: Input = { ...extra, ...input };
  const { slugs, discordGuildId = slugs, telegramGroupId = discordGuildId } = given;
  const isNamed = given[slugAs] !== undefined || (telegramGroupId as unknown[] | undefined)?.length;
  return isNamed ? input : { ...input, [slugAs]: slug };
}
