import { fromUtf8 } from '../bytes.js';
import { isPortcullisError, PortcullisError, type SignalLike } from '../errors.js';
import { type ApiKey, keyOf } from './api-key.js';
import { bounded } from './bounded.js';
import type { FetchLike } from './fetch.js';
import { isStatusCode, requireOk } from './http-status.js';
import { keyHeader, minSecretLength, withoutSecrets } from './redact.js';
import { type HttpAnswer, send } from './send.js';

/** A format of answers beside JSON. */
export interface BinaryFormat {
  /** The media type, which `accept` names. */
  readonly type: string;
  /**
   * The bytes of an answer in this format; `undefined` if it is JSON.
   *
   * @param secret Must not be in them.
   * @throws PortcullisError `INVALID_RESPONSE` for any other media type
   */
  read(answer: HttpAnswer, secret: string | undefined): Uint8Array | undefined;
}

export interface ApiOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Sent to `baseUrl` and nowhere else. */
  readonly apiKey?: ApiKey | undefined;
  /** The header of the key, which must end with `api-key`. @default 'x-api-key' */
  readonly keyName?: string | undefined;
  /** The format in which the service may answer instead of JSON. */
  readonly binary?: BinaryFormat | undefined;
  /** Sent with each request, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch: FetchLike;
  /** Longest wait for the response, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest wait for the key. @default `timeoutMs` */
  readonly keyTimeoutMs?: number | undefined;
  readonly now: () => number;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** Appended to `baseUrl`. */
  readonly path: string;
  readonly body?: unknown;
}

export interface CallOptions {
  readonly maxBytes: number;
  readonly signal?: SignalLike | undefined;
  /** Called with a successful response. */
  readonly onAnswer?: ((answer: HttpAnswer) => void) | undefined;
}

/** Calls the API with the key, and reads JSON or returns the bytes of the other format. Errors contain no secret and no text from the service. */
export type Api = (request: ApiRequest, options: CallOptions) => Promise<unknown>;

export function createApi(options: ApiOptions): Api {
  const { baseUrl, apiKey, keyName = keyHeader, binary, headers: more = {}, fetch, now } = options;
  const { timeoutMs, keyTimeoutMs = timeoutMs } = options;
  return async ({ method, path, body }, { maxBytes, signal, onAnswer }) => {
    const key = apiKey === undefined ? undefined : await bounded(keyTimeoutMs, signal, () => keyOf(apiKey));
    const headers: Record<string, string> = {
      accept: binary?.type ?? 'application/json',
      ...more,
      ...(key !== undefined && { [keyName]: key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const request = { method, url: baseUrl + path, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    let answer: HttpAnswer;
    try {
      answer = await send(request, { fetch, timeoutMs, maxBytes, signal });
    } catch (error) {
      throw isPortcullisError(error) ? withoutSecrets(error, headers) : error;
    }
    requireOk(answer, now());
    onAnswer?.(answer);
    const isSecret = key !== undefined && key.length >= minSecretLength;
    const bytes = binary?.read(answer, isSecret ? key : undefined);
    if (bytes !== undefined) return bytes;
    const text = fromUtf8(answer.bytes);
    // The response may be stored or shown, and an address in it requested, so it must not contain the key.
    if (text === null || (isSecret && text.includes(key))) throw unusable('is not UTF-8, or contains the API key');
    let answered: unknown;
    try {
      answered = JSON.parse(text);
    } catch {
      throw unusable('is not JSON');
    }
    // JSON may spell the key with escapes.
    if (isSecret && text.includes('\\') && JSON.stringify(answered).includes(JSON.stringify(key).slice(1, -1))) {
      throw unusable('contains the API key');
    }
    // Some services answer 200 with an error.
    const { code } = Object(Object(answered).error ?? answered);
    if (isStatusCode(code)) throw new PortcullisError(code, `the service answered ${code}`);
    return answered;
  };
}

export function unusable(what: string): PortcullisError {
  return new PortcullisError('INVALID_RESPONSE', `the response ${what}`);
}
