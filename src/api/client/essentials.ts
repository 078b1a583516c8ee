import type * as z from 'zod/mini';
import { facetsOf } from '../operations/kinds.js';
import type { Operation } from '../operations/operation.js';

/** Whether an answer has the field by which its caller decides. No other field matters. */
export function hasEssential({ output, essential }: Operation, answer: unknown): boolean {
  return essential !== '' && isUsable(output, answer, essential.split('.'));
}

/** Follows the path through objects, and in a list through each of its items. A value of the right kind ends it. */
function isUsable(type: z.core.$ZodType, value: unknown, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  const { def } = type._zod as { readonly def: Definition };
  switch (def.type) {
    case 'nullable':
      return value === null || isUsable(def.innerType, value, path);
    case 'optional':
      return isUsable(def.innerType, value, path);
    case 'array':
      if (!Array.isArray(value) || value.includes(null)) return false;
      return name === undefined || value.every((item) => isUsable(def.element, item, path));
    case 'object': {
      if (typeof value !== 'object' || value === null) return false;
      return name === undefined || isUsable(def.shape[name]!, (value as Record<string, unknown>)[name], rest);
    }
    default: {
      const { type: kind, list } = facetsOf(type) as { readonly type?: unknown; readonly list?: string };
      if (kind === 'boolean') return typeof value === 'boolean';
      // An id may be a number or a text, whatever its documentation says. A value of a list is a text, even one that is not known.
      return typeof value === 'string' ? value !== '' : list === undefined && typeof value === 'number';
    }
  }
}

/** The parts of zod's definitions that are read. */
type Definition =
  | { readonly type: 'nullable' | 'optional'; readonly innerType: z.core.$ZodType }
  | { readonly type: 'array'; readonly element: z.core.$ZodType }
  | { readonly type: 'object'; readonly shape: Readonly<Record<string, z.core.$ZodType>> }
  | { readonly type: 'custom' };
