import { admittedBy, afterAnswer, afterFailure, noPause, pausedUntilMs } from '../../blocklist/rules/pause.js';
import { toHex } from '../../core/bytes.js';
import { isPortcullisError, type SignalLike } from '../../core/errors.js';
import { fetchableFrom } from '../../core/http/address.js';
import { following } from '../../core/http/follow.js';
import { isPage } from '../../core/http/html-page.js';
import { type ApiRequest, createApi, unusable } from '../../core/http/http-api.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { requireOk } from '../../core/http/http-status.js';
import { send } from '../../core/http/send.js';
import { refusalOf, unavailable } from './relay-answers.js';
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

/**
 * @param limitMs After which time work counts as lost: some workers end the work of a request with it.
 */
export function createGate(route: RelayRoute, { now, emit }: Settings, limitMs: number): Gate {
  let pause = noPause;
  /** When each pending work began. */
  const running = new Map<symbol, number>();
  return {
    async run(work) {
      const startedMs = now();
      const pending = [...running.values()].filter((sinceMs) => Math.abs(startedMs - sinceMs) < limitMs).length;
      if (admittedBy(pause, pending, startedMs) === 'none')
        throw unavailable(Math.max(minRetryMs, pausedUntilMs(pause, startedMs) - startedMs));
      const { failures } = pause;
      const own = Symbol();
      running.set(own, startedMs);
      try {
        const value = await work();
        pause = afterAnswer(pause, failures);
        return value;
      } catch (error) {
        if (error instanceof HttpRefusal || !isPortcullisError(error) || error.code === 'ABORTED') throw error;
        const before = pause;
        pause = afterFailure(before, failures, error, now());
        const pauseMs = pause.untilMs - now();
        const { code, status } = error;
        // Concurrent failures count as one.
        const isFirst = pause.failures > before.failures;
        if (isFirst) emit({ type: 'upstream-error', route, code, ...(status !== undefined && { status }), pauseMs });
        throw refusalOf(error, pauseMs) ?? error;
      } finally {
        running.delete(own);
      }
    },
  };
}

/** While another request shows whether the service is back. */
const minRetryMs = 1_000;

export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource)));
}
