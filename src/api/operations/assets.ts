import * as z from 'zod/mini';
import { day, draft, filled, id, number, numberOrText, open, provisional, text, time } from './fields.js';
import { array, between, listOf, loose, made, object, ruled, strict, typed } from './kinds.js';
import { type About, read, write } from './operation.js';
import { changelogAnswer, scanAnswer, scanResultAnswer, unblockAnswer } from './provisional-answers.js';
import { takedownTask } from './records.js';
import * as enums from './value-lists.js';

/** Checking, submitting, scanning and searching assets. */
export const assets = /* @__PURE__ */ made(() => ({
  /** Check whether an asset is blocked, allowed or unknown, here and in third-party feeds. Up to 10 calls a second. */
  check: read('assetCheck', 'POST', {
    input: strict({ content: text }),
    essential: 'status',
    output: object({
      status: open('assetStatus'),
      source: open('checkSource'),
      sources: array(object({ source: open('checkSource'), status: open('assetStatus') })),
      reason: z.optional(open('checkReason')),
      message: z.optional(text),
      code: z.optional(open('checkCode')),
    }),
  }),
  /**
   * List all assets of one type and status that changed between two days. Removals appear in the lists of the other
   * statuses.
   */
  list: read('assetList', 'POST', {
    paging: { style: 'next_page', items: 'assets', maxPageSize: 10_000 },
    input: strict({
      type: enums.assetType,
      status: z.optional(enums.assetStatus),
      startDate: z.optional(day),
      endDate: z.optional(day),
      per_page: z.optional(between(1, 10_000)),
      next_page: z.optional(z.nullable(text)),
      organizationSlug: z.optional(text),
    }),
    output: object({
      assets: array(
        object({
          content: text,
          type: open('assetType'),
          status: open('assetStatus'),
          watchStatus: open('watchStatus'),
          updatedAt: time,
          id: draft(number),
          livenessStatus: draft(z.nullable(open('livenessStatus'))),
          blockedAt: draft(z.nullable(time)),
          reason: z.optional(text),
        }),
      ),
      next_page: z.optional(z.nullable(numberOrText)),
    }),
  }),
  /** List the latest status changes of assets. */
  changelog: read('assetChangelog', 'POST', {
    input: loose({ type: z.optional(enums.assetType) }),
    output: typed<typeof changelogAnswer>(),
  }),
  /** Get one asset by its content or id, with its reports, its takedown and the feeds that use the block. */
  search: read('assetSearch', 'POST', {
    input: ruled(strict({ content: z.optional(text), assetId: z.optional(id) }), {
      'give either content or assetId': (input) => (input.content === undefined) !== (input.assetId === undefined),
    }),
    essential: 'asset.status',
    output: object({
      asset: z.nullable(
        object({
          id: number,
          content: text,
          type: open('assetType'),
          status: open('assetStatus'),
          watchStatus: open('watchStatus'),
          createdAt: time,
          updatedAt: time,
          livenessStatus: draft(z.nullable(open('livenessStatus'))),
          blockedAt: draft(z.nullable(time)),
        }),
      ),
      reports: array(object({ id: number, title: text, status: open('reportStatus'), createdAt: time })),
      takedown: z.nullable(
        object({
          id: number,
          status: open('takedownStatus'),
          createdAt: time,
          updatedAt: time,
          tasks: array(takedownTask),
        }),
      ),
      blockedBy: array(object({ consumer: text, name: text, consumedAt: time })),
      scans: draft(array(object({ id: number, createdAt: time }))),
    }),
  }),
  /** Submit up to 100 assets for classification. With an organization, their scans start at once. */
  submit: write('assetSubmit', 'POST', {
    slugAs: 'organizationSlug',
    input: strict({ assets: listOf(text, 1, 100), organizationSlug: z.optional(text) }),
    essential: 'submittedAssets.assetId',
    output: object({
      submittedAssets: array(object({ asset: text, assetId: number, scanId: z.optional(number) })),
    }),
  }),
  /** Unblock an asset of your own organization; for any other asset this opens a dispute. */
  unblock: write('assetUnblock', 'POST', {
    slugAs: 'slug',
    input: loose({ content: provisional(text), slug: provisional(text) }),
    output: typed<typeof unblockAnswer>(),
  }),
  /** Parse a text into an asset: its normalized form and its type, by the rules of the service. */
  parse: read('assetParse', 'POST', {
    input: strict({ content: filled }),
    essential: 'content',
    output: z.nullable(
      object({
        content: z.optional(text),
        submittedContent: z.optional(text),
        type: z.optional(open('assetType')),
      }),
    ),
  }),
  /**
   * Start a scan of an asset, with an optional callback URL. With a slug, the scan looks for abuse of that organization's
   * brands.
   */
  scan: write('assetScan', 'POST', {
    input: loose({ content: provisional(text), slug: provisional(text), callbackUrl: provisional(text) }),
    output: typed<typeof scanAnswer>(),
  }),
  /** Get one scan: the data it gathered, the rules that matched, its labels and score. */
  scanResult: read('scanResult', 'POST', {
    input: loose({ scanId: provisional(id) }),
    output: typed<typeof scanResultAnswer>(),
  }),
}));

export const aboutAssets: About<typeof assets> = {
  check: [
    'Check whether an asset is blocked, allowed or unknown, here and in third-party feeds. Up to 10 calls a second.',
    'public public public public',
  ],
  list: [
    'List all assets of one type and status that changed between two days. Removals appear in the lists of the other statuses.',
    'provisional public public public',
  ],
  changelog: ['List the latest status changes of assets.', 'public public public provisional', { output: changelogAnswer }],
  search: [
    'Get one asset by its content or id, with its reports, its takedown and the feeds that use the block.',
    'public public public public',
  ],
  submit: [
    'Submit up to 100 assets for classification. With an organization, their scans start at once.',
    'provisional public public public',
    { scoped: 'none' },
  ],
  unblock: [
    'Unblock an asset of your own organization; for any other asset this opens a dispute.',
    'provisional public provisional provisional',
    { destructive: true, output: unblockAnswer },
  ],
  parse: [
    'Parse a text into an asset: its normalized form and its type, by the rules of the service.',
    'public public public public',
  ],
  scan: [
    "Start a scan of an asset, with an optional callback URL. With a slug, the scan looks for abuse of that organization's brands.",
    'provisional public provisional provisional',
    { output: scanAnswer },
  ],
  scanResult: [
    'Get one scan: the data it gathered, the rules that matched, its labels and score.',
    'provisional public provisional provisional',
    { output: scanResultAnswer },
  ],
};
