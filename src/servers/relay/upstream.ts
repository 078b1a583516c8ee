import { createWatch } from '../../blocklist/ask/source-watch.js';
import { type Pause, pauseLeftMs } from '../../blocklist/rules/pause.js';
import { toHex } from '../../core/bytes.js';
import { isPortcullisError, known, type PortcullisError, type SignalLike } from '../../core/errors.js';
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

/** Runs `work`, or rejects at once while the gate is closed. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Pauses requests to the service after it failed, and reports the failure.
 *
 * @param limitMs After which time work counts as lost: some workers end the work of a request with it.
 */
export function createGate(route: RelayRoute, settings: Settings, limitMs: number): Gate {
  const { now } = settings;
  const isOurs = (error: unknown): boolean =>
    error instanceof HttpRefusal || !isPortcullisError(error) || error.code === 'ABORTED';
  const watch = createWatch(now, (error) => (isOurs(error) ? 'nothing' : 'failure'), limitMs);
  const report = createReporter(route, settings);
  return async (work) => {
    if (watch.admits() === 'none') throw unavailable(Math.max(minRetryMs, pauseLeftMs(watch.pause, now())));
    try {
      const value = await watch.run(work);
      report(watch.pause);
      return value;
    } catch (error) {
      if (isOurs(error)) throw error;
      throw refusalOf(error, report(watch.pause, error as PortcullisError)) ?? error;
    }
  };
}

/**
 * Reports each failure of the service once: concurrent ones count as one, and rejected questions are none.
 *
 * @returns a function that returns the time that is left of the pause
 */
export function createReporter(
  route: RelayRoute,
  { now, emit }: Settings,
): (pause: Pause, error?: PortcullisError, isRejected?: boolean) => number {
  let reported = 0;
  return (pause, error, isRejected = false) => {
    const isNew = error !== undefined && (isRejected || pause.failures > reported);
    reported = pause.failures;
    const pauseMs = isRejected ? 0 : pauseLeftMs(pause, now());
    if (isNew) emit({ type: 'upstream-error', route, code: error.code, ...known({ status: error.status }), pauseMs });
    return pauseMs;
  };
}

/** While another request shows whether the service is back. */
const minRetryMs = 1_000;

export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource)));
}
