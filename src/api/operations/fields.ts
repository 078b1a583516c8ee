import { facetsOf, objects, plainValue, primitive, sized } from './kinds.js';
import type { Mark } from './operation.js';
import type { lists } from './value-lists.js';
import * as z from './zod.js';

/** The kinds of fields besides value lists, and the marks of fields that are less certain than their operation. */

export const text = /* @__PURE__ */ primitive('string');
export const filled = /* @__PURE__ */ sized(1);
export const flag = /* @__PURE__ */ primitive('boolean');
export const number = /* @__PURE__ */ primitive('number');
/** An id in a request. */
export const id = /* @__PURE__ */ plainValue<number>({ type: 'integer' }, 'must be a whole number', (value) =>
  Number.isSafeInteger(value),
);
/** ISO 8601, as the service writes it. */
export const time = /* @__PURE__ */ primitive('string');
/** Ids and cursors in responses, whose type the documentation states inconsistently. */
export const numberOrText = /* @__PURE__ */ plainValue<number | string>(
  { type: ['number', 'string'] },
  'must be a number or a string',
  (value) => typeof value === 'number' || typeof value === 'string',
);

const notATime = 'must be a Date, or a date or a time with its zone in ISO 8601';

/** A `Date` or ISO 8601, sent as ISO 8601. */
export const instant = /* @__PURE__ */ plainValue<Date | string>(
  { type: 'string', description: 'ISO 8601' },
  notATime,
  isInstant,
);

/** A `Date` or ISO 8601, sent as its day in UTC. */
export const day = /* @__PURE__ */ plainValue<Date | string>({ type: 'string', format: 'date' }, notATime, isInstant);

/** Requires a four-digit year and a day that exists. */
function isInstant(value: unknown): boolean {
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text)) return false;
  const date = text.slice(0, 10);
  return !Number.isNaN(Date.parse(text)) && new Date(Date.parse(date) || 0).toISOString().startsWith(date);
}

function marked<Type extends z.core.$ZodType>(innerType: Type, mark: Mark): z.core.$ZodOptional<Type> {
  return new z.$ZodOptional({ type: 'optional', innerType, mark } as never) as never;
}

/** A field that only a draft names. It may be absent, or be ignored. */
export function draft<Type extends z.core.$ZodType>(type: Type): z.core.$ZodOptional<Type> {
  return marked(type, 'draft');
}

/** A field whose name is our proposal. */
export function provisional<Type extends z.core.$ZodType>(type: Type): z.core.$ZodOptional<Type> {
  return marked(type, 'provisional');
}

/** A list of objects, whose name is our proposal. */
export function provisionalObjects<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.core.$ZodOptional<z.core.$ZodArray<z.core.$ZodObject<Shape, z.core.$strip>>> {
  return provisional(objects(shape));
}

/** The mark of a field; without one it is as certain as its operation. */
export function markOf(field: z.core.$ZodType): Mark | undefined {
  return (field._zod.def as { mark?: Mark }).mark;
}

/** A known value or any other string; editors still offer the known ones. */
export type Open<Value extends string> = Value | (string & {});

type Lists = typeof lists;

/** The type of an open value list. An interface, so that declarations name it instead of repeating its values. */
export interface OpenText<Name extends keyof Lists>
  extends z.core.$ZodType<Open<z.output<Lists[Name]>>, Open<z.output<Lists[Name]>>> {}

/**
 * Only names its value list: the values are for the documentation, so bundles can do without them.
 *
 * @param known the list itself, if callers decide by the value
 */
export function open<Name extends keyof Lists>(list: Name, known?: Lists[Name]): OpenText<Name> {
  return primitive('string', { ...(known && facetsOf(known)), list }) as never;
}

export function listNameOf(type: z.core.$ZodType): keyof Lists | undefined {
  return (facetsOf(type) as { list?: keyof Lists } | undefined)?.list;
}
