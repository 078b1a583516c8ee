import * as z from 'zod/mini';
import { draft, flag, instant, number, numberOrText, open, text } from './fields.js';
import { loose, made, ruled, strict } from './kinds.js';
import { type About, read } from './operation.js';
import { organizationMetrics, reportPage } from './records.js';
import * as enums from './value-lists.js';

/** What newer operations replace. */
export const deprecated = /* @__PURE__ */ made(() => ({
  /**
   * The old look-up of one asset.
   * @deprecated Use assetCheck or assetSearch.
   */
  assetDetails: read('assetDetails', 'POST /asset/details', {
    replacement: ['assetCheck', 'assetSearch'],
    input: strict({ content: text }),
    output: z.object({
      status: open('assetStatus'),
      reason: z.optional(text),
      reportId: z.optional(number),
      reportUrl: z.optional(text),
    }),
  }),
  /**
   * The old list of reports.
   * @deprecated Use organizationReportsList.
   */
  getOrganizationReports: read('getOrganizationReports', 'POST /public/getOrganizationReports', {
    slugAs: 'slug',
    replacement: ['organizationReportsList'],
    paging: { style: 'cursor', items: 'reports', pageMax: 20 },
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
        'give both startDate and endDate, or none': ({ startDate, endDate }) =>
          (startDate === undefined) === (endDate === undefined),
      },
    ),
    // provisional: the shape of the list that took its place.
    output: reportPage,
  }),
  /**
   * The old metrics of an organization.
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
    output: organizationMetrics,
  }),
}));

export const aboutDeprecated: About<typeof deprecated> = {
  assetDetails: ['The old look-up of one asset.', 'provisional seed public public'],
  getOrganizationReports: ['The old list of reports.', 'public seed public provisional'],
  getOrganizationMetrics: ['The old metrics of an organization.', 'provisional seed public public'],
};
