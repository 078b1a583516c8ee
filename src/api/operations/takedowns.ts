import { day, draft, flag, id, number, numberOrText, open, provisional, text, time } from './fields.js';
import { array, between, loose, made, object, objectOrNull, objects, optionalItems } from './kinds.js';
import { type About, read } from './operation.js';
import {
  type BrandRefSchema,
  brandRef,
  type NamedSchema,
  named,
  type TakedownEvidenceSchema,
  takedownEvidence,
} from './records.js';
import * as enums from './value-lists.js';
import * as z from './zod.js';

/** Takedowns and their progress. */
export const takedowns = /* @__PURE__ */ made(() => ({
  /** List the organization's takedowns, with filters by status, time and asset. */
  list: read('takedownsList', 'POST', {
    slugAs: 'slug',
    paging: { style: 'next_page', items: 'takedowns', maxPageSize: 100 },
    input: loose({
      /** Only what contains this text. */ query: z.optional(text),
      /** The first day of the range. */ startDate: z.optional(day),
      /** The last day of the range, which is included. */ endDate: z.optional(day),
      /** Only these asset types. */ assetType: z.optional(array(enums.assetType)),
      /** Only takedowns with one of these statuses. */ takedownStatus: z.optional(array(open('takedownStatus'))),
      /** Only takedowns of sites in one of these states. */ livenessStatus: z.optional(array(enums.livenessStatus)),
      /** The order of the items; the first key counts most. */ sorting: optionalItems({
        /** What the items are sorted by. */ key: enums.takedownSortKey,
        /** The direction. */ direction: enums.sortDirection,
      }),
      /** Items of one page. */ per_page: z.optional(between(1, 100)),
      /** Where the page starts: the `next_page` of the page before it. */ next_page: z.optional(text),
      /** The organization, by its slug. */ slug: provisional(text),
      /** Only these brands, by their ids. */ brandIds: provisional(array(id)),
      /** Only takedowns of these people, by their ids. */ assigneeIds: provisional(array(id)),
      /** Leave out takedowns that automation handles. */ hideAutomatedTakedowns: provisional(flag),
      /** Leave out takedowns with automated liveness checks. */ hideAutomatedLivenessChecks: provisional(flag),
    }),
    output: object({
      /** The takedowns. */ takedowns: objects({
        id: number,
        /** How far the takedown is. */ status: open('takedownStatus'),
        createdAt: time,
        updatedAt: time,
        asset: object({
          id: number,
          /** The asset as text, such as a link or an address. */ content: text,
          /** The type of asset. */ type: open('assetType'),
          /** Whether the site answers; `null` if it was never checked. */ livenessStatus: z.nullable(open('livenessStatus')),
          /** When it was blocked, in ISO 8601. */ blockedAt: draft(z.nullable(time)),
        }),
        /** Who handles it; `null` for no one. */ assignee: objectOrNull({
          id: number,
          fullName: text,
        }),
        /** The brand; `null` without one. */ brand: z.nullable(brandRef as BrandRefSchema),
        /** The id at the provider. */ externalId: draft(z.nullable(text)),
        /** Whether filing was delayed. */ hasFilingDelay: draft(flag),
        /** Whether the liveness check was delayed. */ hasLivenessCheckDelay: draft(flag),
        /** The registrar of the domain. */ domainRegistrar: draft(z.nullable(named as NamedSchema)),
        /** Who hosts the site. */ hostingProvider: draft(z.nullable(named as NamedSchema)),
        /** The registrar of the top-level domain. */ tldRegistrar: draft(z.nullable(named as NamedSchema)),
        /** The files that were sent with the takedown. */
        attachments: provisional(array(takedownEvidence as TakedownEvidenceSchema)),
      }),
      /** Where the next page starts; `null` or absent on the last one. */ next_page: z.optional(z.nullable(numberOrText)),
    }),
  }),
}));

export const aboutTakedowns: About<typeof takedowns> = {
  list: ['provisional public public public'],
};
