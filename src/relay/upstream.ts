import { fromUtf8, toHex } from '../bytes.js';
import { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
import type { FetchLike, SignalLike } from '../http/fetch.js';
import { retryAfterMs } from '../http/retry.js';
import { type HttpAnswer, send } from '../http/send.js';
import { Refusal, refusalOf, unavailable } from './answers.js';
import { within } from './flights.js';
import { isLoopback, keyOf, type RelayRoute, type Settings } from './options.js';

export interface Upstream {
  /** Calls the API with the key and reads JSON. */
  call(request: { method: string; path: string; body?: string }, bytesMax: number): Promise<unknown>;
  /** Fetches a file, without key and cookies, over at most `hopsMax` redirects. */
  file(url: string, bytesMax: number): Promise<Uint8Array>;
  /** An artifact may be fetched from there. */
  mayFetch(url: string): boolean;
}

/** Redirects of an artifact's address: to a mirror and its storage, and one to spare. */
const hopsMax = 3;

/** Keys shorter than this are no secrets, and would be found in every other token. */
const secretLengthMin = 8;

export function createUpstream(settings: Settings, signal: SignalLike): Upstream {
  const { baseUrl, apiKey, fetch, timeoutMs, artifactTimeoutMs, now } = settings;
  const base = new URL(baseUrl);

  /** `http:` only where the key goes as well, or on this machine if the API is there too: an address from afar must not reach into it. */
  function mayFetch(url: string): boolean {
    let target: URL;
    try {
      target = new URL(url);
    } catch {
      return false;
    }
    if (target.username !== '' || target.password !== '') return false;
    if (target.protocol === 'https:') return !isLoopback(target.host) || isLoopback(base.host);
    return target.protocol === 'http:' && (target.origin === base.origin || (isLoopback(target.host) && isLoopback(base.host)));
  }

  const followed: FetchLike = async (first, init) => {
    for (let hop = 0, url = first; ; hop++) {
      const response = await fetch(url, init);
      const { status } = response;
      const location = status >= 300 && status < 400 ? response.headers.get('location') : null;
      // What is a redirect still, is refused by `send`.
      if (location === null) return response;
      response.body
        ?.getReader()
        .cancel()
        .catch(() => {});
      const target = resolved(location, url);
      if (hop === hopsMax || !mayFetch(target)) {
        throw new PortcullisError('REDIRECTED', 'an artifact is where it is not fetched from', { status });
      }
      url = target;
    }
  };

  return {
    mayFetch,
    async call({ method, path, body }, bytesMax) {
      const key = await within(keyOf(apiKey), timeoutMs);
      const headers = {
        accept: 'application/json',
        'x-api-key': key,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const answer = await send({ method, url: baseUrl + path, headers, body }, { fetch, timeoutMs, bytesMax, signal });
      const text = fromUtf8(checked(answer, now()).bytes);
      // A service that repeats what it was sent must not make us repeat it.
      if (text === null || (key.length >= secretLengthMin && text.includes(key)))
        throw unusable('is no text, or repeats the key');
      try {
        return JSON.parse(text);
      } catch {
        throw unusable('is no JSON');
      }
    },
    async file(url, bytesMax) {
      const request = { method: 'GET', url, headers: { accept: '*/*' } };
      const answer = await send(request, { fetch: followed, timeoutMs: artifactTimeoutMs, bytesMax, signal });
      const { headers, bytes } = checked(answer, now());
      if (/^\s*text\/html/i.test(headers.get('content-type') ?? '') || isPage(bytes)) throw unusable('is a page');
      return bytes;
    },
  };
}

function resolved(location: string, from: string): string {
  try {
    return new URL(location, from).href;
  } catch {
    return '';
  }
}

/** A login's or a gateway's page, also where it says it is something else. As raw prefixes these bytes come once in 2^32 lists. */
function isPage(bytes: Uint8Array): boolean {
  return /^\s*<(!doctype|html|head|body|\?xml)/i.test(String.fromCharCode(...bytes.subarray(0, 64)));
}

const codes: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
};

function checked(answer: HttpAnswer, nowMs: number): HttpAnswer {
  const { status, headers } = answer;
  if (status === 200) return answer;
  const code = codes[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'UNEXPECTED_STATUS');
  const waitMs = retryAfterMs(headers.get('retry-after'), nowMs);
  throw new PortcullisError(code, `the service answered ${status}`, {
    status,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

export function unusable(what: string): PortcullisError {
  return new PortcullisError('INVALID_RESPONSE', `the answer ${what}`);
}

/** Leaves the service alone for a while after it failed, and tells the operator. */
export interface Gate {
  /** Does the work, or refuses while the gate is closed. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** After the first failure, doubled for each further one: a thousand clients make one request a pause. */
const pauseMsFirst = 1_000;
const pauseMsMax = 60_000;

/** Longest pause the service may ask for: more would keep clients without a list although it came back. */
const askedPauseMsMax = 600_000;

/** @param isNone Errors that are no failure of the service. */
export function createGate(
  route: RelayRoute,
  { now, emit }: Settings,
  isNone: (error: PortcullisError) => boolean = () => false,
): Gate {
  let failures = 0;
  let closedUntilMs = 0;
  return {
    async run(work) {
      const nowMs = now();
      // A clock that was set back must not close the gate for long.
      if (nowMs < closedUntilMs && closedUntilMs - nowMs <= askedPauseMsMax) throw unavailable(closedUntilMs - nowMs);
      const failuresBefore = failures;
      try {
        const value = await work();
        failures = 0;
        return value;
      } catch (error) {
        if (error instanceof Refusal || !isPortcullisError(error) || error.code === 'ABORTED' || isNone(error)) throw error;
        const { code, status, retryAfterMs: askedMs = 0 } = error;
        // What failed at the same time is one failure.
        const isFirst = failures === failuresBefore;
        if (isFirst) failures++;
        const pauseMs = Math.max(Math.min(pauseMsFirst * 2 ** (failures - 1), pauseMsMax), Math.min(askedMs, askedPauseMsMax));
        closedUntilMs = now() + pauseMs;
        if (isFirst) emit({ type: 'upstream-error', route, code, ...(status !== undefined && { status }), pauseMs });
        throw refusalOf(error, pauseMs) ?? error;
      }
    },
  };
}

export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource)));
}
