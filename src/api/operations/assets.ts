import { day, draft, filled, id, number, numberOrText, open, provisional, text, time } from './fields.js';
import { array, between, listOf, loose, made, object, objectOrNull, objects, ruled, strict, typed, unshown } from './kinds.js';
import { type About, read, write } from './operation.js';
import * as answers from './provisional-answers.js';
import { type TakedownEvidenceSchema, type TakedownTaskSchema, takedownEvidence, takedownTask } from './records.js';
import * as enums from './value-lists.js';
import * as z from './zod.js';

/** The part of a scan by which its caller decides. */
const withScanStatus = /* @__PURE__ */ made(() => loose({ status: provisional(open('scanStatus', enums.scanStatus)) }));

/** Checking, submitting, scanning and searching assets. */
export const assets = /* @__PURE__ */ made(() => ({
  /**
   * Check whether an asset is blocked, allowed or unknown, here and in third-party feeds. An answer with a `code` was not
   * looked up. Up to 10 calls a second.
   */
  check: read('assetCheck', 'POST', {
    input: strict({
      /** The asset as text, such as a link or an address. */ content: text,
    }),
    essential: 'status',
    output: object({
      /** Whether it is blocked, allowed or unknown. */ status: open('assetStatus', enums.assetStatus),
      /** The feed; the service has a name of its own. */ source: open('checkSource'),
      /** What each source says. */ sources: objects({
        /** The feed; the service has a name of its own. */ source: open('checkSource'),
        /** Whether it is blocked, allowed or unknown. */ status: open('assetStatus'),
      }),
      /** Why the answer is what it is. */ reason: z.optional(open('checkReason')),
      /** An explanation for people. */ message: z.optional(text),
      /** Why the content was not looked up; the status then says nothing. */ code: z.optional(open('checkCode')),
    }),
  }),
  /**
   * List all assets of one type and status that changed between two days. Removals appear in the lists of the other
   * statuses.
   */
  list: read('assetList', 'POST', {
    paging: { style: 'next_page', items: 'assets', maxPageSize: 10_000 },
    input: strict({
      /** The type of the assets. */ type: enums.assetType,
      /** The status of the assets; `BLOCKED` by default. */ status: z.optional(enums.assetStatus),
      /** The first day of the changes; without dates, those of the last day are listed. */ startDate: z.optional(day),
      /** The last day of the changes, which is included. */ endDate: z.optional(day),
      /** Items of one page. */ per_page: z.optional(between(1, 10_000)),
      /** Where the page starts: the `next_page` of the page before it. */ next_page: z.optional(z.nullable(text)),
      /** The organization, by its slug. */ organizationSlug: z.optional(text),
    }),
    output: object({
      assets: objects({
        /** The asset as text, such as a link or an address. */ content: text,
        /** The type of asset. */ type: open('assetType'),
        /** Whether it is blocked, allowed or unknown. */ status: open('assetStatus'),
        /** Whether the service watches the asset for changes. */ watchStatus: open('watchStatus'),
        updatedAt: time,
        id: draft(number),
        /** Whether the site answers; `null` if it was never checked. */
        livenessStatus: draft(z.nullable(open('livenessStatus'))),
        /** When it was blocked, in ISO 8601. */ blockedAt: draft(z.nullable(time)),
        /** Why the asset has this status. */ reason: z.optional(text),
      }),
      /** Where the next page starts; `null` or absent on the last one. */ next_page: z.optional(z.nullable(numberOrText)),
    }),
  }),
  /** List the latest status changes of assets. */
  changelog: read('assetChangelog', 'POST', {
    input: loose({
      /** Only changes of this type of asset. */ type: z.optional(enums.assetType),
    }),
    output: typed<answers.ChangelogAnswer>(unshown),
  }),
  /** Get one asset by its content or id, with its reports, its takedown and the feeds that use the block. */
  search: read('assetSearch', 'POST', {
    input: ruled(
      strict({
        /** The asset as text, such as a link or an address. */ content: z.optional(text),
        /** The asset, by its id. */ assetId: z.optional(id),
      }),
      {
        'give either content or assetId': (input) => (input.content === undefined) !== (input.assetId === undefined),
      },
    ),
    essential: 'asset.status',
    output: object({
      /** The asset; `null` if the service does not know it. */ asset: objectOrNull({
        id: number,
        /** The asset as text, such as a link or an address. */ content: text,
        /** The type of asset. */ type: open('assetType'),
        /** Whether it is blocked, allowed or unknown. */ status: open('assetStatus', enums.assetStatus),
        /** Whether the service watches the asset for changes. */ watchStatus: open('watchStatus'),
        createdAt: time,
        updatedAt: time,
        /** Whether the site answers; `null` if it was never checked. */
        livenessStatus: draft(z.nullable(open('livenessStatus'))),
        /** When it was blocked, in ISO 8601. */ blockedAt: draft(z.nullable(time)),
      }),
      reports: objects({
        id: number,
        /** The title of the report. */ title: text,
        /** How far the review is. */ status: open('reportStatus'),
        createdAt: time,
      }),
      /** The takedown of the asset; `null` if there is none. */ takedown: objectOrNull({
        id: number,
        /** How far the takedown is. */ status: open('takedownStatus'),
        createdAt: time,
        updatedAt: time,
        /** The steps of the takedown, one for each provider. */ tasks: array(takedownTask as TakedownTaskSchema),
        /** The files that were sent with the takedown. */
        attachments: provisional(array(takedownEvidence as TakedownEvidenceSchema)),
      }),
      /** The products that use the block. */ blockedBy: objects({
        /** The product that uses the block. */ consumer: text,
        /** The name of that product. */ name: text,
        /** When the product took it over, in ISO 8601. */ consumedAt: time,
      }),
      /** The scans of the asset. */ scans: draft(
        objects({
          id: number,
          createdAt: time,
        }),
      ),
    }),
  }),
  /** Submit up to 100 assets for classification. With an organization, their scans start at once. */
  submit: write('assetSubmit', 'POST', {
    slugAs: 'organizationSlug',
    input: strict({
      /** The assets as text, such as links or addresses. */ assets: listOf(text, 1, 100),
      /** The organization, by its slug. */ organizationSlug: z.optional(text),
    }),
    essential: 'submittedAssets.assetId',
    output: object({
      /** One entry for each asset that was sent. */ submittedAssets: objects({
        /** The asset as text. */ asset: text,
        /** The id of the asset. */ assetId: number,
        /** The id of the scan that was started. */ scanId: z.optional(number),
      }),
    }),
  }),
  /** Unblock an asset of your own organization; for any other asset this opens a dispute. */
  unblock: write('assetUnblock', 'POST', {
    slugAs: 'slug',
    input: loose({
      /** The asset as text, such as a link or an address. */ content: provisional(text),
      /** The organization, by its slug. */ slug: provisional(text),
    }),
    output: typed<answers.UnblockAnswer>(),
  }),
  /** Parse a text into an asset: its normalized form and its type, by the rules of the service. */
  parse: read('assetParse', 'POST', {
    input: strict({
      /** The asset as text, such as a link or an address. */ content: filled,
    }),
    essential: 'content',
    output: objectOrNull({
      /** The asset in its normalized form. */ content: z.optional(text),
      /** The text that was sent. */ submittedContent: z.optional(text),
      /** The type of asset. */ type: z.optional(open('assetType')),
    }),
  }),
  /**
   * Start a scan of an asset, with an optional callback URL. With a slug, the scan looks for abuse of that organization's
   * brands.
   */
  scan: write('assetScan', 'POST', {
    input: loose({
      /** The asset as text, such as a link or an address. */ content: provisional(text),
      /** The organization, by its slug. */ slug: provisional(text),
      /** The absolute URL of http or https to which the service sends the result. */ callbackUrl: provisional(text),
    }),
    output: typed<answers.ScanAnswer>(withScanStatus),
  }),
  /** Get one scan: the data it gathered, the rules that matched, its labels and score. */
  scanResult: read('scanResult', 'POST', {
    input: loose({
      /** The scan, by its id. */ scanId: provisional(id),
    }),
    output: typed<answers.ScanResultAnswer>(withScanStatus),
  }),
}));

export const aboutAssets: About<typeof assets> = {
  check: ['public public public public'],
  list: ['provisional public public public'],
  changelog: ['public public public provisional', { output: answers.changelogAnswer }],
  search: ['public public public public'],
  submit: [
    'provisional public public public',
    { effect: ['stays', 'Sends the assets to the service for classification; no operation takes them back.'], scoped: 'none' },
  ],
  unblock: [
    'provisional public provisional provisional',
    { effect: ['ends', 'Lifts the block of the asset, or opens a dispute about it.'], output: answers.unblockAnswer },
  ],
  parse: ['public public public public'],
  scan: [
    'provisional public provisional provisional',
    {
      effect: ['stays', 'The service visits the asset and sends the result to callbackUrl; no operation stops it.'],
      output: answers.scanAnswer,
    },
  ],
  scanResult: ['provisional public provisional provisional', { output: answers.scanResultAnswer }],
};
