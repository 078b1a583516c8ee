import type { Issue } from '../../core/errors.js';
import type { Operation } from '../operations/operation.js';
import * as z from '../operations/zod.js';
import { issuesOf } from './client-issues.js';

/** Items checked of each list: enough to notice another shape, at little cost. */
const maxItems = 20;

/** How a sample of a response differs from the documentation. Only reported: it never makes a call fail. */
export function mismatchesOf({ output }: Operation, value: unknown): Issue[] {
  try {
    const sample = JSON.stringify(value, (_, item) => (Array.isArray(item) ? item.slice(0, maxItems) : item));
    return issuesOf(z.check(output, JSON.parse(sample)));
  } catch {
    return [];
  }
}
