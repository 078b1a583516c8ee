import { id, instant, number, open, provisional, text } from './fields.js';
import { array, between, listOf, loose, made, madeObject, object, objects, strict, typed } from './kinds.js';
import { type About, read } from './operation.js';
import * as answers from './provisional-answers.js';
import { type OrganizationMetricsSchema, organizationMetrics } from './records.js';
import * as enums from './value-lists.js';
import * as z from './zod.js';

/** Flags of the service's command line for three operations; their field names are provisional. */
const range = /* @__PURE__ */ made(() => ({
  /** The organization, by its slug. */ slug: provisional(text),

  /** The start of the range. */ startDate: provisional(instant),

  /** The end of the range. */ endDate: provisional(instant),

  /** Only these brands, by their ids. */ brandIds: provisional(array(id)),
}));

const takedownFilters = /* @__PURE__ */ made(() => ({
  /** The organization, by its slug. */ slug: text,

  /** Only threats that were blocked with this label. */ blockLabel: z.optional(enums.blockLabel),

  /** Only brands of this type. */ brandType: z.optional(enums.brandType),

  /** Only these countries, by their codes of two letters. */ countryCodes: z.optional(array(text)),

  /** Only these brands, by their ids. */ brandIds: z.optional(array(id)),
}));

const median = /* @__PURE__ */ made(() => ({
  /** The median time to takedown, in minutes; `null` without data. */ medianTakedownMinutes: z.nullable(number),

  /** The median time to takedown, in hours; `null` without data. */ medianTakedownHours: z.nullable(number),

  /** The median time to takedown, in days; `null` without data. */ medianTakedownDays: z.nullable(number),

  /** How many takedowns there are. */ count: number,
}));
const trendPoint = /* @__PURE__ */ madeObject(() => ({
  /** The month, as `YYYY-MM`. */ period: text,
  ...median,
}));

/** Metrics of an organization. */
export const metrics = /* @__PURE__ */ made(() => ({
  /** Get the organization's figures for a period, and what was blocked. */
  summary: read('metricsSummary', 'POST', {
    slugAs: 'slug',
    input: loose(range),
    output: typed<answers.SummaryAnswer>(),
  }),
  /** Count blocked threats by day, by asset type or by brand. */
  breakdown: read('metricsBreakdown', 'POST', {
    slugAs: 'slug',
    input: loose({
      /** The axis of the groups. */ by: provisional(enums.breakdownAxis),
      ...range,
    }),
    output: typed<answers.BreakdownAnswer>(),
  }),
  /** Count newly found threats, as shown to customers. */
  found: read('metricsFound', 'POST', {
    slugAs: 'slug',
    input: loose(range),
    output: typed<answers.FoundAnswer>(),
  }),
  /**
   * Count blocked threats by the source that reported them first. Only its name is published; set its route in the option
   * `paths`.
   */
  blockedByFirstReportSource: read('metricsBlockedByFirstReportSource', null, {
    input: loose({}),
    output: typed<answers.FirstSourceAnswer>(),
  }),
  /** Get the organization's totals, and what was blocked by type and by day. */
  list: read('organizationMetricsList', 'GET /organization/metrics', {
    slugAs: 'slug',
    input: loose({
      /** The brand, by its slug. */ brandSlug: z.optional(text),
      /** The start of the range. */ startDate: z.optional(instant),
      /** The end of the range. */ endDate: z.optional(instant),
      /** The organization, by its slug. */ slug: provisional(text),
      /** Several organizations, by their slugs. */ slugs: provisional(listOf(text, 0, 500)),
      /** The figures to return; the others are left out. */ include: provisional(array(enums.metricsInclude)),
    }),
    essential: 'metrics',
    output: organizationMetrics as OrganizationMetricsSchema,
  }),
  /** Get the median time to takedown for each asset type. */
  takedownTime: read('metricsTakedownTime', 'POST /metrics/takedown-time', {
    slugAs: 'slug',
    input: strict({
      ...takedownFilters,
      /** The start of the range. */ startDate: z.optional(instant),
      /** The end of the range. */ endDate: z.optional(instant),
    }),
    essential: 'byAssetType',
    output: object({
      /** One entry for each asset type, quickest first. */ byAssetType: objects({
        /** The asset type. */ assetType: open('assetType'),
        ...median,
      }),
    }),
  }),
  /** Get the median time to takedown for each month, with the latest change. */
  takedownTimeTrend: read('metricsTakedownTimeTrend', 'POST /metrics/takedown-time/trend', {
    slugAs: 'slug',
    input: strict({
      ...takedownFilters,
      /** How many months to return. */ months: z.optional(between(2, 36)),
      /** Only these asset types. */ assetTypes: z.optional(listOf(enums.assetType, 0, 5)),
    }),
    essential: 'series',
    output: object({
      /** How many months were returned. */ months: number,
      /** The months, as `YYYY-MM`, oldest first. */ periods: array(text),
      /** One series for each asset type, or one for all together. */ series: objects({
        /** The asset type; `null` for all together. */ assetType: z.nullable(open('assetType')),
        /** One point for each month. */ points: array(trendPoint),
        /** The latest change. */ change: object({
          /** The latest month with data. */ latest: z.nullable(trendPoint),
          /** The month before that. */ previous: z.nullable(trendPoint),
          /** The change, in percent. */ percentChange: z.nullable(number),
          /** Whether it improved. */ direction: z.nullable(open('trendDirection')),
        }),
      }),
    }),
  }),
}));

export const aboutMetrics: About<typeof metrics> = {
  summary: ['provisional public provisional provisional', { output: answers.summaryAnswer }],
  breakdown: ['provisional public provisional provisional', { output: answers.breakdownAnswer }],
  found: ['provisional public provisional provisional', { output: answers.foundAnswer }],
  blockedByFirstReportSource: [
    'provisional provisional provisional provisional',
    { scoped: 'org', output: answers.firstSourceAnswer },
  ],
  list: ['provisional seed provisional public', { statuses: [404] }],
  takedownTime: ['provisional draft draft draft', { statuses: [404] }],
  takedownTimeTrend: ['provisional draft draft draft', { statuses: [404] }],
};
