import { Problem } from '../http/problem.js';

export interface Order<Item> {
  readonly value: (item: Item) => number | string | null;
  readonly descending: boolean;
}

/**
 * One page of records in an order of the caller's. The cursor names the last record of the page before, and its place is looked for
 * among all records: it may have stopped being one of the wanted.
 */
export function pageSorted<Item extends { readonly id: number }>(
  all: readonly Item[],
  wanted: (item: Item) => boolean,
  orders: readonly Order<Item>[],
  cursor: string | undefined,
  size: number,
): { items: Item[]; next: string | null } {
  const newestFirst = orders[orders.length - 1]?.descending === true;
  const sorted = [...all].sort((a, b) => {
    for (const { value, descending } of orders) {
      const sign = compare(value(a), value(b));
      if (sign !== 0) return descending ? -sign : sign;
    }
    return newestFirst ? b.id - a.id : a.id - b.id;
  });
  const at = cursor === undefined ? -1 : sorted.findIndex(({ id }) => String(id) === cursor);
  if (cursor !== undefined && at < 0) throw new Problem(400, 'This is no cursor of this service.');
  const rest = sorted.slice(at + 1).filter(wanted);
  const items = rest.slice(0, size);
  const last = items[items.length - 1];
  return { items, next: last !== undefined && rest.length > size ? String(last.id) : null };
}

/** What has no value comes first. */
function compare(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}
