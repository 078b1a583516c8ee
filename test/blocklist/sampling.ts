import { isDeep } from '../support/setup.js';

/** All items in `npm run test:deep`; in `npm test` this many, evenly spread, the first and the last among them. */
export function sample<T>(items: readonly T[], count: number): readonly T[] {
  if (isDeep || items.length <= count) return items;
  return Array.from({ length: count }, (_, at) => items[Math.round((at * (items.length - 1)) / (count - 1))]!);
}

/** The step of a series: every place in `npm run test:deep`, every `fast`-th in `npm test`. */
export const stride = (fast: number): number => (isDeep ? 1 : fast);
