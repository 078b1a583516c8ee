import { Problem } from '../http/problem.js';
import { type Order, pageSorted } from '../records/sorting.js';
import { livenessOf } from '../records/takedown-records.js';
import { threatsOf } from '../records/threats.js';
import type { AssetRecord } from '../state/state-tables.js';
import { dayMs, dayOf, type Handlers, iso, organizationOf } from './handler-context.js';

const values: Readonly<Record<string, Order<AssetRecord>['value']>> = {
  id: ({ id }) => id,
  blockedAt: ({ blockedAtMs }) => blockedAtMs,
  content: ({ content }) => content,
  type: ({ type }) => type,
};

export const threatHandlers = {
  threatsList(call, input) {
    const organization = organizationOf(call);
    const { state, clock } = call;
    const today = dayOf(iso(clock.now()));
    const fromMs = input.startDate === undefined ? today - dayMs : dayOf(input.startDate);
    const toMs = (input.endDate === undefined ? today : dayOf(input.endDate)) + dayMs;
    if (toMs <= fromMs) throw new Problem(400, 'endDate is before startDate.');
    const { query = '', assetType } = input;
    const blockedAt = threatsOf(state, organization.id);
    const isWanted = ({ id, content, type }: AssetRecord): boolean => {
      const atMs = blockedAt.get(id);
      return (
        atMs !== undefined &&
        atMs >= fromMs &&
        atMs < toMs &&
        content.toLowerCase().includes(query.toLowerCase()) &&
        (!assetType?.length || (assetType as readonly string[]).includes(type))
      );
    };
    const asked = input.sorting?.length ? input.sorting : [{ key: 'id', direction: 'asc' }];
    const orders = asked.map(({ key, direction }) => ({ value: values[key]!, descending: direction === 'desc' }));
    const page = pageSorted(state.all('assets'), isWanted, orders, input.next_page, input.per_page ?? 10);
    return {
      threats: page.items.map((asset) => ({
        id: asset.id,
        content: asset.content,
        type: asset.type,
        blockedAt: iso(blockedAt.get(asset.id)!),
        livenessStatus: livenessOf(call, asset),
      })),
      next_page: page.next,
    };
  },
} satisfies Partial<Handlers>;
