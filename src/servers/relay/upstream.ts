import { toHex } from '../../core/bytes.js';
import { isPortcullisError, type PortcullisError, type SignalLike } from '../../core/errors.js';
import { fetchableFrom } from '../../core/http/address.js';
import { following } from '../../core/http/follow.js';
import { isPage } from '../../core/http/html-page.js';
import { type ApiRequest, createApi, unusable } from '../../core/http/http-api.js';
import { requireOk } from '../../core/http/http-status.js';
import { send } from '../../core/http/send.js';
import { RelayRefusal, refusalOf, unavailable } from './relay-answers.js';
import type { Settings } from './relay-options.js';
import type { RelayRoute } from './relay-routes.js';

export interface Upstream {
  /** Calls the API with the key and parses the JSON response. */
  call(request: ApiRequest, maxBytes: number): Promise<unknown>;
  /** Downloads a file without key and cookies, following a few redirects. */
  file(url: string, maxBytes: number): Promise<Uint8Array>;
  /** Whether an artifact may be downloaded from this URL. */
  mayFetch(url: string): boolean;
}

export function createUpstream(settings: Settings, signal: SignalLike): Upstream {
  const { baseUrl, fetch, artifactTimeoutMs, now } = settings;
  const api = createApi(settings);
  const mayFetch = fetchableFrom(baseUrl);
  const followed = following(fetch, mayFetch);
  return {
    mayFetch,
    call: (request, maxBytes) => api(request, { maxBytes, signal }),
    async file(url, maxBytes) {
      const request = { method: 'GET', url, headers: { accept: '*/*' } };
      const answer = await send(request, { fetch: followed, timeoutMs: artifactTimeoutMs, maxBytes, signal });
      requireOk(answer, now());
      const type = answer.headers.get('content-type') ?? '';
      if (/^\s*text\/html/i.test(type) || isPage(answer.bytes)) throw unusable('is an HTML page');
      return answer.bytes;
    },
  };
}

/** Pauses requests to the service after it failed, and reports the failure. */
export interface Gate {
  /** Runs `work`, or rejects at once while the gate is closed. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Pause after the first failure, doubled after each further one, so that a thousand clients cause one request per pause. */
const minPauseMs = 1_000;
const maxPauseMs = 60_000;

/** Longest pause the service may request: a longer one would leave clients without a list after the service has recovered. */
const maxRequestedPauseMs = 600_000;

/** @param isExpected Errors that do not mean the service has failed. */
export function createGate(
  route: RelayRoute,
  { now, emit }: Settings,
  isExpected: (error: PortcullisError) => boolean = () => false,
): Gate {
  let failures = 0;
  let closedUntilMs = 0;
  return {
    async run(work) {
      const nowMs = now();
      // Ignores a wait that only a clock set back can produce.
      if (nowMs < closedUntilMs && closedUntilMs - nowMs <= maxRequestedPauseMs) throw unavailable(closedUntilMs - nowMs);
      const failuresBefore = failures;
      try {
        const value = await work();
        failures = 0;
        return value;
      } catch (error) {
        if (error instanceof RelayRefusal || !isPortcullisError(error) || error.code === 'ABORTED' || isExpected(error))
          throw error;
        const { code, status, retryAfterMs: requestedMs = 0 } = error;
        // Concurrent failures count as one.
        const isFirst = failures === failuresBefore;
        if (isFirst) failures++;
        const backoffMs = Math.min(minPauseMs * 2 ** (failures - 1), maxPauseMs);
        const pauseMs = Math.max(backoffMs, Math.min(requestedMs, maxRequestedPauseMs));
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
