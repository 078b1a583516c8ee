import { healthResponse, readOnly } from '../http/monitoring.js';
import { counter, gauge, type Metric, openMetrics } from '../http/open-metrics.js';
import type { RelayEvent } from './relay-options.js';
import { monitorOf, type RelayRoute, targetOf } from './relay-routes.js';
import type { Versions } from './relay-versions.js';

export interface RelayMemory {
  readonly artifacts: number;
  readonly artifactBytes: number;
  readonly confirmations: number;
  readonly clients: number;
}

/** Answers questions about the relay itself, and counts for them. */
export interface RelayMonitor {
  /** `null` for a request of another path. */
  answer(request: Request): Promise<Response> | null;
  count(request: Request, response: Response): void;
  /** Counts a failure of the service. */
  onEvent(event: RelayEvent): void;
}

export function createMonitor(
  versions: Pick<Versions, 'current'>,
  memory: () => RelayMemory,
  now: () => number,
  more: () => readonly Metric[],
): RelayMonitor {
  /** By route and status: both come from this package, so that a client cannot add series. */
  const responses = new Map<string, { readonly labels: { readonly route: string; readonly status: string }; count: number }>();
  const failures: Record<RelayRoute, number> = { version: 0, artifact: 0, confirm: 0 };
  let fetchedMs: number | null = null;

  /** Asks for a version if the last one is too old: an instance without clients would otherwise never be ready. */
  async function health(): Promise<Response> {
    try {
      const version = await versions.current();
      fetchedMs = version.fetchedMs;
      return healthResponse({ isReady: true, status: 'ready', ...{ ageSeconds: ageSeconds(fetchedMs) } });
    } catch {
      return healthResponse({ isReady: false, status: 'no-list' });
    }
  }

  const ageSeconds = (sinceMs: number): number => Math.max(0, Math.floor((now() - sinceMs) / 1000));

  function metrics(): Response {
    const { artifacts, artifactBytes, confirmations, clients } = memory();
    const byRoute = [...responses.values()].map(({ labels, count }) => [labels, count] as const);
    const failed = Object.entries(failures).map(([route, count]) => [{ route }, count] as const);
    const age = 'Age of the version that health last saw.';
    return openMetrics([
      counter('relay_responses', 'Responses to clients by route and status.', byRoute),
      counter('relay_upstream_failures', 'Failed requests to the service, and answers that cannot be used.', failed),
      ...(fetchedMs === null ? [] : [gauge('relay_version_age_seconds', age, ageSeconds(fetchedMs), 'seconds')]),
      gauge('relay_artifacts', 'Files in memory.', artifacts),
      gauge('relay_artifact_memory_bytes', 'Memory of these files.', artifactBytes, 'bytes'),
      gauge('relay_confirmations_cached', 'Prefixes with a remembered answer.', confirmations),
      gauge('relay_clients', 'Clients with a remembered rate.', clients),
      ...more(),
    ]);
  }

  return {
    answer(request) {
      const page = monitorOf(request.url);
      return page === null ? null : readOnly(request, page === 'healthz' ? health : metrics);
    },
    count(request, { status }) {
      const labels = { route: targetOf(request.url)?.route ?? 'other', status: String(status) };
      const key = `${labels.route} ${labels.status}`;
      const known = responses.get(key) ?? { labels, count: 0 };
      known.count++;
      responses.set(key, known);
    },
    onEvent(event) {
      if (event.type === 'upstream-error') failures[event.route]++;
    },
  };
}
