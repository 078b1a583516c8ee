import * as z from 'zod/mini';
import { id, instant, number, open, provisional, text } from './fields.js';
import { array, between, listOf, loose, made, object, strict, typed } from './kinds.js';
import { type About, read } from './operation.js';
import { breakdownAnswer, firstSourceAnswer, foundAnswer, summaryAnswer } from './provisional-answers.js';
import { organizationMetrics } from './records.js';
import * as enums from './value-lists.js';

/** Flags of the service's command line for three operations; their field names are provisional. */
const range = /* @__PURE__ */ made(() => ({
  slug: provisional(text),
  startDate: provisional(instant),
  endDate: provisional(instant),
  brandIds: provisional(array(id)),
}));

const takedownFilters = /* @__PURE__ */ made(() => ({
  slug: text,
  blockLabel: z.optional(enums.blockLabel),
  brandType: z.optional(enums.brandType),
  countryCodes: z.optional(array(text)),
  brandIds: z.optional(array(id)),
}));

const median = /* @__PURE__ */ made(() => ({
  medianTakedownMinutes: z.nullable(number),
  medianTakedownHours: z.nullable(number),
  medianTakedownDays: z.nullable(number),
  count: number,
}));
const trendPoint = /* @__PURE__ */ made(() => object({ period: text, ...median }));

/** Metrics of an organization. */
export const metrics = /* @__PURE__ */ made(() => ({
  /** Get the organization's figures for a period, and what was blocked. */
  summary: read('metricsSummary', 'POST', {
    slugAs: 'slug',
    input: loose(range),
    output: typed<typeof summaryAnswer>(),
  }),
  /** Count blocked threats by day, by asset type or by brand. */
  breakdown: read('metricsBreakdown', 'POST', {
    slugAs: 'slug',
    input: loose({ by: provisional(enums.breakdownAxis), ...range }),
    output: typed<typeof breakdownAnswer>(),
  }),
  /** Count newly found threats, as shown to customers. */
  found: read('metricsFound', 'POST', {
    slugAs: 'slug',
    input: loose(range),
    output: typed<typeof foundAnswer>(),
  }),
  /**
   * Count blocked threats by the source that reported them first. Only its name is published; set its route in the option
   * `paths`.
   */
  blockedByFirstReportSource: read('metricsBlockedByFirstReportSource', null, {
    input: loose({}),
    output: typed<typeof firstSourceAnswer>(),
  }),
  /** Get the organization's totals, and what was blocked by type and by day. */
  list: read('organizationMetricsList', 'GET /organization/metrics', {
    slugAs: 'slug',
    input: loose({
      brandSlug: z.optional(text),
      startDate: z.optional(instant),
      endDate: z.optional(instant),
      slug: provisional(text),
      slugs: provisional(listOf(text, 0, 500)),
      include: provisional(array(enums.metricsInclude)),
    }),
    essential: 'metrics',
    output: organizationMetrics,
  }),
  /** Get the median time to takedown for each asset type. */
  takedownTime: read('metricsTakedownTime', 'POST /metrics/takedown-time', {
    slugAs: 'slug',
    input: strict({ ...takedownFilters, startDate: z.optional(instant), endDate: z.optional(instant) }),
    essential: 'byAssetType',
    output: object({ byAssetType: array(object({ assetType: open('assetType'), ...median })) }),
  }),
  /** Get the median time to takedown for each month, with the latest change. */
  takedownTimeTrend: read('metricsTakedownTimeTrend', 'POST /metrics/takedown-time/trend', {
    slugAs: 'slug',
    input: strict({
      ...takedownFilters,
      months: z.optional(between(2, 36)),
      assetTypes: z.optional(listOf(enums.assetType, 0, 5)),
    }),
    essential: 'series',
    output: object({
      months: number,
      periods: array(text),
      series: array(
        object({
          assetType: z.nullable(open('assetType')),
          points: array(trendPoint),
          change: object({
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
  summary: [
    "Get the organization's figures for a period, and what was blocked.",
    'provisional public provisional provisional',
    { output: summaryAnswer },
  ],
  breakdown: [
    'Count blocked threats by day, by asset type or by brand.',
    'provisional public provisional provisional',
    { output: breakdownAnswer },
  ],
  found: [
    'Count newly found threats, as shown to customers.',
    'provisional public provisional provisional',
    { output: foundAnswer },
  ],
  blockedByFirstReportSource: [
    'Count blocked threats by the source that reported them first. Only its name is published; set its route in the option `paths`.',
    'provisional provisional provisional provisional',
    { scoped: 'org', output: firstSourceAnswer },
  ],
  list: [
    "Get the organization's totals, and what was blocked by type and by day.",
    'provisional seed provisional public',
    { statuses: [404] },
  ],
  takedownTime: ['Get the median time to takedown for each asset type.', 'provisional draft draft draft', { statuses: [404] }],
  takedownTimeTrend: [
    'Get the median time to takedown for each month, with the latest change.',
    'provisional draft draft draft',
    { statuses: [404] },
  ],
};
