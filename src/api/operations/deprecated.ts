import * as z from 'zod/mini';
import { draft, flag, instant, number, numberOrText, open, text } from './fields.js';
import { loose, made, object, ruled, strict } from './kinds.js';
import { type About, read } from './operation.js';
import { organizationMetrics, reportPage } from './records.js';
import * as enums from './value-lists.js';

/** Operations replaced by newer ones. */
export const deprecated = /* @__PURE__ */ made(() => ({
  /**
   * Look up one asset (old version).
   * @deprecated Use assetCheck or assetSearch.
   */
  assetDetails: read('assetDetails', 'POST', {
    replacement: ['assetCheck', 'assetSearch'],
    input: strict({ content: text }),
    essential: 'status',
    output: object({
      status: open('assetStatus'),
      reason: z.optional(text),
      reportId: z.optional(number),
      reportUrl: z.optional(text),
    }),
  }),
  /**
   * List reports (old version).
   * @deprecated Use organizationReportsList.
   */
  getOrganizationReports: read('getOrganizationReports', 'POST /public/getOrganizationReports', {
    slugAs: 'slug',
    replacement: ['organizationReportsList'],
    paging: { style: 'cursor', items: 'reports', maxPageSize: 20 },
    input: ruled(
      loose({
        slug: text,
        limit: z.optional(number),
        cursor: z.optional(z.nullable(numberOrText)),
        startDate: z.optional(instant),
        endDate: z.optional(instant),
        onlyRejected: z.optional(flag),
        reporterKind: draft(enums.actorKind),
        reviewerKind: draft(enums.actorKind),
        needsCustomerReview: draft(flag),
        excludeAutomation: draft(flag),
      }),
      {
        'give both startDate and endDate, or neither': ({ startDate, endDate }) =>
          (startDate === undefined) === (endDate === undefined),
      },
    ),
    // provisional: the shape of the list that replaced it.
    output: reportPage,
  }),
  /**
   * Get the metrics of an organization (old version).
   * @deprecated Use organizationMetricsList.
   */
  getOrganizationMetrics: read('getOrganizationMetrics', 'POST /public/getOrganizationMetrics', {
    slugAs: 'organizationSlug',
    replacement: ['organizationMetricsList'],
    input: strict({
      organizationSlug: text,
      brandSlug: z.optional(text),
      startDate: z.optional(instant),
      endDate: z.optional(instant),
    }),
    essential: 'metrics',
    output: organizationMetrics,
  }),
}));

export const aboutDeprecated: About<typeof deprecated> = {
  assetDetails: ['Look up one asset (old version).', 'provisional seed public public'],
  getOrganizationReports: ['List reports (old version).', 'public seed public provisional'],
  getOrganizationMetrics: ['Get the metrics of an organization (old version).', 'provisional seed public public'],
};
