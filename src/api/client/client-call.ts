import { isPortcullisError, requireObject } from '../../core/errors.js';
import { keyOf } from '../../core/http/api-key.js';
import { bounded } from '../../core/http/bounded.js';
import { checkedHeaders } from '../../core/http/checked-headers.js';
import { keyHeader, redactor } from '../../core/http/redact.js';
import { withRetries } from '../../core/http/retry.js';
import { type HttpAnswer, send } from '../../core/http/send.js';
import type { Operation } from '../operations/operation.js';
import { errorOf, resultOf } from './client-answer.js';
import { cleaned, metaOf } from './client-error.js';
import type { ClientEvents } from './client-events.js';
import { type ClientSettings, checkOptionValues } from './client-options.js';
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

export type Call = (row: Operation, input: Input, perCall: CallOptions) => Promise<Answered>;

/**
 * The function that all methods of one client call: checks the input, sends it with retries and reads the response. Errors and events
 * carry no secret.
 */
export function createCall(settings: ClientSettings, platform: Platform, { emit, emitOnce, emitMismatch }: ClientEvents): Call {
  const { apiKey, now, random } = settings;

  return async (row, input, perCall) => {
    const operation = (): string => (isRaw(row) ? redactor(headers)(row.name) : row.name);
    let last: HttpAnswer | undefined;
    const headers: Record<string, string> = { accept: 'application/json', ...settings.headers };
    if (typeof apiKey === 'string') headers[keyHeader] = apiKey;
    const { signal, deadlineMs = settings.deadlineMs, slug = settings.slug, onResponse } = perCall;
    // A write that is repeated may take effect twice, so its caller decides.
    const retry = perCall.retry ?? (row.repeatSafe && settings.retry);
    try {
      checkCall(input, perCall);
      Object.assign(headers, checkedHeaders(perCall.headers));
      const endMs = now() + deadlineMs;
      // Reading a file and asking for the key count toward the deadline too.
      const request = await bounded(deadlineMs, signal, async (ended) => {
        const made = isRaw(row)
          ? rawRequestOf(row, settings.baseUrl, input)
          : await requestOf(row, settings, inputWithSlug(row, input, slug), perCall.extra, platform, ended);
        if (typeof apiKey === 'function') headers[keyHeader] = await keyOf(apiKey, true);
        return { ...made, headers: { ...headers, ...made.headers } };
      });
      if (row.deprecated) emitOnce({ type: 'deprecated', operation: row.name, replacement: row.replacement });
      const answer = await withRetries(
        async (attemptMs) => {
          const options = { fetch: settings.fetch ?? platform.fetch, timeoutMs: attemptMs, maxBytes: maxAnswerBytes, signal };
          last = undefined;
          const found = await send(request, options);
          last = found;
          onResponse?.(metaOf(found, headers));
          if (found.status < 200 || found.status > 299) throw errorOf(found, now());
          return found;
        },
        {
          now,
          random,
          retry: retry || { maxRetries: 0 },
          timeoutMs: perCall.timeoutMs ?? settings.timeoutMs,
          deadlineMs: endMs - now(),
          signal,
          onRetry: (attempt, delayMs, error) =>
            emit({ type: 'retry', operation: operation(), attempt, delayMs, error: cleaned(error, headers, operation(), last) }),
        },
      );
      const [deprecation = null, sunset = null] = ['deprecation', 'sunset'].map((name) => {
        const value = answer.headers.get(name);
        return value && redactor(headers)(value);
      });
      // Each path of a raw request would be remembered.
      if ((deprecation ?? sunset) !== null && !isRaw(row))
        emitOnce({ type: 'deprecation-header', operation: row.name, deprecation, sunset });
      const data = resultOf(answer, isRaw(row) ? undefined : row, now());
      if (settings.onEvent) emitMismatch(row.name, mismatchesOf(row, data));
      return { data, meta: () => metaOf(answer, headers) };
    } catch (error) {
      if (!isPortcullisError(error)) throw error;
      throw cleaned(error, headers, operation(), last);
    }
  };
}

function checkCall(input: unknown, perCall: CallOptions): void {
  requireObject(input, 'input');
  if (perCall.signal && !perCall.signal.addEventListener) throw new TypeError('signal must be an AbortSignal');
  checkOptionValues(perCall);
}

/** An input that names its organization, or several, keeps them. A guild or a group belongs to one. */
function inputWithSlug({ slugAs }: Operation, input: Input, slug: string | undefined): Input {
  const { slugs, discordGuildId = slugs, telegramGroupId = discordGuildId } = input;
  const isNamed = slugAs !== null && (input[slugAs] !== undefined || (telegramGroupId as unknown[] | undefined)?.length);
  return slugAs === null || slug === undefined || isNamed ? input : { ...input, [slugAs]: slug };
}
