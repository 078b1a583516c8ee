import { facetsOf } from '../operations/kinds.js';
import type { Operation } from '../operations/operation.js';
import type * as z from '../operations/zod.js';

/** The fields by which a service only says how a request went. */
export const reporting: RegExp =
  /^(code|data|details?|errors?|instance|issues|message|ok|path|request_?id|status(_?code)?|success|timestamp|title|type)$/i;

/** Whether a body has no other fields. */
export function onlyReports(body: object): boolean {
  return Object.keys(body).every((name) => reporting.test(name));
}

/** Whether an answer has the field by which its caller decides, which is published. No other field matters. */
export function hasEssential({ output, essential }: Operation, answer: unknown): boolean {
  return isUsable(output, answer, essential);
}

/** The value by which the caller of an answer decides, if it comes from a list and is not a known value of it. */
export function newValueIn({ output, essential }: Operation, answer: unknown): string | undefined {
  let found: string | undefined;
  isUsable(output, answer, essential, undefined, (value) => (found ??= value));
  return found;
}

/** Whether the response has a `status` of its own, and this is a value of it that is known. */
export function hasKnownStatus(row: Operation, { status }: Readonly<Record<string, unknown>>): boolean {
  return declares(row, 'status') && isUsable(row.output, { status }, 'status');
}

/** Whether a field of this name is documented, or proposed. */
export function declares({ output }: Operation, name: string): boolean {
  return name in ((output._zod.def as Definition).shape ?? {});
}

/** Follows the path through objects, and in a list through each of its items. A value of the right kind ends it. */
function isUsable(
  type: z.core.$ZodType,
  value: unknown,
  path: string,
  holder: object = {},
  onNew?: (value: string) => void,
): boolean {
  const { type: kind, innerType, element, shape } = type._zod.def as Definition;
  if (innerType !== undefined) return (value === null && kind === 'nullable') || isUsable(innerType, value, path, holder, onNew);
  if (element !== undefined) return Array.isArray(value) && value.every((item) => isUsable(element, item, path, {}, onNew));
  if (shape !== undefined) {
    if (typeof value !== 'object' || value === null) return false;
    const name = path.split('.', 1)[0]!;
    return path === '' || isUsable(shape[name]!, value[name as never], path.slice(name.length + 1), value, onNew);
  }
  const facets = facetsOf(type) as Facets;
  if (facets.type === undefined) return value != null;
  if (facets.type === 'boolean') return typeof value === facets.type;
  if (facets.list !== undefined) {
    const known = facets.enum ?? [];
    if (typeof value !== 'string' || !isListed(value, known, holder)) return false;
    if (!known.includes(value)) onNew?.(value);
    return true;
  }
  // An id may be a number or a text, whatever its documentation says.
  return typeof value === 'string' ? value !== '' : typeof value === 'number';
}

/**
 * Whether it is a value of an open list: a known one, or another word of ASCII beside fields that do more than report. A known value in
 * another spelling is neither, because a caller who compares it would take it for another one.
 */
function isListed(value: string, known: readonly string[], holder: object): boolean {
  const word = value.trim().toLowerCase();
  const same = known.find((one) => one.toLowerCase() === word);
  return same === undefined ? newWord.test(word) && !onlyReports(holder) : same === value;
}

/** Letters of other scripts look like those of a known value. */
const newWord = /^(?!(?:\d*|ok|success)$)[\w .:/-]+$/;

interface Facets {
  readonly type?: unknown;
  readonly list?: string;
  readonly enum?: readonly string[];
}

/** The parts of zod's definitions that are read. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
}
