import { fromUtf8 } from '../bytes.js';
import { isPortcullisError, PortcullisError, type SignalLike } from '../errors.js';
import { type ApiKey, keyOf } from './api-key.js';
import { bounded } from './bounded.js';
import type { FetchLike } from './fetch.js';
import { requireOk } from './http-status.js';
import { keyHeader, plainCause, redactor } from './redact.js';
import { type HttpAnswer, send } from './send.js';

export interface ApiOptions {
  /** Without the slash at its end. */
  readonly baseUrl: string;
  /** Goes to `baseUrl` and nowhere else. */
  readonly apiKey?: ApiKey | undefined;
  /** Sent beside our own, names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch: FetchLike;
  /** Longest wait for the key, and for the answer, in milliseconds each. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** Below `baseUrl`. */
  readonly path: string;
  readonly body?: unknown;
}

export interface CallOptions {
  readonly bytesMax: number;
  readonly signal?: SignalLike | undefined;
  /** Told how long a good answer was. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/** Calls the API with the key and reads JSON. Nothing the service says in its errors goes on, and no error has a secret in it. */
export type Api = (request: ApiRequest, options: CallOptions) => Promise<unknown>;

/** Keys shorter than this are no secrets, and would be found in every other token. */
const secretLengthMin = 8;

export function createApi({ baseUrl, apiKey, headers: more = {}, fetch, timeoutMs, now }: ApiOptions): Api {
  return async ({ method, path, body }, { bytesMax, signal, onBytes }) => {
    const key = apiKey === undefined ? undefined : await bounded(timeoutMs, signal, () => keyOf(apiKey));
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...more,
      ...(key !== undefined && { [keyHeader]: key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const request = { method, url: baseUrl + path, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    let answer: HttpAnswer;
    try {
      answer = await send(request, { fetch, timeoutMs, bytesMax, signal });
    } catch (error) {
      throw withoutSecrets(error, headers);
    }
    requireOk(answer, now());
    onBytes?.(answer.bytes.length);
    const text = fromUtf8(answer.bytes);
    const isSecret = key !== undefined && key.length >= secretLengthMin;
    // A service that repeats what it was sent must not make us repeat it, in an address for example.
    if (text === null || (isSecret && text.includes(key))) throw unusable('is no text, or repeats the key');
    let answered: unknown;
    try {
      answered = JSON.parse(text);
    } catch {
      throw unusable('is no JSON');
    }
    // It may have been written with escapes.
    if (isSecret && text.includes('\\') && JSON.stringify(answered).includes(JSON.stringify(key).slice(1, -1))) {
      throw unusable('repeats the key');
    }
    return answered;
  };
}

/** A platform's error may hold the whole request. What the caller's signal gave is the caller's. */
function withoutSecrets(error: unknown, headers: Readonly<Record<string, string>>): unknown {
  if (!isPortcullisError(error) || error.code === 'ABORTED') return error;
  const redact = redactor(headers);
  const { code, status, cause } = error;
  return new PortcullisError(code, redact(error.message), {
    ...(status !== undefined && { status }),
    ...(cause !== undefined && { cause: plainCause(cause, redact) }),
  });
}

export function unusable(what: string): PortcullisError {
  return new PortcullisError('INVALID_RESPONSE', `the answer ${what}`);
}
