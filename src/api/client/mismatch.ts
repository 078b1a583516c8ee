import * as z from 'zod/mini';
import type { Issue } from '../../core/errors.js';
import type { Operation } from '../operations/operation.js';
import { issuesOf } from './client-issues.js';

/** Items of each list that are looked at: enough to notice another shape, and little work whatever a service sends. */
const itemsMax = 20;

/** What of an answer is not as documented, by a sample of it. Only a report: nothing here can make a call fail. */
export function mismatchesOf({ output }: Operation, value: unknown): Issue[] {
  try {
    const sample = JSON.stringify(value, (_, item) => (Array.isArray(item) ? item.slice(0, itemsMax) : item));
    const checked = z.safeParse(output, JSON.parse(sample));
    return checked.success ? [] : issuesOf(checked.error);
  } catch {
    return [];
  }
}
