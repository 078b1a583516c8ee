import { internalsOf } from '../../blocklist/engine/internals.js';
import type { Blocklist } from '../../blocklist/model/blocklist-interface.js';
import type { SourceStatus } from '../../blocklist/model/blocklist-status.js';
import type { VerdictStatus } from '../../blocklist/model/verdict.js';
import type { FetchHandler } from '../http/fetch-handler.js';
import { readOnly } from '../http/monitoring.js';
import { type Metric, openMetrics } from '../http/open-metrics.js';

/** Every verdict has its series from the start, so that a rate can be computed from its first increase. */
const statuses: readonly VerdictStatus[] = ['blocked', 'allowed', 'clear', 'unconfirmed', 'unknown', 'not-listable'];

/** What has been counted of one source. */
interface Counts {
  failedRounds: number;
  answered: number;
  failed: number;
  prefixes: number;
}

/**
 * Answers with the blocklist's figures in the OpenMetrics text format, which Prometheus reads. Counts from this call on. Labels are the
 * verdicts and the ids of your sources; no label and no value says what was checked.
 *
 * @throws TypeError if it is not a blocklist made by `createBlocklist` or `createCoreBlocklist`
 */
export function blocklistMetrics(blocklist: Blocklist): FetchHandler {
  const verdicts = countVerdicts(blocklist);
  const counts = new Map<string, Counts>();
  const countsOf = (source: string): Counts => {
    const known = counts.get(source) ?? { failedRounds: 0, answered: 0, failed: 0, prefixes: 0 };
    counts.set(source, known);
    return known;
  };
  blocklist.on('error', ({ source, where }) => {
    if (where === 'sync' && source !== undefined) countsOf(source).failedRounds++;
  });
  blocklist.on('confirm', ({ source, prefixes, error }) => {
    const own = countsOf(source);
    own.prefixes += prefixes;
    if (error === undefined) own.answered++;
    else own.failed++;
  });
  const answer = (): Response => {
    const { isSound, overrides, sources } = blocklist.status();
    const perSource = sources.map((status) => ({ labels: { source: status.source }, status, counted: countsOf(status.source) }));
    const gauge = (name: string, help: string, read: (status: SourceStatus) => number, unit?: Metric['unit']): Metric => ({
      name: `portcullis_${name}`,
      type: 'gauge',
      unit,
      help,
      samples: perSource.map(({ labels, status }) => [labels, read(status)]),
    });
    return openMetrics([
      {
        name: 'portcullis_checks',
        type: 'counter',
        help: 'Checked inputs by verdict.',
        samples: statuses.map((status) => [{ verdict: status }, verdicts.get(status) ?? 0]),
      },
      {
        name: 'portcullis_sound',
        type: 'gauge',
        help: '1 if this engine passed the self-test.',
        samples: [[{}, Number(isSound)]],
      },
      { name: 'portcullis_overrides', type: 'gauge', help: 'Own overrides.', samples: [[{}, overrides]] },
      gauge('list_loaded', '1 if there is a list.', ({ list }) => Number(list !== null)),
      gauge('list_stale', '1 if the list is too old for a miss to mean clear.', ({ list }) => Number(list?.isStale ?? false)),
      gauge('list_entries', 'Entries of the list.', ({ list }) => (list === null ? 0 : list.count + list.recentCount)),
      gauge('list_memory_bytes', 'Memory of the list.', ({ list }) => list?.byteLength ?? 0, 'bytes'),
      {
        name: 'portcullis_list_age_seconds',
        type: 'gauge',
        unit: 'seconds',
        help: 'Time since the source last confirmed the list.',
        // No age without a list: 0 would look fresh.
        samples: perSource.flatMap(({ labels, status: { list } }) =>
          list === null ? [] : [[labels, list.ageMs / 1000] as const],
        ),
      },
      gauge('sync_consecutive_failures', 'Failed rounds since the last one that succeeded.', ({ failures }) => failures),
      {
        name: 'portcullis_sync_failed_rounds',
        type: 'counter',
        help: 'Failed rounds.',
        samples: perSource.map(({ labels, counted }) => [labels, counted.failedRounds]),
      },
      {
        name: 'portcullis_confirmations',
        type: 'counter',
        help: 'Requests that confirm hits, by outcome.',
        samples: perSource.flatMap(({ labels, counted }) => [
          [{ ...labels, outcome: 'answered' }, counted.answered] as const,
          [{ ...labels, outcome: 'failed' }, counted.failed] as const,
        ]),
      },
      {
        name: 'portcullis_confirmed_prefixes',
        type: 'counter',
        help: 'Prefixes in these requests.',
        samples: perSource.map(({ labels, counted }) => [labels, counted.prefixes]),
      },
      gauge('confirm_paused', '1 if the source is not asked now: the breaker is open.', ({ confirm }) =>
        Number(confirm.isPaused),
      ),
      gauge('confirm_pending', 'Prefixes with a pending request.', ({ confirm }) => confirm.pending),
      gauge('confirm_cached', 'Prefixes with a remembered answer.', ({ confirm }) => confirm.cached),
    ]);
  };
  return (request) => readOnly(request, answer);
}

/** One count for each blocklist, whatever is made of it. */
const counted = /* @__PURE__ */ new WeakMap<Blocklist, Map<VerdictStatus, number>>();

/** Every verdict is made by the checker. It is extended here, so that a blocklist without metrics pays nothing for them. */
function countVerdicts(blocklist: Blocklist): ReadonlyMap<VerdictStatus, number> {
  const known = counted.get(blocklist);
  if (known !== undefined) return known;
  const { checker } = internalsOf(blocklist);
  const verdicts = new Map<VerdictStatus, number>();
  const { verdict } = checker;
  checker.verdict = (finding, question) => {
    verdicts.set(finding.status, (verdicts.get(finding.status) ?? 0) + 1);
    return verdict(finding, question);
  };
  counted.set(blocklist, verdicts);
  return verdicts;
}
