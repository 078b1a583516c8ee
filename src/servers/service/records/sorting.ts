import { Problem } from '../http/problem.js';

/** The values by which records can be sorted, by key. */
export type SortValues<Item> = Readonly<Record<string, (item: Item) => number | string | null>>;

/**
 * A page of records in the caller's order. The cursor is the id of the last record of the previous page, found among all records because
 * it may no longer match the filter.
 */
export function pageSorted<Item extends { readonly id: number }>(
  all: readonly Item[],
  wanted: (item: Item) => boolean,
  values: SortValues<Item>,
  keys: readonly { readonly key: string; readonly direction: string }[],
  cursor: string | undefined,
  size: number,
): { items: Item[]; next: string | null } {
  const newestFirst = keys.at(-1)?.direction === 'desc';
  const sorted = [...all].sort((a, b) => {
    for (const { key, direction } of keys) {
      const sign = compare(values[key]!(a), values[key]!(b));
      if (sign !== 0) return direction === 'desc' ? -sign : sign;
    }
    return newestFirst ? b.id - a.id : a.id - b.id;
  });
  const at = cursor === undefined ? -1 : sorted.findIndex(({ id }) => String(id) === cursor);
  if (cursor !== undefined && at < 0) throw new Problem(400, 'The cursor is invalid; use the one from the previous page.');
  const rest = sorted.slice(at + 1).filter(wanted);
  const items = rest.slice(0, size);
  const last = items[items.length - 1];
  return { items, next: last !== undefined && rest.length > size ? String(last.id) : null };
}

/** `null` comes first. */
function compare(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}
