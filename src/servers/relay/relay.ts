import { type Confirmed, writeConfirm } from '../../blocklist/formats/confirm-answer.js';
import { utf8 } from '../../core/bytes.js';
import { createEnd } from '../../core/http/end-signal.js';
import { HttpRefusal, noSuchPath, wrongMethod } from '../../core/http/http-refusal.js';
import { questionOf } from './confirm-question.js';
import {
  type Content,
  contentAnswer,
  headersFor,
  preflightAnswer,
  refusalAnswer,
  refusalOf,
  unavailable,
} from './relay-answers.js';
import { createArtifacts } from './relay-artifacts.js';
import { createCalibration } from './relay-calibration.js';
import { createConfirmations } from './relay-confirmations.js';
import { createFlights } from './relay-flights.js';
import { createMonitor, type RelayMemory } from './relay-monitor.js';
import { type RelayContext, type RelayEvent, type RelayOptions, relaySettingsOf } from './relay-options.js';
import { clientOf, createRates, unidentified } from './relay-rates.js';
import { isGateway, methods, type Target, targetOf } from './relay-routes.js';
import { createVersions, graceMs } from './relay-versions.js';
import { createGate, createUpstream } from './upstream.js';

/** A relay that accepts requests. */
export interface Relay {
  /** Answers a request; never rejects. Can be called without `this`. */
  fetch(request: Request, context?: RelayContext): Promise<Response>;
  /** Aborts pending work and clears all caches; later requests get 503. */
  close(): Promise<void>;
}

/**
 * Prefixes of a confirmation that count as one request: the hits of one page. Without this, few questions could read out the list.
 */
const prefixesPerCost = 10;

/** `Retry-After` of a closed relay, until clients reach another instance, in milliseconds. */
const closedRetryMs = 5_000;

/**
 * Serves a list to clients without a key: its version document, artifacts and confirmations, and nothing else.
 *
 * ```
 *  client ──►  routes ──►  rates ──►  versions       one request to the service per minute; the last good response while it fails
 *  no key      404, 405    429        artifacts      only files that a version response names, verified, in memory
 *                                     confirmations  cached prefixes from memory, the others in shared requests
 *                                         │
 *                                     upstream       the only file that uses the key
 *
 *  with `ohttp`, a relay of another party ──►  POST /ohttp  opened by the gateway, then the same from `routes` on; each confirmation is
 *                                                           a request of its own to the service
 * ```
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function createRelay(options: RelayOptions): Relay {
  const given = relaySettingsOf(options);
  const emit = (event: RelayEvent): void => {
    monitor.onEvent(event);
    given.emit(event);
  };
  const settings = { ...given, emit };
  const { timeoutMs, artifactTimeoutMs, maxPrefixes, now } = settings;
  const { signal, abort } = createEnd();
  const underWay = new Set<Promise<unknown>>();
  const upstream = createUpstream(settings, signal);
  const rates = createRates(settings);
  const flightMs = timeoutMs + graceMs;
  const gate = createGate('version', settings, flightMs);
  const versions = createVersions(settings, upstream, gate, createFlights(flightMs, now, underWay), onFresh, (snapshot) =>
    settings.calibrate ? scoreOf(snapshot) : undefined,
  );
  const artifacts = createArtifacts(settings, upstream, versions, createFlights(artifactTimeoutMs + graceMs, now, underWay));
  const scoreOf = createCalibration(
    settings,
    artifacts,
    createFlights(artifactTimeoutMs + graceMs, now, underWay),
    () => void versions.renew(),
  );
  const confirmations = createConfirmations(settings, upstream, versions, rates, signal, underWay);

  const memory = (): RelayMemory => ({
    artifacts: artifacts.count,
    artifactBytes: artifacts.bytes,
    confirmations: confirmations.count,
    clients: rates.clients,
  });
  const monitor = createMonitor(versions, memory, now, () => settings.ohttp?.metrics() ?? []);

  function onFresh(): void {
    artifacts.prune(versions.ids());
    emit({ type: 'memory', ...memory() });
  }

  function charge(client: string, cost: number, paid?: number): void {
    const waitMs = rates.client(client, cost, paid);
    if (waitMs > 0) throw new HttpRefusal(429, 'TOO_MANY_REQUESTS', 'too many requests', { retryAfterMs: waitMs });
  }

  async function contentOf({ route, id }: Target, request: Request, client: string, isSealed: boolean): Promise<Content> {
    charge(client, 1);
    if (route === 'version') return versions.contentOf(await versions.current());
    if (route === 'artifact') return artifacts.content(id);
    const question = await questionOf(request, maxPrefixes);
    charge(client, Math.ceil(question.prefixes.length / prefixesPerCost), 1);
    return answerOf(await confirmations.confirm(question, isSealed));
  }

  async function answer(request: Request, client: string, isSealed: boolean): Promise<Response> {
    const headers = headersFor(request, settings.origins);
    try {
      if (signal.aborted) throw unavailable(closedRetryMs);
      const target = targetOf(request.url);
      if (target === null) throw noSuchPath();
      const { route } = target;
      if (request.method === 'OPTIONS') return preflightAnswer(route, headers);
      if (!methods[route].includes(request.method)) throw wrongMethod(...methods[route], 'OPTIONS');
      const content = await contentOf(target, request, client, isSealed);
      return contentAnswer(request, content, headers);
    } catch (error) {
      const refusal = refusalOf(error);
      // Reports only the name of the error, because the message may contain a prefix.
      if (refusal === null) emit({ type: 'internal-error', name: error instanceof Error ? error.name : typeof error });
      return refusalAnswer(request, refusal ?? new HttpRefusal(500, 'INTERNAL_SERVER_ERROR', 'the relay failed'), headers);
    }
  }

  async function responseTo(request: Request, context: RelayContext): Promise<Response> {
    const monitored = signal.aborted ? null : monitor.answer(request);
    if (monitored !== null) return monitored;
    const client = clientOf(request, context, settings);
    const { ohttp } = settings;
    if (ohttp === undefined || !isGateway(request.url)) return counted(request, client);
    // What was opened is never asked who sent it: a client could name another one.
    return ohttp.answer(request, (opened) => counted(opened, unidentified, true), client);
  }

  async function counted(request: Request, client: string, isSealed = false): Promise<Response> {
    const response = await answer(request, client, isSealed);
    monitor.count(request, response);
    return response;
  }

  return {
    fetch(request, context) {
      const given = context ?? {};
      const work = responseTo(request, given);
      const all = work.then(() => Promise.allSettled(underWay));
      try {
        // Some platforms pass other objects as the second argument.
        if (typeof given.waitUntil === 'function') given.waitUntil(all);
      } catch {
        // It may throw, for example because its request has ended; the client must get its response regardless.
      }
      return work;
    },
    async close() {
      abort();
      await Promise.allSettled(underWay);
      artifacts.clear();
      confirmations.clear();
    },
  };
}

function answerOf(confirmed: Confirmed): Content {
  return {
    bytes: utf8(JSON.stringify(writeConfirm(confirmed))),
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  };
}
