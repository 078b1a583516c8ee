import * as z from 'zod/mini';
import { day, draft, filled, id, number, numberOrText, open, provisional, text, time } from './fields.js';
import { between, listOf, loose, made, ruled, strict, unshown } from './kinds.js';
import { type About, read, write } from './operation.js';
import { takedownTask } from './records.js';
import * as enums from './value-lists.js';

/** Checking, submitting, scanning and searching assets. */
export const assets = /* @__PURE__ */ made(() => ({
  /** Is this asset blocked, allowed or unknown, here and in the feeds of others? Up to 10 calls a second. */
  check: read('assetCheck', 'POST /asset/check', {
    input: strict({ content: text }),
    output: z.object({
      status: open('assetStatus'),
      source: open('checkSource'),
      sources: z.array(z.object({ source: open('checkSource'), status: open('assetStatus') })),
      reason: z.optional(open('checkReason')),
      message: z.optional(text),
      code: z.optional(open('checkCode')),
    }),
  }),
  /** All assets of one type and status that changed between two days. Removals stand in the lists of the other statuses. */
  list: read('assetList', 'POST /asset/list', {
    paging: { style: 'next_page', items: 'assets', pageMax: 10_000 },
    input: strict({
      type: enums.assetType,
      status: z.optional(enums.assetStatus),
      startDate: z.optional(day),
      endDate: z.optional(day),
      per_page: z.optional(between(1, 10_000)),
      next_page: z.optional(z.nullable(text)),
      organizationSlug: z.optional(text),
    }),
    output: z.object({
      assets: z.array(
        z.object({
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
  /** The latest changes of assets from one status to another. */
  changelog: read('assetChangelog', 'POST /asset/changelog', {
    input: loose({ type: z.optional(enums.assetType) }),
    output: unshown,
  }),
  /** One asset by its content or id, with its reports, its takedown and who uses the block. */
  search: read('assetSearch', 'POST /asset/search', {
    input: ruled(strict({ content: z.optional(text), assetId: z.optional(id) }), {
      'give either content or assetId': (input) => (input.content === undefined) !== (input.assetId === undefined),
    }),
    output: z.object({
      asset: z.nullable(
        z.object({
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
      reports: z.array(z.object({ id: number, title: text, status: open('reportStatus'), createdAt: time })),
      takedown: z.nullable(
        z.object({
          id: number,
          status: open('takedownStatus'),
          createdAt: time,
          updatedAt: time,
          tasks: z.array(takedownTask),
        }),
      ),
      blockedBy: z.array(z.object({ consumer: text, name: text, consumedAt: time })),
      scans: draft(z.array(z.object({ id: number, createdAt: time }))),
    }),
  }),
  /** Hand in up to 100 assets to be classified. Under an organization their scans start at once. */
  submit: write('assetSubmit', 'POST /asset/submit', {
    slugAs: 'organizationSlug',
    input: strict({ assets: listOf(text, 1, 100), organizationSlug: z.optional(text) }),
    output: z.object({
      submittedAssets: z.array(z.object({ asset: text, assetId: number, scanId: z.optional(number) })),
    }),
  }),
  /** Unblock an asset of your own organization; for somebody else's it opens a dispute. */
  unblock: write('assetUnblock', 'POST /asset/unblock', {
    slugAs: 'slug',
    input: loose({ content: provisional(text), slug: provisional(text) }),
    output: unshown,
  }),
  /** The normal form and the type of some text, by the rules of the service. */
  parse: read('assetParse', 'POST /asset/parse', {
    input: strict({ content: filled }),
    output: z.nullable(
      z.object({
        content: z.optional(text),
        submittedContent: z.optional(text),
        type: z.optional(open('assetType')),
      }),
    ),
  }),
  /** Start a scan of an asset; its end can be reported to an address. With a slug it looks for abuse of its brands. */
  scan: write('assetScan', 'POST /asset/scan', {
    input: loose({ content: provisional(text), slug: provisional(text), callbackUrl: provisional(text) }),
    output: loose({ scanId: provisional(number) }),
  }),
  /** One scan: what it gathered, which rules matched, its labels and score. */
  scanResult: read('scanResult', 'POST /scan/result', {
    input: loose({ scanId: provisional(id) }),
    output: unshown,
  }),
}));

export const aboutAssets: About<typeof assets> = {
  check: [
    'Is this asset blocked, allowed or unknown, here and in the feeds of others? Up to 10 calls a second.',
    'public public public public',
  ],
  list: [
    'All assets of one type and status that changed between two days. Removals stand in the lists of the other statuses.',
    'provisional public public public',
  ],
  changelog: ['The latest changes of assets from one status to another.', 'public public public provisional'],
  search: [
    'One asset by its content or id, with its reports, its takedown and who uses the block.',
    'public public public public',
  ],
  submit: [
    'Hand in up to 100 assets to be classified. Under an organization their scans start at once.',
    'provisional public public public',
    { scoped: 'none' },
  ],
  unblock: [
    "Unblock an asset of your own organization; for somebody else's it opens a dispute.",
    'provisional public provisional provisional',
    { destructive: true },
  ],
  parse: ['The normal form and the type of some text, by the rules of the service.', 'public public public public'],
  scan: [
    'Start a scan of an asset; its end can be reported to an address. With a slug it looks for abuse of its brands.',
    'provisional public provisional provisional',
  ],
  scanResult: [
    'One scan: what it gathered, which rules matched, its labels and score.',
    'provisional public provisional provisional',
  ],
};
