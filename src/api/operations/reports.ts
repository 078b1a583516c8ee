import { draft, flag, id, instant, number, numberOrText, open, provisional, text, time } from './fields.js';
import {
  array,
  between,
  listOf,
  made,
  object,
  objectOrNull,
  objects,
  optionalItems,
  ruled,
  sized,
  strict,
  unshown,
} from './kinds.js';
import { type About, read, write } from './operation.js';
import { type AssetRefSchema, assetRef, type ReportPageSchema, reportPage } from './records.js';
import * as enums from './value-lists.js';
import * as z from './zod.js';

/** A country code of two letters. */
const country = /* @__PURE__ */ sized(2, 2);

/** The input of the list of reports. Its page size is 1 to 20, or by the text of the service's document 1 to 100 and optional. */
function listInput<Limit extends z.core.$ZodType>(limit: Limit) {
  return strict({
    /** Items of one page. */ limit,
    /** Where the page starts; `null` for the first one. */ cursor: z.optional(z.nullable(numberOrText)),
    /** Only reports with this status. */ status: z.optional(enums.reportStatus),
    /** Only reports that contain this text. */ searchQuery: z.optional(text),
    /** Only reports by a reporter whose name contains this text. */ reporterQuery: z.optional(text),
    /** Only reports by people, or by automation. */ reporterKind: z.optional(enums.actorKind),
    /** Only reports that were reviewed by people, or by automation. */ reviewerKind: z.optional(enums.actorKind),
    /** Only reports that this user reviewed. */ reviewedByUserId: z.optional(z.nullable(id)),
    /** Only reports created after this time, or from this day on. */ startDate: z.optional(instant),
    /** Only reports created before this time, or up to this day. */ endDate: z.optional(instant),
    /** Only reports changed from this time on. */ updatedAtStartDate: z.optional(instant),
    /** Only reports changed up to this time. */ updatedAtEndDate: z.optional(instant),
    /** Only reports of domains of these registrars. */ registrars: z.optional(array(text)),
    /** Only reports of domains with, or without, mail servers. */ hasMxRecords: z.optional(flag),
    /** The organization, by its slug. */ slug: z.optional(text),
    /** Leave out reports by automation. */ excludeAutomation: z.optional(flag),
    /** Only reports with a rejected proposal. */ onlyRejected: z.optional(flag),
    /** Only favorites. */ onlyFavorited: z.optional(flag),
    /** Only reports by the organization itself, or only reports by others. */ reportedByCustomer: z.optional(flag),
    /** Only reports that await, or do not await, the organization's decision. */ needsCustomerReview: z.optional(flag),
    /** Only reports with one of these reviews. */ reviewStatuses: z.optional(array(enums.reviewFilter)),
    /** Only reports of assets of these types. */ assetTypes: z.optional(array(enums.assetType)),
    /** Only reports about these brands, by their ids. */ brandIds: z.optional(array(id)),
    /** Only reports of sites in these countries, by their codes of two letters. */ countryCodes: z.optional(array(country)),
    /** Only reports from these sources. */ sources: z.optional(array(enums.reportSource)),
    /** Only reports of these threat actors, by their ids. */ threatActorIds: z.optional(array(id)),
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
          /** The asset as text, such as a link or an address. */ content: text,
          /** The status that the asset should have; `BLOCKED` by default. */ status: z.optional(enums.assetStatus),
          /** The brand, by its slug. */ brandSlug: z.optional(text),
          /** How sure the reporter is. */ reporterConfidence: z.optional(open('reporterConfidence')),
          /** Data about the asset. */ enrichments: optionalItems({
            /** The kind of data. */ type: open('enrichmentType'),
            /** Where the data comes from. */ source: z.optional(text),
            /** The data. */ output: z.optional(unshown),
          }),
          /** A picture of the asset. */ screenshot: z.optional(
            strict({
              /** The address of the picture. */ url: z.optional(text),
              /** Who took the picture. */ takenBy: z.optional(text),
            }),
          ),
        }),
        1,
      ),
      /** The organization, by its slug. */ organizationSlug: z.optional(text),
      /** The Discord server that the report comes from; it names the organization. */ discordGuildId: z.optional(text),
      /** The Telegram group that the report comes from; it names the organization. */ telegramGroupId: z.optional(text),
      /** The title of the report. */ title: z.optional(sized(3)),
      /** The description of the report. */ description: z.optional(text),
      /** How to reach the reporter. */ contactInfo: z.optional(text),
      /** The addresses that `attachments.upload` returned. */ attachmentUrls: z.optional(array(text)),
      /** The address of the submission elsewhere. */ externalSubmissionLink: z.optional(text),
      /** The browser of the reporter. */ userAgent: z.optional(text),
      /** The page that the reporter came from. */ referrer: z.optional(text),
      /** The text that the reporter typed. */ rawAssetsInput: z.optional(text),
      /** Who reported it on another platform. */ externalReporter: z.optional(
        strict({
          /** The reporter's id on the platform; no answer shows it. */ platformIdentifier: z.optional(text),
          /** The platform. */ platform: z.optional(text),
          /** The name on that platform. */ displayName: z.optional(text),
          /** The address of its picture. */ avatarUrl: z.optional(text),
        }),
      ),
    }),
    essential: 'id',
    output: object({
      /** The id of the report. */ id: number,
      createdAt: time,
      // Older documentation has `null` for a report without an organization.
      /** The organization of the report. */ organization: objectOrNull({
        id: number,
        /** Its slug, which names it in other calls. */ slug: text,
        name: text,
      }),
    }),
  }),
  /** List the existing reports about these assets, newest first. */
  search: read('reportsSearch', 'POST', {
    slugAs: 'slug',
    input: strict({
      /** The organization, by its slug. */ slug: z.optional(text),
      /** The assets as text, such as links or addresses. */ assetContents: array(text),
      /** Only reports by the organization itself, or only reports by others. */ reportedByCustomer: provisional(flag),
      /** The largest number of reports to return. */ limit: provisional(between(1, 100)),
    }),
    essential: 'reports',
    output: object({
      reports: objects({
        id: number,
        /** How far the review is. */ status: open('reportStatus'),
        /** The assets as text. */ assets: array(text),
      }),
      /** How many reports there are. */ totalCount: draft(number),
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
    output: reportPage as ReportPageSchema,
  }),
  /**
   * Approve or reject a proposal that awaits the organization's decision. An approval blocks the asset for everyone. 10 a
   * day.
   */
  proposalsReview: write('organizationProposalsReview', 'POST /organization/proposals/{proposalId}/review', {
    slugAs: 'slug',
    input: ruled(
      strict({
        /** The proposal, by its id. */ proposalId: id,
        /** The asset, by its id. */ assetId: id,
        /** What was decided. */ decision: enums.reviewDecision,
        /** The organization, by its slug. */ slug: z.optional(text),
        /** The reason for a block. */ label: z.optional(enums.blockLabel),
        /** The brand, by its id. */ brandId: z.optional(id),
        /** Why it is rejected. */ rejectReason: z.optional(enums.rejectReason),
        /** Why it goes on the watchlist. */ watchlistReason: z.optional(enums.watchlistReason),
        /** A remark; `OTHER` needs one. */ note: z.optional(text),
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
      /** The proposal after the review. */ proposal: object({
        id: number,
        /** What was decided about the proposal. */ reviewStatus: open('proposalStatus', enums.proposalStatus),
        asset: assetRef as AssetRefSchema,
      }),
      /** The review. */ review: object({
        id: number,
        /** What was decided. */ decision: open('reviewDecision'),
        /** The reason for a block. */ label: text,
        /** The brand, by its id; `null` without one. */ brandId: z.nullable(number),
        /** The reason and the note. */ comment: text,
        createdAt: time,
      }),
      /** Whether the asset is on the watchlist now. */ watchlisted: flag,
    }),
  }),
}));

export const aboutReports: About<typeof reports> = {
  create: [
    'provisional seed public seed',
    { effect: ['stays', 'Files a report; no operation withdraws it.'], statuses: [404, 422, 429] },
  ],
  search: ['provisional seed provisional draft'],
  list: ['provisional seed seed seed', { statuses: [404] }],
  proposalsReview: [
    'provisional seed public public',
    { effect: ['ends', 'Decides the proposal; an approval blocks the asset for everyone.'], statuses: [404, 409, 429] },
  ],
};
