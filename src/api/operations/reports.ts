import * as z from 'zod/mini';
import { draft, flag, id, instant, number, numberOrText, open, provisional, text, time } from './fields.js';
import { array, between, listOf, made, object, ruled, sized, strict, unshown } from './kinds.js';
import { type About, read, write } from './operation.js';
import { assetRef, reportPage } from './records.js';
import * as enums from './value-lists.js';

/** A country code of two letters. */
const country = /* @__PURE__ */ sized(2, 2);

/** The input of the list of reports. Its page size is 1 to 20, or by the text of the service's document 1 to 100 and optional. */
function listInput<Limit extends z.ZodMiniType>(limit: Limit) {
  return strict({
    limit,
    cursor: z.optional(z.nullable(numberOrText)),
    status: z.optional(enums.reportStatus),
    searchQuery: z.optional(text),
    reporterQuery: z.optional(text),
    reporterKind: z.optional(enums.actorKind),
    reviewerKind: z.optional(enums.actorKind),
    reviewedByUserId: z.optional(z.nullable(id)),
    startDate: z.optional(instant),
    endDate: z.optional(instant),
    updatedAtStartDate: z.optional(instant),
    updatedAtEndDate: z.optional(instant),
    registrars: z.optional(array(text)),
    hasMxRecords: z.optional(flag),
    slug: z.optional(text),
    excludeAutomation: z.optional(flag),
    onlyRejected: z.optional(flag),
    onlyFavorited: z.optional(flag),
    reportedByCustomer: z.optional(flag),
    needsCustomerReview: z.optional(flag),
    reviewStatuses: z.optional(array(enums.reviewFilter)),
    assetTypes: z.optional(array(enums.assetType)),
    brandIds: z.optional(array(id)),
    countryCodes: z.optional(array(country)),
    sources: z.optional(array(enums.reportSource)),
    threatActorIds: z.optional(array(id)),
  });
}

/** Reports and the review of their proposals. */
export const reports = /* @__PURE__ */ made(() => ({
  /** Report assets as scams, or as legitimate. If one of them cannot be reported, nothing is filed and the error names it. */
  create: write('reportCreate', 'POST', {
    slugAs: 'organizationSlug',
    input: strict({
      assets: listOf(
        strict({
          content: text,
          status: z.optional(enums.assetStatus),
          brandSlug: z.optional(text),
          reporterConfidence: z.optional(open('reporterConfidence')),
          enrichments: z.optional(
            array(
              strict({
                type: open('enrichmentType'),
                source: z.optional(text),
                output: z.optional(unshown),
              }),
            ),
          ),
          screenshot: z.optional(strict({ url: z.optional(text), takenBy: z.optional(text) })),
        }),
        1,
      ),
      organizationSlug: z.optional(text),
      discordGuildId: z.optional(text),
      telegramGroupId: z.optional(text),
      title: z.optional(sized(3)),
      description: z.optional(text),
      contactInfo: z.optional(text),
      attachmentUrls: z.optional(array(text)),
      externalSubmissionLink: z.optional(text),
      userAgent: z.optional(text),
      referrer: z.optional(text),
      rawAssetsInput: z.optional(text),
      externalReporter: z.optional(
        strict({
          platformIdentifier: z.optional(text),
          platform: z.optional(text),
          displayName: z.optional(text),
          avatarUrl: z.optional(text),
        }),
      ),
    }),
    essential: 'id',
    output: object({
      id: number,
      createdAt: time,
      // Older documentation has `null` for a report without an organization.
      organization: z.nullable(object({ id: number, slug: text, name: text })),
    }),
  }),
  /** List the existing reports about these assets, newest first. */
  search: read('reportsSearch', 'POST', {
    slugAs: 'slug',
    input: strict({
      slug: z.optional(text),
      assetContents: array(text),
      reportedByCustomer: provisional(flag),
      limit: provisional(between(1, 100)),
    }),
    essential: 'reports',
    output: object({
      reports: array(object({ id: number, status: open('reportStatus'), assets: array(text) })),
      totalCount: draft(number),
    }),
  }),
  /** List the organization's reports, newest first, with filters. */
  list: read('organizationReportsList', 'GET /organization/reports', {
    slugAs: 'slug',
    paging: { style: 'cursor', items: 'reports', maxPageSize: 20 },
    input: listInput(between(1, 20)),
    prose: {
      paging: { style: 'cursor', items: 'reports', maxPageSize: 100 },
      input: listInput(z.optional(between(1, 100))),
    },
    output: reportPage,
  }),
  /**
   * Approve or reject a proposal that awaits the organization's decision. An approval blocks the asset for everyone. 10 a
   * day.
   */
  proposalsReview: write('organizationProposalsReview', 'POST /organization/proposals/{proposalId}/review', {
    slugAs: 'slug',
    input: ruled(
      strict({
        proposalId: id,
        assetId: id,
        decision: enums.reviewDecision,
        slug: z.optional(text),
        label: z.optional(enums.blockLabel),
        brandId: z.optional(id),
        rejectReason: z.optional(enums.rejectReason),
        watchlistReason: z.optional(enums.watchlistReason),
        note: z.optional(text),
      }),
      {
        'APPROVE needs label': ({ decision, label }) => decision !== 'APPROVE' || label !== undefined,
        'this label needs brandId': ({ decision, label, brandId }) =>
          decision !== 'APPROVE' || brandId !== undefined || !/^(Brand|Employee) Impersonation$/.test(label ?? ''),
        'REJECT needs rejectReason': ({ decision, rejectReason }) => decision !== 'REJECT' || rejectReason !== undefined,
        'WATCHLIST needs watchlistReason': ({ decision, watchlistReason }) =>
          decision !== 'WATCHLIST' || watchlistReason !== undefined,
        'OTHER needs note': ({ decision, watchlistReason, note }) =>
          decision !== 'WATCHLIST' || watchlistReason !== 'OTHER' || Boolean(note),
      },
    ),
    essential: 'proposal.reviewStatus',
    output: object({
      proposal: object({ id: number, reviewStatus: open('proposalStatus'), asset: assetRef }),
      review: object({
        id: number,
        decision: open('reviewDecision'),
        label: text,
        brandId: z.nullable(number),
        comment: text,
        createdAt: time,
      }),
      watchlisted: flag,
    }),
  }),
}));

export const aboutReports: About<typeof reports> = {
  create: [
    'Report assets as scams, or as legitimate. If one of them cannot be reported, nothing is filed and the error names it.',
    'provisional seed public seed',
    { statuses: [404, 422, 429] },
  ],
  search: ['List the existing reports about these assets, newest first.', 'provisional seed provisional draft'],
  list: ["List the organization's reports, newest first, with filters.", 'provisional seed seed seed', { statuses: [404] }],
  proposalsReview: [
    "Approve or reject a proposal that awaits the organization's decision. An approval blocks the asset for everyone. 10 a day.",
    'provisional seed public public',
    { destructive: true, statuses: [404, 409, 429] },
  ],
};
