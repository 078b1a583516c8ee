import { PortcullisError } from '../../core/errors.js';
import type { Operation } from '../operations/operation.js';

/** The keys under which each style asks for a page's size and for the next page, and reads where that is; the first that is there counts. */
const keys = {
  cursor: { size: 'limit', next: 'cursor', answer: ['nextCursor', 'cursor'] },
  next_page: { size: 'per_page', next: 'next_page', answer: ['next_page'] },
} as const;

/** Every item of a list, page after page, the largest pages the service gives unless the input says otherwise. */
export async function* itemsOf(
  { name: operation, paging }: Operation,
  input: Readonly<Record<string, unknown>>,
  pageOf: (input: Record<string, unknown>) => Promise<unknown>,
): AsyncGenerator<unknown, void, void> {
  const { style, items, pageMax } = paging!;
  const { size, next, answer } = keys[style];
  const wrong = (what: string): PortcullisError => new PortcullisError('INVALID_RESPONSE', what, { operation });
  let page: Record<string, unknown> = { ...input, [size]: input[size] ?? pageMax };
  const seen = new Set<unknown>();
  for (;;) {
    const found = (await pageOf(page)) as Record<string, unknown> | null;
    const list = found?.[items];
    if (!Array.isArray(list)) throw wrong(`a page has no list of ${items}`);
    yield* list;
    const cursor = answer.map((key) => found?.[key]).find((value) => value || value === 0);
    if (cursor === undefined) return;
    if (typeof cursor !== 'number' && typeof cursor !== 'string') throw wrong('a cursor is no text');
    // A service that hands out a cursor twice would keep us for ever.
    if (seen.has(cursor)) throw wrong('a cursor came twice');
    seen.add(cursor);
    page = { ...page, [next]: style === 'next_page' ? String(cursor) : cursor };
  }
}
