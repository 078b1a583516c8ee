import { draft, flag, instant, number, numberOrText, open, text } from './fields.js';
import { loose, made, object, ruled, strict } from './kinds.js';
import { type About, read } from './operation.js';
import { type OrganizationMetricsSchema, organizationMetrics, type ReportPageSchema, reportPage } from './records.js';
import * as enums from './value-lists.js';
import * as z from './zod.js';

/** Operations replaced by newer ones. */
export const deprecated = /* @__PURE__ */ made(() => ({
  /**
   * Look up one asset (old version).
   * @deprecated Use assetCheck or assetSearch.
   */
  assetDetails: read('assetDetails', 'POST', {
    replacement: ['assetCheck', 'assetSearch'],
    input: strict({
      /** The asset as text, such as a link or an address. */ content: text,
    }),
    essential: 'status',
    output: object({
      /** Whether it is blocked, allowed or unknown. */ status: open('assetStatus', enums.assetStatus),
      /** Why the asset has this status. */ reason: z.optional(text),
      /** The report behind the latest change, by its id. */ reportId: z.optional(number),
      /** The address of that report. */ reportUrl: z.optional(text),
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
        /** The organization, by its slug. */ slug: text,
        /** Items of one page. */ limit: z.optional(number),
        /** Where the page starts; `null` for the first one. */ cursor: z.optional(z.nullable(numberOrText)),
        /** Only reports created after this time, or from this day on. */ startDate: z.optional(instant),
        /** Only reports created before this time, or up to this day. */ endDate: z.optional(instant),
        /** Only reports with a rejected proposal. */ onlyRejected: z.optional(flag),
        /** Only reports by people, or by automation. */ reporterKind: draft(enums.actorKind),
        /** Only reports that were reviewed by people, or by automation. */ reviewerKind: draft(enums.actorKind),
        /** Only reports that await, or do not await, the organization's decision. */ needsCustomerReview: draft(flag),
        /** Leave out reports by automation. */ excludeAutomation: draft(flag),
      }),
      {
        'give both startDate and endDate, or neither': ({ startDate, endDate }) =>
          (startDate === undefined) === (endDate === undefined),
      },
    ),
    // provisional: the shape of the list that replaced it.
    output: reportPage as ReportPageSchema,
  }),
  /**
   * Get the metrics of an organization (old version).
   * @deprecated Use organizationMetricsList.
   */
  getOrganizationMetrics: read('getOrganizationMetrics', 'POST /public/getOrganizationMetrics', {
    slugAs: 'organizationSlug',
    replacement: ['organizationMetricsList'],
    input: strict({
      /** The organization, by its slug. */ organizationSlug: text,
      /** The brand, by its slug. */ brandSlug: z.optional(text),
      /** The start of the range. */ startDate: z.optional(instant),
      /** The end of the range. */ endDate: z.optional(instant),
    }),
    essential: 'metrics',
    output: organizationMetrics as OrganizationMetricsSchema,
  }),
}));

export const aboutDeprecated: About<typeof deprecated> = {
  assetDetails: ['provisional seed public public'],
  getOrganizationReports: ['public seed public provisional'],
  getOrganizationMetrics: ['provisional seed public public'],
};
