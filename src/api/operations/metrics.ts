import * as z from 'zod/mini';
import { id, instant, number, open, provisional, text } from './fields.js';
import { between, listOf, loose, made, strict, unshown } from './kinds.js';
import { type About, read } from './operation.js';
import { organizationMetrics } from './records.js';
import * as enums from './value-lists.js';

/** What the command line's flags of three operations would be on the wire; every name is provisional. */
const range = /* @__PURE__ */ made(() => ({
  slug: provisional(text),
  startDate: provisional(instant),
  endDate: provisional(instant),
  brandIds: provisional(z.array(id)),
}));

const takedownFilters = /* @__PURE__ */ made(() => ({
  slug: text,
  blockLabel: z.optional(enums.blockLabel),
  brandType: z.optional(enums.brandType),
  countryCodes: z.optional(z.array(text)),
  brandIds: z.optional(z.array(id)),
}));

const median = /* @__PURE__ */ made(() => ({
  medianTakedownMinutes: z.nullable(number),
  medianTakedownHours: z.nullable(number),
  medianTakedownDays: z.nullable(number),
  count: number,
}));
const trendPoint = /* @__PURE__ */ made(() => z.object({ period: text, ...median }));

/** Figures of an organization. */
export const metrics = /* @__PURE__ */ made(() => ({
  /** Figures of the organization over a time, with what was blocked. */
  summary: read('metricsSummary', 'POST /metrics/summary', {
    slugAs: 'slug',
    input: loose(range),
    output: unshown,
  }),
  /** How much was blocked by day, by asset type or by brand. */
  breakdown: read('metricsBreakdown', 'POST /metrics/breakdown', {
    slugAs: 'slug',
    input: loose({ by: provisional(enums.breakdownAxis), ...range }),
    output: unshown,
  }),
  /** How many threats were newly found, as customers see it. */
  found: read('metricsFound', 'POST /metrics/found', {
    slugAs: 'slug',
    input: loose(range),
    output: unshown,
  }),
  /** Blocked threats by who reported them first. Only its name is published; give its route in the option `paths`. */
  blockedByFirstReportSource: read('metricsBlockedByFirstReportSource', null, {
    input: loose({}),
    output: unshown,
  }),
  /** Totals of an organization, and what was blocked by type and by day. */
  list: read('organizationMetricsList', 'GET /organization/metrics', {
    slugAs: 'slug',
    input: loose({
      brandSlug: z.optional(text),
      startDate: z.optional(instant),
      endDate: z.optional(instant),
      slug: provisional(text),
      slugs: provisional(listOf(text, 0, 500)),
      include: provisional(z.array(enums.metricsInclude)),
    }),
    output: organizationMetrics,
  }),
  /** Median time to a takedown for each asset type. */
  takedownTime: read('metricsTakedownTime', 'POST /metrics/takedown-time', {
    slugAs: 'slug',
    input: strict({ ...takedownFilters, startDate: z.optional(instant), endDate: z.optional(instant) }),
    output: z.object({ byAssetType: z.array(z.object({ assetType: open('assetType'), ...median })) }),
  }),
  /** Median time to a takedown month by month, with the latest change. */
  takedownTimeTrend: read('metricsTakedownTimeTrend', 'POST /metrics/takedown-time/trend', {
    slugAs: 'slug',
    input: strict({
      ...takedownFilters,
      months: z.optional(between(2, 36)),
      assetTypes: z.optional(listOf(enums.assetType, 0, 5)),
    }),
    output: z.object({
      months: number,
      periods: z.array(text),
      series: z.array(
        z.object({
          assetType: z.nullable(open('assetType')),
          points: z.array(trendPoint),
          change: z.object({
            latest: z.nullable(trendPoint),
            previous: z.nullable(trendPoint),
            percentChange: z.nullable(number),
            direction: z.nullable(open('trendDirection')),
          }),
        }),
      ),
    }),
  }),
}));

export const aboutMetrics: About<typeof metrics> = {
  summary: ['Figures of the organization over a time, with what was blocked.', 'provisional public provisional provisional'],
  breakdown: ['How much was blocked by day, by asset type or by brand.', 'provisional public provisional provisional'],
  found: ['How many threats were newly found, as customers see it.', 'provisional public provisional provisional'],
  blockedByFirstReportSource: [
    'Blocked threats by who reported them first. Only its name is published; give its route in the option `paths`.',
    'provisional provisional provisional provisional',
    { scoped: 'org' },
  ],
  list: [
    'Totals of an organization, and what was blocked by type and by day.',
    'provisional seed provisional public',
    { statuses: [404] },
  ],
  takedownTime: ['Median time to a takedown for each asset type.', 'provisional draft draft draft', { statuses: [404] }],
  takedownTimeTrend: [
    'Median time to a takedown month by month, with the latest change.',
    'provisional draft draft draft',
    { statuses: [404] },
  ],
};
