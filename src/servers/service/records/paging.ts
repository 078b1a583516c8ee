import { Problem } from '../http/problem.js';

/** One page of records in the order of their ids, from behind the record a cursor names. */
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

/** The same for what is shown newest first. */
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

/** Cursors are ours to make; another text is none of them. */
function positionOf(cursor: string | number): number {
  if (!/^[1-9]\d{0,15}$/.test(String(cursor))) throw new Problem(400, 'This is no cursor of this service.');
  return Number(cursor);
}
