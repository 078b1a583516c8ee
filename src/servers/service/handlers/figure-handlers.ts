import { Problem } from '../http/problem.js';
import { type DateRange, endOf, requireOrder, startOf } from '../records/date-ranges.js';
import * as figures from '../records/sample-figures.js';
import type { Organization } from '../state/state-tables.js';
import {
  type AnswerOf,
  type HandlerCall,
  type Handlers,
  type InputOf,
  iso,
  organizationOf,
  reachedOrganization,
  requireBrand,
} from './handler-context.js';

type CheckName = Exclude<Extract<keyof Handlers, `healthchecks${string}`>, 'healthchecksList'>;

/** Metrics, health checks and queues answer fixed figures in the documented shapes (decision 0024). */
export const figureHandlers = {
  // provisional: the response.
  metricsSummary(call, input) {
    const range = scopeOf(call, input);
    const { blockedByType, blockedByDay } = figures;
    const blockedByBrand = figures.blockedBy('brand').map(({ key, count }) => ({ brand: key, count }));
    return { ...range, metrics: figures.totals, blockedByType, blockedByDay, blockedByBrand };
  },

  // provisional: the response.
  metricsBreakdown(call, input) {
    const range = scopeOf(call, input);
    const { by } = input;
    if (by === undefined) throw new Problem(400, 'by is missing; use day, type or brand.');
    return { by, ...range, totalCount: figures.totals.newThreats, groups: figures.blockedBy(by === 'day' ? 'date' : by) };
  },

  // provisional: the response.
  metricsFound(call, input) {
    const range = scopeOf(call, input);
    const { newThreats: found } = figures.totals;
    return { ...range, found, foundBy: { reports: found - 3, detections: 3 }, foundByDay: figures.blockedByDay };
  },

  // provisional: the response.
  metricsBlockedByFirstReportSource(call) {
    organizationOf(call);
    const { newThreats: totalCount } = figures.totals;
    return {
      totalCount,
      sources: [
        { source: 'API', count: totalCount - 3 },
        { source: 'AUTO_DETECTION', count: 3 },
      ],
    };
  },

  organizationMetricsList(call, input) {
    const organizations = input.slugs?.length
      ? input.slugs.map((slug) => reachedOrganization(call, slug))
      : [organizationOf(call)];
    return metricsOf(call, organizations, input);
  },

  metricsTakedownTime(call, input) {
    scopeOf(call, input);
    return { byAssetType: figures.takedownTimes };
  },

  metricsTakedownTimeTrend(call, input) {
    scopeOf(call, input);
    const { months = 12, assetTypes } = input;
    const [previous, latest] = figures.takedownMonths;
    const periods = monthsUntil(latest.period, months);
    const points = periods.map(
      (period) => figures.takedownMonths.find((one) => one.period === period) ?? { period, ...figures.medianOf(null, 0) },
    );
    const change = { latest, previous, percentChange: -20, direction: 'improved' as const };
    const wanted: readonly (string | null)[] = assetTypes?.length ? assetTypes : [null];
    return { months, periods, series: wanted.map((assetType) => ({ assetType, points, change })) };
  },

  healthchecksList() {
    const ids = [...Object.keys(figures.healthchecks), 'organization.missing-contact-url'];
    const planned = { id: 'example.planned', implemented: false, notImplementedReason: 'It is an example of a planned check.' };
    return { checks: [...ids.map((id) => ({ id, implemented: true })), planned] };
  },

  healthchecksDetectionsSilentConfigs: check('detections.silent-configs'),
  healthchecksReviewingBacklog: check('reviewing.backlog'),
  healthchecksReviewingOldProposals: check('reviewing.old-proposals'),
  healthchecksTakedownsTodoVolume: check('takedowns.todo-volume'),
  healthchecksTakedownsInProgressVolume: check('takedowns.in-progress-volume'),
  healthchecksTakedownsStaleInProgress: check('takedowns.stale-in-progress'),
  healthchecksTakedownsCancelledCount: check('takedowns.cancelled-count'),
  healthchecksTakedownsAutomationOff: check('takedowns.automation-off'),
  healthchecksAssetsDeadAssetSpike: check('assets.dead-asset-spike'),

  healthchecksOrganizationMissingContactUrl(call) {
    const { slug, contactUrl } = organizationOf(call);
    const isMissing = contactUrl === null || contactUrl === '';
    return {
      id: 'organization.missing-contact-url',
      severity: isMissing ? 'warn' : 'ok',
      observed: isMissing ? 1 : 0,
      threshold: { warnCount: 1 },
      findings: isMissing ? [{ slug, contactUrl: null }] : [],
      suggestedAction: isMissing ? 'Set the contact URL of the organization.' : null,
    };
  },

  // provisional: the response.
  operationsQueuesSnapshot(call, { windowHours = 24 }) {
    organizationOf(call);
    const nowMs = call.clock.now();
    const queue = figures.queueAt(nowMs);
    return {
      takenAt: iso(nowMs),
      windowHours,
      reviewing: queue,
      takedowns: { todo: queue, inProgress: queue },
    };
  },
} satisfies Partial<Handlers>;

function check(id: keyof typeof figures.healthchecks): (call: HandlerCall) => AnswerOf<CheckName> {
  return (call) => {
    organizationOf(call);
    return { id, severity: 'ok', ...figures.healthchecks[id], findings: [], suggestedAction: null };
  };
}

type MetricsInput = Pick<InputOf<'organizationMetricsList'>, 'brandSlug' | 'startDate' | 'endDate' | 'include'>;

/** The same figures for every organization; several together have their sum. */
export function metricsOf({ state }: HandlerCall, organizations: readonly Organization[], input: MetricsInput) {
  const { brandSlug, include } = input;
  requireOrder(input);
  if (brandSlug !== undefined) {
    if (organizations.length > 1) throw new Problem(400, 'brandSlug needs a single organization.');
    const { id } = organizations[0]!;
    if (!state.where('brands', 'organizationId', id).some(({ slug }) => slug === brandSlug))
      throw new Problem(404, 'There is no such brand.');
  }
  const times = <Row extends { count: number }>(rows: readonly Row[]): Row[] =>
    rows.map((row) => ({ ...row, count: row.count * organizations.length }));
  const isIncluded = (name: string): boolean => !include?.length || (include as readonly string[]).includes(name);
  const metrics = Object.entries(figures.totals).map(([name, total]) => [
    name,
    isIncluded(name) ? (name === 'threatsWatchlisted' && brandSlug !== undefined ? 0 : total * organizations.length) : null,
  ]);
  return {
    metrics: Object.fromEntries(metrics) as Record<keyof typeof figures.totals, number | null>,
    blockedByType: isIncluded('blockedByType') ? times(figures.blockedByType) : null,
    blockedByDay: isIncluded('blockedByDay') ? times(figures.blockedByDay) : null,
  };
}

interface Scope extends DateRange {
  readonly brandIds?: readonly number[] | undefined;
}

/** Rejects an unknown brand or a reversed range, as if the figures depended on them. */
function scopeOf(call: HandlerCall, input: Scope): { startDate: string; endDate: string } {
  organizationOf(call);
  requireOrder(input);
  for (const brandId of input.brandIds ?? []) requireBrand(call, brandId);
  // A range with one end outside of the figures is that end alone.
  const { startDate = figures.firstDate, endDate = figures.lastDate } = input;
  const fromMs = Math.min(startOf(startDate), input.startDate === undefined ? endOf(endDate) : Number.POSITIVE_INFINITY);
  return { startDate: iso(fromMs), endDate: iso(Math.max(endOf(endDate), fromMs)) };
}

/** `count` months as `YYYY-MM`, the last one last. */
function monthsUntil(last: string, count: number): string[] {
  const [year, month] = last.split('-').map(Number) as [number, number];
  return Array.from({ length: count }, (_, at) => new Date(Date.UTC(year, month - count + at, 1)).toISOString().slice(0, 7));
}
