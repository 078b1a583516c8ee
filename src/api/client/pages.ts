import { PortcullisError } from '../../core/errors.js';
import type { Operation } from '../operations/operation.js';

/** For each style, the input's keys for page size and next page, and the response's keys for the next page; the first one present counts. */
const keys = {
  cursor: { size: 'limit', next: 'cursor', answer: ['nextCursor', 'cursor'] },
  next_page: { size: 'per_page', next: 'next_page', answer: ['next_page'] },
} as const;

/**
 * Empty pages in a row. A service that filters after it pages may return some: these would be 20,000 reports, none of which match. A new
 * cursor for each would never end.
 */
const maxEmptyPages = 1_000;

/** Every item of a list, page by page. Pages are the largest the service offers unless the input says otherwise. */
export async function* itemsOf(
  { name: operation, paging }: Operation,
  input: Readonly<Record<string, unknown>>,
  pageOf: (input: Record<string, unknown>) => Promise<unknown>,
): AsyncGenerator<unknown, void, void> {
  const { style, items, maxPageSize } = paging!;
  const { size, next, answer } = keys[style];
  let page: Record<string, unknown> = { ...input, [size]: input[size] ?? maxPageSize };
  const seen = new Set<unknown>([input[next]]);
  for (let emptyPages = 0; ; ) {
    const found = (await pageOf(page)) as Record<string, unknown>;
    const list = found[items] as unknown[];
    yield* list;
    const cursor = answer.map((key) => found[key]).find((value) => value || value === 0);
    // The list would end at a cursor that is elsewhere, and its caller would not notice.
    const isElsewhere = Object.values(found).some((field) => answer.some((key) => Object(field)[key]));
    if (cursor === undefined && !isElsewhere) return;
    emptyPages = list.length > 0 ? 0 : emptyPages + 1;
    const fault =
      typeof cursor !== 'number' && typeof cursor !== 'string'
        ? 'a cursor must be a number or a string, beside the list'
        : seen.has(cursor) || emptyPages > maxEmptyPages
          ? 'the pages never end: a cursor is repeated, or too many pages are empty'
          : undefined;
    if (fault) throw new PortcullisError('INVALID_RESPONSE', fault, { operation });
    seen.add(cursor);
    page = { ...page, [next]: style === 'next_page' ? String(cursor) : cursor };
  }
}
