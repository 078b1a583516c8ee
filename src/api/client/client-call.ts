import { type Issue, isPortcullisError, known, PortcullisError, requireObject, type SignalLike } from '../../core/errors.js';
import { keyOf } from '../../core/http/api-key.js';
import { bounded } from '../../core/http/bounded.js';
import { keyHeader, type Redact, redactor, withoutSecrets } from '../../core/http/redact.js';
import { withRetries } from '../../core/http/retry.js';
import { type HttpAnswer, type HttpRequest, send } from '../../core/http/send.js';
import type { Operation } from '../operations/operation.js';
import * as z from '../operations/zod.js';
import { errorOf, resultOf } from './client-answer.js';
import { type ClientEvents, notify } from './client-events.js';
import { issuesOf } from './client-issues.js';
import { type ClientSettings, callKinds, callOptionsOf, rawKinds } from './client-options.js';
import type { Platform } from './client-platform.js';
import { type Input, inputWithSlug, requestOf } from './client-request.js';
import type { CallOptions, RawOptions, ResponseMeta } from './client-types.js';
import { newValueIn } from './essentials.js';
import { isRaw, rawRequestOf } from './raw-request.js';

/** Bytes of one response after decompression: ten times the largest documented page, 10,000 assets. */
const maxAnswerBytes = 32 * 1024 * 1024;

/** What a call found. */
export interface Answered {
  readonly data: unknown;
  readonly meta: () => ResponseMeta;
}

/** The responses that errors are about. */
const responses = new WeakMap<PortcullisError, HttpAnswer>();

export type SendCall = (row: Operation, input: Input, perCall?: CallOptions) => Promise<Answered>;

/**
 * The function that all methods of one client call: checks the input, sends it with retries and reads the response. Errors and events
 * carry no secret.
 */
export function createCall(
  settings: ClientSettings,
  platform: Platform,
  { emit, emitOnce, emitMismatch }: ClientEvents,
): SendCall {
  const { apiKey, now, random } = settings;
  const turns = settings.fetch === undefined ? platform.turns : undefined;

  return async (row, input, given) => {
    // Whether any attempt left. A `fetch` of the caller or of a browser does not tell.
    let sent: boolean | undefined = false;
    const operation = (): string => (isRaw(row) ? redactor(headers)(row.name) : row.name);
    const plain = (error: PortcullisError): PortcullisError => {
      const copy = cleaned(error, headers, operation(), responses.get(error));
      if (row.write && row.method !== 'GET' && isUnanswered(error, sent)) copy.message += sent === false ? notSent : maybeDone;
      return Object.assign(copy, copy.status === undefined && known({ sent }));
    };
    const headers: Record<string, string> = { accept: 'application/json', ...settings.headers };
    if (typeof apiKey === 'string') headers[keyHeader] = apiKey;
    try {
      requireObject(input, 'input');
      const perCall: CallOptions = given === undefined ? noOptions : optionsOf(row, given);
      const {
        signal,
        timeoutMs = settings.timeoutMs,
        deadlineMs = settings.deadlineMs,
        slug = settings.slug,
        extra,
        onResponse,
      } = perCall;
      // A write that is repeated may take effect twice, so its caller decides.
      const retry = perCall.retry ?? (row.repeatSafe && settings.retry);
      Object.assign(headers, perCall.headers);
      const endMs = now() + deadlineMs;
      const leftMs = (): number => Math.max(1, endMs - now());
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
        async () => {
          // The wait for a connection counts toward the deadline only.
          const endTurn = await turns?.take(leftMs(), signal);
          // A request sent now could take effect after the caller has given up.
          if (now() >= endMs) {
            endTurn?.();
            throw new PortcullisError('TIMEOUT', `no time was left of ${deadlineMs} ms`);
          }
          let response: HttpAnswer;
          try {
            const ours = settings.fetch ?? platform.fetchFor(() => (sent = true));
            const fetch: typeof ours = turns
              ? ours
              : (url, init) => {
                  sent ||= undefined;
                  return ours(url, init);
                };
            response = await send(request, { fetch, timeoutMs: Math.min(timeoutMs, leftMs()), maxBytes: maxAnswerBytes, signal });
          } finally {
            endTurn?.();
          }
          sent = true;
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
          deadlineMs: endMs - now(),
          signal,
          onRetry: (attempt, delayMs, error) =>
            emit({ type: 'retry', operation: operation(), attempt, delayMs, error: plain(error) }),
        },
      );
      const notice = (name: string): string | null => {
        const value = response.headers.get(name);
        return value && redactor(headers)(value);
      };
      const [deprecation, sunset] = [notice('deprecation'), notice('sunset')];
      // Each path of a raw request would be remembered.
      if ((deprecation ?? sunset) !== null && !isRaw(row))
        emitOnce({ type: 'deprecation-header', operation: row.name, deprecation, sunset });
      if (settings.onEvent) {
        const value = newValueIn(row, data);
        if (value !== undefined)
          emit({ type: 'unknown-value', operation: row.name, field: row.essential, value: redactor(headers)(value) });
        emitMismatch(row.name, mismatchesOf(row, data));
      }
      return { data, meta: () => metaOf(response, headers) };
    } catch (error) {
      throw isPortcullisError(error) ? plain(error) : error;
    }
  };
}

const notSent = '; nothing was sent';
const maybeDone = '; the service may have acted';

/** Whether the service may have done what it did not confirm. An answer that is too long was not read. */
function isUnanswered({ code }: PortcullisError, sent: boolean | undefined): boolean {
  return code === 'TIMEOUT' || code === 'NETWORK' || code === 'ABORTED' || (code === 'LIMIT_EXCEEDED' && sent !== false);
}

/** Nearly every call has none. */
const noOptions: CallOptions = {};

function optionsOf(row: Operation, given: CallOptions): CallOptions {
  return isRaw(row)
    ? callOptionsOf<Omit<RawOptions, 'body'>>('request', rawKinds(), given)
    : callOptionsOf<CallOptions>(row.name, callKinds(), given);
}

type Headers = Readonly<Record<string, string>>;

/** Levels, and fields or items at each, of what the service says about one asset; a person reads a handful. */
const maxDepth = 4;
const maxWidth = 100;

/** A copy of the error without secrets, with the headers of the response that it is about. */
function cleaned(error: PortcullisError, sent: Headers, operation: string, response?: HttpAnswer): PortcullisError {
  const redact = redactor(sent);
  const { issues, assets } = error;
  const copies = { issues: issues?.map((issue) => copyOf(issue, redact)), assets: assets?.map((asset) => copyOf(asset, redact)) };
  return Object.assign(withoutSecrets(error, sent, operation), known(copies), response && metaOf(response, sent));
}

/** Deeper values are left out. */
function copyOf(value: unknown, redact: Redact, depth = maxDepth): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return undefined;
  const fields = Object.entries(value).slice(0, maxWidth);
  const copies = fields.map(([name, field]) => [redact(name), copyOf(field, redact, depth - 1)] as const);
  return Array.isArray(value) ? copies.map(([, copy]) => copy) : Object.fromEntries(copies);
}

/** The status and headers of a response, without cookies, which are secrets of the service. */
function metaOf({ status, headers: received }: HttpAnswer, sent: Headers): ResponseMeta {
  const redact = redactor(sent);
  const headers: Record<string, string> = {};
  received.forEach?.((value, name) => {
    if (name !== 'set-cookie') headers[redact(name)] = redact(value);
  });
  return known({ status, headers, requestId: headers['x-request-id'] });
}

/** Items checked of each list: enough to notice another shape, at little cost. */
const maxItems = 20;

/** How a sample of a response differs from the documentation. Only reported: it never makes a call fail. */
function mismatchesOf({ output }: Operation, value: unknown): Issue[] {
  try {
    const sample = JSON.stringify(value, (_, item) => (Array.isArray(item) ? item.slice(0, maxItems) : item));
    return issuesOf(z.check(output, JSON.parse(sample)));
  } catch {
    return [];
  }
}
