import { Problem } from '../http/problem.js';

/** A page of records by ascending id, after the id in the cursor. */
export function pageOf<Item extends { readonly id: number }>(
  items: readonly Item[],
  cursor: string | number | undefined,
  size: number,
): { items: Item[]; next: string | null } {
  const after = cursor === undefined ? 0 : positionOf(cursor);
  const rest = items.filter(({ id }) => id > after);
  const page = rest.slice(0, size);
  const last = page[page.length - 1];
  return { items: page, next: last !== undefined && rest.length > size ? String(last.id) : null };
}

/** A page of records by descending id, below the id in the cursor. */
export function pageBefore<Item extends { readonly id: number }>(
  items: readonly Item[],
  cursor: string | number | null | undefined,
  size: number,
): { items: Item[]; next: number | null } {
  const before = cursor === undefined || cursor === null ? Number.POSITIVE_INFINITY : positionOf(cursor);
  const rest = items.filter(({ id }) => id < before).sort((a, b) => b.id - a.id);
  const page = rest.slice(0, size);
  const last = page[page.length - 1];
  return { items: page, next: last !== undefined && rest.length > size ? last.id : null };
}

function positionOf(cursor: string | number): number {
  if (!/^[1-9]\d{0,15}$/.test(String(cursor)))
    throw new Problem(400, 'The cursor is invalid; use the one from the previous page.');
  return Number(cursor);
}
