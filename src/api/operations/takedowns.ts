import * as z from 'zod/mini';
import { day, draft, flag, id, number, numberOrText, open, provisional, text, time } from './fields.js';
import { array, between, loose, made, object, strict } from './kinds.js';
import { type About, read } from './operation.js';
import { brandRef, named } from './records.js';
import * as enums from './value-lists.js';

/** Takedowns and their progress. */
export const takedowns = /* @__PURE__ */ made(() => ({
  /** List the organization's takedowns, with filters by status, time and asset. */
  list: read('takedownsList', 'POST', {
    slugAs: 'slug',
    paging: { style: 'next_page', items: 'takedowns', maxPageSize: 100 },
    input: loose({
      query: z.optional(text),
      startDate: z.optional(day),
      endDate: z.optional(day),
      assetType: z.optional(array(enums.assetType)),
      takedownStatus: z.optional(array(open('takedownStatus'))),
      livenessStatus: z.optional(array(enums.livenessStatus)),
      sorting: z.optional(array(strict({ key: enums.takedownSortKey, direction: enums.sortDirection }))),
      per_page: z.optional(between(1, 100)),
      next_page: z.optional(text),
      slug: provisional(text),
      brandIds: provisional(array(id)),
      assigneeIds: provisional(array(id)),
      hideAutomatedTakedowns: provisional(flag),
      hideAutomatedLivenessChecks: provisional(flag),
    }),
    output: object({
      takedowns: array(
        object({
          id: number,
          status: open('takedownStatus'),
          createdAt: time,
          updatedAt: time,
          asset: object({
            id: number,
            content: text,
            type: open('assetType'),
            livenessStatus: z.nullable(open('livenessStatus')),
            blockedAt: draft(z.nullable(time)),
          }),
          assignee: z.nullable(object({ id: number, fullName: text })),
          brand: z.nullable(brandRef),
          externalId: draft(z.nullable(text)),
          hasFilingDelay: draft(flag),
          hasLivenessCheckDelay: draft(flag),
          domainRegistrar: draft(z.nullable(named)),
          hostingProvider: draft(z.nullable(named)),
          tldRegistrar: draft(z.nullable(named)),
        }),
      ),
      next_page: z.optional(z.nullable(numberOrText)),
    }),
  }),
}));

export const aboutTakedowns: About<typeof takedowns> = {
  list: ["List the organization's takedowns, with filters by status, time and asset.", 'provisional public public public'],
};
