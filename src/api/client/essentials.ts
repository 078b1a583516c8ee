import { facetsOf } from '../operations/kinds.js';
import type { Operation } from '../operations/operation.js';
import type * as z from '../operations/zod.js';

/** Whether an answer has the field by which its caller decides. No other field matters. */
export function hasEssential({ output, essential }: Operation, answer: unknown): boolean {
  return essential !== '' && isUsable(output, answer, essential.split('.'));
}

/** Follows the path through objects, and in a list through each of its items. A value of the right kind ends it. */
function isUsable(type: z.core.$ZodType, value: unknown, path: readonly string[]): boolean {
  const { innerType, element, shape, ...def } = type._zod.def as Definition;
  const [name, ...rest] = path;
  if (innerType !== undefined) return (value === null && def.type === 'nullable') || isUsable(innerType, value, path);
  // A list of records that has `null` among them would crash whoever reads it.
  if (element !== undefined) {
    return Array.isArray(value) && value.every((item) => item !== null && (!name || isUsable(element, item, path)));
  }
  if (shape !== undefined) {
    return typeof value === 'object' && value !== null && (!name || isUsable(shape[name]!, value[name as never], rest));
  }
  const { type: kind, list } = facetsOf(type) as { readonly type?: unknown; readonly list?: string };
  if (kind === 'boolean') return typeof value === kind;
  // An id may be a number or a text, whatever its documentation says. A value of a list is a text, even one that is not known.
  return typeof value === 'string' ? value !== '' : typeof value === 'number' && list === undefined;
}

/** The parts of zod's definitions that are read. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
}
