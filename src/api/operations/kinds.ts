import * as z from './zod.js';

/**
 * Kinds of values. A plain one is a custom check with a message of our own, because zod/mini has none, and because zod's classes
 * for strings, numbers, booleans, enums and their checks add 1.3 kB to every bundle (decision 0011). The classes are constructed
 * here, because zod's functions include parameter parsing that no kind needs.
 */

/**
 * The result of `make`. Called with a `@__PURE__` annotation, so that every bundler can drop unused groups, records and value
 * lists. Not all bundlers see such annotations across files, so the functions that make them cannot carry them.
 */
export function made<T>(make: () => T): T {
  return make();
}

/** An object with these fields, like `made`. */
export function madeObject<Shape extends z.core.$ZodLooseShape>(shape: () => Shape): z.core.$ZodObject<Shape, z.core.$strip> {
  return object(shape());
}

/** An object with these fields and maybe others, like `made`. */
export function madeLoose<Shape extends z.core.$ZodLooseShape>(shape: () => Shape): z.core.$ZodObject<Shape, z.core.$loose> {
  return loose(shape());
}

/** A plain value. An interface, so that declarations name it. */
export interface Plain<Value> extends z.core.$ZodCustom<Value, Value> {}

/** The JSON Schema of a plain value, the limits of a list, or the rules of a value, which its definition carries. */
export function facetsOf(type: z.core.$ZodType): object | undefined {
  return (type._zod.def as { facets?: object }).facets;
}

export function plainValue<Value>(facets: object, message: string, holds: (value: Value) => boolean): Plain<Value> {
  return custom(holds, message, { abort: true, facets }) as Plain<Value>;
}

function custom(holds: (value: never) => boolean, message: string, more: object): z.core.$ZodCustom {
  return new z.$ZodCustom({ type: 'custom', check: 'custom', fn: holds, error: () => message, ...more } as never);
}

/** An object with these fields; others are dropped unless `others` accepts them. */
export function object<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  others?: z.core.$ZodType,
): z.core.$ZodObject<Shape, z.core.$strip> {
  return new z.$ZodObject({ type: 'object', shape, catchall: others, error: () => 'must be an object' } as never) as never;
}

export function array<Item extends z.core.$ZodType>(element: Item): z.core.$ZodArray<Item> {
  return new z.$ZodArray({ type: 'array', element, error: () => 'must be an array' } as never) as never;
}

/** A list of objects with these fields. */
export function objects<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.core.$ZodArray<z.core.$ZodObject<Shape, z.core.$strip>> {
  return array(object(shape));
}

/** An object with these fields, or `null`. */
export function objectOrNull<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.core.$ZodNullable<z.core.$ZodObject<Shape, z.core.$strip>> {
  return z.nullable(object(shape));
}

/** An object with any keys and values of one kind. */
export function record<Value extends z.core.$ZodType>(valueType: Value): z.core.$ZodRecord<z.core.$ZodString, Value> {
  return new z.$ZodRecord({
    type: 'record',
    keyType: primitive('string'),
    valueType,
    error: () => 'must be an object',
  } as never) as never;
}

interface Primitives {
  string: string;
  number: number;
  boolean: boolean;
}

/** Any value of a type. Numbers must be finite, because JSON has no others. */
export function primitive<Name extends keyof Primitives>(type: Name, facets: object = {}): Plain<Primitives[Name]> {
  return plainValue(
    { type, ...facets },
    `must be a ${type}`,
    (value) => typeof value === type && (type !== 'number' || Number.isFinite(value)),
  );
}

export function oneOf<const Values extends readonly string[]>(values: Values): Plain<Values[number]> {
  // Shows at most a dozen values; the documentation lists the rest.
  const shown = values.slice(0, 12).join(', ') + (values.length > 12 ? ' …' : '');
  return plainValue({ type: 'string', enum: values }, `must be one of ${shown}`, (value) => values.includes(value));
}

/** A whole number within the service's limits. */
export function between(minimum: number, maximum: number): Plain<number> {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return plainValue(
    { type: 'integer', minimum, maximum },
    message,
    (value) => Number.isInteger(value) && value >= minimum && value <= maximum,
  );
}

/** A string of limited length. */
export function sized(minLength: number, maxLength?: number): Plain<string> {
  const message = `must have ${countOf('character', minLength, maxLength)}`;
  return plainValue(
    { type: 'string', minLength, maxLength },
    message,
    (value) => typeof value === 'string' && within(value, minLength, maxLength),
  );
}

/** A list of limited length. */
export function listOf<Item extends z.core.$ZodType>(item: Item, minItems: number, maxItems?: number): z.core.$ZodArray<Item> {
  const rules = {
    [`must have ${countOf('item', minItems, maxItems)}`]: (list: { readonly length: number }) => within(list, minItems, maxItems),
  };
  return ruled(array(item), rules, { minItems, maxItems });
}

function countOf(unit: string, low: number, high?: number): string {
  const range = high === undefined ? `at least ${low}` : low === high ? `${low}` : `${low} to ${high}`;
  return `${range} ${unit}${(high ?? low) === 1 ? '' : 's'}`;
}

function within({ length }: { readonly length: number }, low: number, high = length): boolean {
  return length >= low && length <= high;
}

/** An object with these fields and no others. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.core.$ZodObject<Shape, z.core.$strict> {
  return object(shape, nothing) as never;
}

/** A list of objects with these fields and no others, which may be absent. */
export function optionalItems<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.core.$ZodOptional<z.core.$ZodArray<z.core.$ZodObject<Shape, z.core.$strict>>> {
  return z.optional(array(strict(shape)));
}

/** A payload whose shape is not published. Any value is passed on unchanged. */
export const unshown: Plain<unknown> = /* @__PURE__ */ plainValue<unknown>({}, '', () => true);

/**
 * The type of an answer whose names are not published for certain. Bundles only have the part of it that is checked, by default nothing;
 * `About` has the whole schema, for the documentation. `Value` is an interface, because declarations only keep the comments of those.
 */
export function typed<Value>(checked: z.core.$ZodType = anyFields): Plain<Value> {
  return checked as never;
}

/** An object that may have other fields, because not all of them are published. */
export function loose<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.core.$ZodObject<Shape, z.core.$loose> {
  return object(shape, unshown) as never;
}

const anyFields = /* @__PURE__ */ made(() => loose({}));

/** The type of a field that must be absent. */
export const nothing = /* @__PURE__ */ made(() => custom(() => false, 'is not a known field', { abort: true }) as Plain<never>);

/** Rules for a whole value, keyed by their messages. */
export function ruled<Type extends z.core.$ZodType>(
  type: Type,
  rules: Record<string, (value: z.output<Type>) => boolean>,
  facets: object = { description: Object.keys(rules).join('; ') },
): Type {
  const { def } = type._zod;
  const checks = [...(def.checks ?? []), ...Object.entries(rules).map(([message, holds]) => custom(holds, message, {}))];
  return z.clone(type, { ...def, checks, facets } as never) as Type;
}
