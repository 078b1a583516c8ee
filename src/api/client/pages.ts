import { PortcullisError } from '../../core/errors.js';
import type { Operation } from '../operations/operation.js';

/** For each style, the input's keys for page size and next page, and the response's keys for the next page; the first one present counts. */
const keys = {
  cursor: { size: 'limit', next: 'cursor', answer: ['nextCursor', 'cursor'] },
  next_page: { size: 'per_page', next: 'next_page', answer: ['next_page'] },
} as const;

/** Every item of a list, page by page. Pages are the largest the service offers unless the input says otherwise. */
export async function* itemsOf(
  { name: operation, paging }: Operation,
  input: Readonly<Record<string, unknown>>,
  pageOf: (input: Record<string, unknown>) => Promise<unknown>,
): AsyncGenerator<unknown, void, void> {
  const { style, items, maxPageSize } = paging!;
  const { size, next, answer } = keys[style];
  const wrong = (what: string): PortcullisError => new PortcullisError('INVALID_RESPONSE', what, { operation });
  let page: Record<string, unknown> = { ...input, [size]: input[size] ?? maxPageSize };
  const seen = new Set<unknown>();
  for (;;) {
    const found = (await pageOf(page)) as Record<string, unknown>;
    yield* found[items] as unknown[];
    const cursor = answer.map((key) => found[key]).find((value) => value || value === 0);
    if (cursor === undefined) return;
    if (typeof cursor !== 'number' && typeof cursor !== 'string') throw wrong('a cursor must be a number or a string');
    // A repeated cursor would never end.
    if (seen.has(cursor)) throw wrong('the service repeated a cursor');
    seen.add(cursor);
    page = { ...page, [next]: style === 'next_page' ? String(cursor) : cursor };
  }
}
