import { internalsOf } from '../../blocklist/engine/internals.js';
import type { Blocklist } from '../../blocklist/model/blocklist-interface.js';
import type { SourceStatus } from '../../blocklist/model/blocklist-status.js';
import type { VerdictStatus } from '../../blocklist/model/verdict.js';
import { type FetchHandler, fetchOnly } from '../http/fetch-handler.js';
import { readOnly } from '../http/monitoring.js';
import { counter, gauge, type Metric, openMetrics } from '../http/open-metrics.js';

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
    const each = (read: (status: SourceStatus) => number): Metric['samples'] =>
      sources.map((status) => [{ source: status.source }, read(status)]);
    const ofEach = (name: string, help: string, read: (status: SourceStatus) => number, unit?: Metric['unit']): Metric =>
      gauge(name, help, each(read), unit);
    // No age without a list: 0 would look fresh.
    const ages = sources.flatMap(({ source, list }) => (list === null ? [] : [[{ source }, list.ageMs / 1000] as const]));
    const byVerdict = statuses.map((verdict) => [{ verdict }, verdicts.get(verdict) ?? 0] as const);
    const byOutcome = sources.flatMap(({ source }) =>
      (['answered', 'failed'] as const).map((outcome) => [{ source, outcome }, countsOf(source)[outcome]] as const),
    );
    return openMetrics([
      counter('checks', 'Checked inputs by verdict.', byVerdict),
      gauge('sound', '1 if this engine passed the self-test.', Number(isSound)),
      gauge('overrides', 'Own overrides.', overrides),
      ofEach('list_loaded', '1 if there is a list.', ({ list }) => Number(list !== null)),
      ofEach('list_stale', '1 if the list is too old for a miss to mean clear.', ({ list }) => Number(list?.isStale ?? false)),
      ofEach('list_entries', 'Entries of the list.', ({ list }) => (list === null ? 0 : list.count + list.recentCount)),
      ofEach('list_memory_bytes', 'Memory of the list.', ({ list }) => list?.byteLength ?? 0, 'bytes'),
      gauge('list_age_seconds', 'Time since the source last confirmed the list.', ages, 'seconds'),
      ofEach('sync_consecutive_failures', 'Failed rounds since the last one that succeeded.', ({ failures }) => failures),
      counter(
        'sync_failed_rounds',
        'Failed rounds.',
        each(({ source }) => countsOf(source).failedRounds),
      ),
      counter('confirmations', 'Requests that confirm hits, by outcome.', byOutcome),
      counter(
        'confirmed_prefixes',
        'Prefixes in these requests.',
        each(({ source }) => countsOf(source).prefixes),
      ),
      ofEach('confirm_paused', '1 if the source is not asked now: the breaker is open.', ({ confirm }) =>
        Number(confirm.isPaused),
      ),
      ofEach('confirm_pending', 'Prefixes with a pending request.', ({ confirm }) => confirm.pending),
      ofEach('confirm_cached', 'Prefixes with a remembered answer.', ({ confirm }) => confirm.cached),
    ]);
  };
  return fetchOnly((request) => readOnly(request, answer));
}

/** One count for each blocklist, whatever is made of it. */
const counted = /* @__PURE__ */ new WeakMap<Blocklist, Map<VerdictStatus, number>>();

/** Every verdict is made by the checker. It is extended here, so that a blocklist without metrics pays nothing for them. */
function countVerdicts(blocklist: Blocklist): ReadonlyMap<VerdictStatus, number> {
  const known = counted.get(blocklist);
  if (known !== undefined) return known;
  const { checker } = internalsOf(blocklist);
  const verdicts = new Map<VerdictStatus, number>();
  const { verdict, findSureMiss } = checker;
  const count = (status: VerdictStatus): void => void verdicts.set(status, (verdicts.get(status) ?? 0) + 1);
  checker.verdict = (finding, question) => {
    count(finding.status);
    return verdict(finding, question);
  };
  checker.findSureMiss = (text, generations) => {
    const miss = findSureMiss(text, generations);
    if (miss !== null) count(miss.status);
    return miss;
  };
  counted.set(blocklist, verdicts);
  return verdicts;
}
