import { Problem } from '../http/problem.js';
import { hostFacts, hostingProvider } from '../records/host-facts.js';
import { type Order, pageSorted } from '../records/sorting.js';
import { livenessOf, type TakedownNow, takedownNow } from '../records/takedown-records.js';
import { brandRef } from '../records/threats.js';
import { evidenceOf } from '../records/uploads.js';
import { dayMs, dayOf, type Handlers, iso, isoOrNull, organizationOf } from './handler-context.js';

const values: Readonly<Record<string, Order<TakedownNow>['value']>> = {
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
    const fromMs = input.startDate === undefined ? Number.NEGATIVE_INFINITY : dayOf(input.startDate);
    const toMs = input.endDate === undefined ? Number.POSITIVE_INFINITY : dayOf(input.endDate) + dayMs;
    if (toMs <= fromMs) throw new Problem(400, 'endDate is before startDate.');
    const assetOf = ({ assetId }: TakedownNow) => {
      const asset = state.get('assets', assetId)!;
      return { ...asset, livenessStatus: livenessOf(call, asset) };
    };
    const isWanted = (takedown: TakedownNow): boolean => {
      const asset = assetOf(takedown);
      const { query, assetType, takedownStatus, livenessStatus, brandIds } = input;
      return (
        (query === undefined || asset.content.toLowerCase().includes(query.toLowerCase())) &&
        takedown.updatedAtMs >= fromMs &&
        takedown.updatedAtMs < toMs &&
        isIn(assetType, asset.type) &&
        isIn(takedownStatus, takedown.status) &&
        isIn(livenessStatus, asset.livenessStatus) &&
        (!brandIds?.length || (takedown.brandId !== null && brandIds.includes(takedown.brandId))) &&
        !input.assigneeIds?.length &&
        !(input.hideAutomatedTakedowns && takedown.automated)
        // hideAutomatedLivenessChecks has no effect: no liveness is checked here.
      );
    };
    const asked = input.sorting?.length ? input.sorting : [{ key: 'createdAt', direction: 'desc' }];
    const orders = asked.map(({ key, direction }) => ({ value: values[key]!, descending: direction === 'desc' }));
    const own = state.where('takedowns', 'organizationId', organization.id).map((takedown) => takedownNow(call, takedown));
    const page = pageSorted(own, isWanted, orders, input.next_page, input.per_page ?? 10);
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

function isIn(wanted: readonly string[] | undefined, value: string | null): boolean {
  return !wanted?.length || (value !== null && wanted.includes(value));
}
