import { toHex } from '../../core/bytes.js';
import { isPortcullisError, type PortcullisError, type SignalLike } from '../../core/errors.js';
import { fetchableFrom } from '../../core/http/address.js';
import { following } from '../../core/http/follow.js';
import { isPage } from '../../core/http/html-page.js';
import { type ApiRequest, createApi, unusable } from '../../core/http/http-api.js';
import { requireOk } from '../../core/http/http-status.js';
import { send } from '../../core/http/send.js';
import { Refusal, refusalOf, unavailable } from './relay-answers.js';
import type { RelayRoute, Settings } from './relay-options.js';

export interface Upstream {
  /** Calls the API with the key and reads JSON. */
  call(request: ApiRequest, bytesMax: number): Promise<unknown>;
  /** Fetches a file, without key and cookies, over a few redirects. */
  file(url: string, bytesMax: number): Promise<Uint8Array>;
  /** An artifact may be fetched from there. */
  mayFetch(url: string): boolean;
}

export function createUpstream(settings: Settings, signal: SignalLike): Upstream {
  const { baseUrl, fetch, artifactTimeoutMs, now } = settings;
  const api = createApi(settings);
  const mayFetch = fetchableFrom(baseUrl);
  const followed = following(fetch, mayFetch);
  return {
    mayFetch,
    call: (request, bytesMax) => api(request, { bytesMax, signal }),
    async file(url, bytesMax) {
      const request = { method: 'GET', url, headers: { accept: '*/*' } };
      const answer = await send(request, { fetch: followed, timeoutMs: artifactTimeoutMs, bytesMax, signal });
      requireOk(answer, now());
      if (/^\s*text\/html/i.test(answer.headers.get('content-type') ?? '') || isPage(answer.bytes)) throw unusable('is a page');
      return answer.bytes;
    },
  };
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
