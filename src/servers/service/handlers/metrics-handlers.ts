import { Problem } from '../http/problem.js';
import { round2 } from '../records/numbers.js';
import { allUntil, dayName, rangeOf, threeMonthsUntil, within } from '../records/ranges.js';
import { medianOf, monthOf, monthsUntil, type TakedownTime, takedownTimes } from '../records/takedown-times.js';
import { brandsOf, countsByDay, countsByType, countsOf, figuresOf, threatsWithin } from '../records/threat-figures.js';
import { brandIdOf, brandRef, type Threat, threatsOf } from '../records/threats.js';
import type { Organization } from '../state/state.js';
import { type Call, type Handlers, type InputOf, iso, organizationOf } from './handler-context.js';

export const metricsHandlers: Handlers<
  | 'metricsSummary'
  | 'metricsBreakdown'
  | 'metricsFound'
  | 'metricsBlockedByFirstReportSource'
  | 'organizationMetricsList'
  | 'metricsTakedownTime'
  | 'metricsTakedownTimeTrend'
> = {
  // provisional: the answer.
  metricsSummary(call, input) {
    const organization = organizationOf(call);
    const range = rangeOf(input, threeMonthsUntil(call.clock.now()));
    const brandIds = brandsOf(call, organization, input.brandIds);
    const threats = threatsWithin(call, organization, range, brandIds);
    return {
      startDate: iso(range.fromMs),
      endDate: iso(range.toMs),
      metrics: figuresOf(call, organization, range, brandIds),
      blockedByType: countsByType(threats),
      blockedByDay: countsByDay(threats),
      blockedByBrand: countsByBrand(call, threats),
    };
  },

  // provisional: the answer. A group without a name is of no brand.
  metricsBreakdown(call, input) {
    const organization = organizationOf(call);
    const { by } = input;
    if (by === undefined) throw new Problem(400, 'by is missing: day, type or brand.');
    const range = rangeOf(input, threeMonthsUntil(call.clock.now()));
    const threats = threatsWithin(call, organization, range, brandsOf(call, organization, input.brandIds));
    const groups = {
      day: () => countsByDay(threats).map(({ date, count }) => ({ key: date, count })),
      type: () => countsByType(threats).map(({ type, count }) => ({ key: type, count })),
      brand: () => countsByBrand(call, threats).map(({ brand, count }) => ({ key: brand?.slug ?? null, count })),
    }[by]();
    return { by, startDate: iso(range.fromMs), endDate: iso(range.toMs), totalCount: threats.length, groups };
  },

  // provisional: the answer. A threat is found the first time the organization's reports or detections name it.
  metricsFound(call, input) {
    const organization = organizationOf(call);
    const { state } = call;
    const range = rangeOf(input, threeMonthsUntil(call.clock.now()));
    const brandIds = brandsOf(call, organization, input.brandIds);
    const firsts = new Map<number, Sighting>();
    const see = (assetId: number, sighting: Sighting): void => {
      const first = firsts.get(assetId);
      // Ids tell the order of what happened within one millisecond.
      const earlier =
        first === undefined || sighting.atMs < first.atMs || (sighting.atMs === first.atMs && sighting.id < first.id);
      if (earlier) firsts.set(assetId, sighting);
    };
    for (const proposal of state.all('proposals')) {
      const report = state.get('reports', proposal.reportId);
      if (report?.organizationId !== organization.id || proposal.wanted !== 'BLOCKED') continue;
      const brandId = brandIdOf(state, organization.id, proposal);
      see(proposal.assetId, { id: report.id, atMs: report.createdAtMs, by: 'reports', brandId });
    }
    for (const { id, assetId, organizationId, configId, createdAtMs } of state.all('detections')) {
      if (organizationId !== organization.id) continue;
      const brandId = configId === null ? null : (state.get('configs', configId)?.brandId ?? null);
      see(assetId, { id, atMs: createdAtMs, by: 'detections', brandId });
    }
    const found = [...firsts.values()].filter(
      ({ atMs, brandId }) => within(atMs, range) && (brandIds === null || (brandId !== null && brandIds.includes(brandId))),
    );
    const days = countsOf(found.map(({ atMs }) => dayName(atMs)));
    return {
      startDate: iso(range.fromMs),
      endDate: iso(range.toMs),
      found: found.length,
      foundBy: {
        reports: found.filter(({ by }) => by === 'reports').length,
        detections: found.filter(({ by }) => by === 'detections').length,
      },
      foundByDay: days.map(({ key, count }) => ({ date: key!, count })).sort((a, b) => (a.date < b.date ? -1 : 1)),
    };
  },

  // provisional: the answer. What was blocked without a report has no source.
  metricsBlockedByFirstReportSource(call) {
    const organization = organizationOf(call);
    const { state } = call;
    const firsts = new Map<number, string>();
    for (const { assetId, reportId, wanted } of state.all('proposals')) {
      const report = state.get('reports', reportId);
      if (wanted === 'BLOCKED' && report !== undefined && !firsts.has(assetId)) firsts.set(assetId, report.source);
    }
    const threats = threatsOf(state, organization.id);
    const counts = countsOf(threats.map(({ asset }) => firsts.get(asset.id) ?? null));
    return { totalCount: threats.length, sources: counts.map(({ key, count }) => ({ source: key, count })) };
  },

  organizationMetricsList(call, input) {
    const organizations = input.slugs?.length ? input.slugs.map((slug) => reachedBy(call, slug)) : [organizationOf(call)];
    return metricsOf(call, organizations, input);
  },

  metricsTakedownTime(call, input) {
    const organization = organizationOf(call);
    const range = rangeOf(input, allUntil(call.clock.now()));
    const times = takedownTimes(call, organization, {
      ...input,
      brandIds: brandsOf(call, organization, input.brandIds),
    }).filter(({ completedAtMs }) => within(completedAtMs, range));
    const types = [...new Set(times.map(({ assetType }) => assetType))];
    const byAssetType = types.map((assetType) => ({
      assetType,
      ...medianOf(times.filter((time) => time.assetType === assetType)),
    }));
    return { byAssetType: byAssetType.sort((a, b) => a.medianTakedownMinutes! - b.medianTakedownMinutes!) };
  },

  metricsTakedownTimeTrend(call, input) {
    const organization = organizationOf(call);
    const { months = 12, assetTypes } = input;
    const times = takedownTimes(call, organization, { ...input, brandIds: brandsOf(call, organization, input.brandIds) });
    const periods = monthsUntil(call.clock.now(), months);
    const wanted: readonly (string | null)[] = assetTypes?.length ? [...new Set(assetTypes)] : [null];
    return {
      months,
      periods,
      series: wanted.map((assetType) => {
        const points = periods.map((period) => pointOf(period, times, assetType));
        return { assetType, points, change: changeOf(points) };
      }),
    };
  },
};

/** The first time something was named, and by what. */
interface Sighting {
  readonly id: number;
  readonly atMs: number;
  readonly by: 'reports' | 'detections';
  readonly brandId: number | null;
}

type MetricsInput = Pick<InputOf<'organizationMetricsList'>, 'brandSlug' | 'startDate' | 'endDate' | 'include'>;

/** The figures of one organization, or of several together. provisional: the sum is all that is said about several. */
export function metricsOf(call: Call, organizations: readonly Organization[], input: MetricsInput) {
  const { brandSlug, include } = input;
  const range = rangeOf(input, allUntil(call.clock.now()));
  if (brandSlug !== undefined && organizations.length > 1) throw new Problem(400, 'brandSlug goes with one organization only.');
  const [first] = organizations;
  const brand = call.state.all('brands').find((one) => one.organizationId === first?.id && one.slug === brandSlug);
  if (brandSlug !== undefined && brand === undefined) throw new Problem(404, 'There is no such brand.');
  const brandIds = brand === undefined ? null : [brand.id];
  const all = organizations.map((organization) => figuresOf(call, organization, range, brandIds));
  const threats = organizations.flatMap((organization) => threatsWithin(call, organization, range, brandIds));
  const included = (name: NonNullable<MetricsInput['include']>[number]): boolean => !include?.length || include.includes(name);
  const figure = (name: keyof (typeof all)[number]): number | null =>
    included(name) ? all.reduce((sum, figures) => sum + figures[name], 0) : null;
  return {
    metrics: {
      reports: figure('reports'),
      newThreats: figure('newThreats'),
      threatsWatchlisted: figure('threatsWatchlisted'),
      takedownsFiled: figure('takedownsFiled'),
      takedownsCompleted: figure('takedownsCompleted'),
      domainThreats: figure('domainThreats'),
      twitterThreats: figure('twitterThreats'),
      telegramThreats: figure('telegramThreats'),
      otherThreats: figure('otherThreats'),
    },
    blockedByType: included('blockedByType') ? countsByType(threats) : null,
    blockedByDay: included('blockedByDay') ? countsByDay(threats) : null,
  };
}

function reachedBy({ state, key }: Call, slug: string): Organization {
  const organization = state.all('organizations').find((one) => one.slug === slug);
  if (organization === undefined) throw new Problem(404, 'There is no such organization.');
  if (!key.organizationIds.includes(organization.id)) throw new Problem(403, 'The key has no access to this organization.');
  return organization;
}

function countsByBrand({ state }: Call, threats: readonly Threat[]) {
  const counts = countsOf(threats.map(({ brandId }) => (brandId === null ? null : String(brandId))));
  return counts.map(({ key, count }) => ({ brand: brandRef(state, key === null ? null : Number(key)), count }));
}

function pointOf(period: string, times: readonly TakedownTime[], assetType: string | null) {
  const counted = times.filter(
    (time) => monthOf(time.completedAtMs) === period && (assetType === null || time.assetType === assetType),
  );
  return { period, ...medianOf(counted) };
}

/** Between the last two months that have something to compare. */
function changeOf(points: readonly ReturnType<typeof pointOf>[]) {
  const [latest = null, previous = null] = points.filter(({ count }) => count > 0).reverse();
  const now = latest?.medianTakedownMinutes ?? null;
  const before = previous?.medianTakedownMinutes ?? null;
  return {
    latest,
    previous,
    percentChange: now === null || before === null || before === 0 ? null : round2(((now - before) / before) * 100),
    direction: now === null || before === null ? null : now < before ? 'improved' : now > before ? 'worsened' : 'unchanged',
  };
}
