import { daysIn } from '../records/date-ranges.js';
import { hostFacts, hostingProvider } from '../records/host-facts.js';
import { pageSorted, type SortValues } from '../records/sorting.js';
import { livenessOf, type TakedownNow, takedownNow } from '../records/takedown-records.js';
import { brandRef } from '../records/threats.js';
import { evidenceOf } from '../records/uploads.js';
import { type Handlers, isAny, iso, isoOrNull, organizationOf } from './handler-context.js';

const values: SortValues<TakedownNow> = {
  createdAt: ({ createdAtMs }) => createdAtMs,
  updatedAt: ({ updatedAtMs }) => updatedAtMs,
  takedownStatus: ({ status }) => status,
  takedownUpdatedAt: ({ updatedAtMs }) => updatedAtMs,
  // Takedowns have no assignee here.
  assigneeId: () => null,
  brandId: ({ brandId }) => brandId,
};

export const takedownHandlers = {
  takedownsList(call, input) {
    const organization = organizationOf(call);
    const { state } = call;
    const isInDays = daysIn(input);
    const assetOf = ({ assetId }: TakedownNow) => {
      const asset = state.get('assets', assetId)!;
      return { ...asset, livenessStatus: livenessOf(call, asset) };
    };
    const isWanted = (takedown: TakedownNow): boolean => {
      const asset = assetOf(takedown);
      const { query, assetType, takedownStatus, livenessStatus, brandIds } = input;
      return (
        (query === undefined || asset.content.toLowerCase().includes(query.toLowerCase())) &&
        isInDays(takedown.updatedAtMs) &&
        isAny(assetType, [asset.type]) &&
        isAny(takedownStatus, [takedown.status]) &&
        isAny(livenessStatus, [asset.livenessStatus]) &&
        isAny(brandIds, [takedown.brandId]) &&
        !input.assigneeIds?.length &&
        !(input.hideAutomatedTakedowns && takedown.automated)
        // hideAutomatedLivenessChecks has no effect: no liveness is checked here.
      );
    };
    const own = state.where('takedowns', 'organizationId', organization.id).map((takedown) => takedownNow(call, takedown));
    const keys = input.sorting?.length ? input.sorting : [{ key: 'createdAt', direction: 'desc' }];
    const page = pageSorted(own, isWanted, values, keys, input.next_page, input.per_page ?? 10);
    return {
      takedowns: page.items.map((takedown) => {
        const { id, content, type, livenessStatus, blockedAtMs } = assetOf(takedown);
        return {
          id: takedown.id,
          status: takedown.status,
          createdAt: iso(takedown.createdAtMs),
          updatedAt: iso(takedown.updatedAtMs),
          asset: { id, content, type, livenessStatus, blockedAt: isoOrNull(blockedAtMs) },
          assignee: null,
          brand: brandRef(state, takedown.brandId),
          externalId: null,
          domainRegistrar: hostFacts({ type, content })?.registrar ?? null,
          hostingProvider,
          tldRegistrar: null,
          attachments: evidenceOf(state, takedown),
        };
      }),
      next_page: page.next,
    };
  },
} satisfies Partial<Handlers>;
