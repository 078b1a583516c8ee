import * as z from 'zod/mini';

/**
 * Kinds of values. A plain one is a `z.custom` with a message of our own, because zod/mini has none, and because zod's classes for
 * strings, numbers, booleans, enums and their checks add 1.3 kB to every bundle (decision 0011).
 */

/**
 * The result of `make`. Called with a `@__PURE__` annotation, so that every bundler can drop unused groups, records and value lists. Not
 * all bundlers see such annotations across files, so the functions that make them cannot carry them.
 */
export function made<T>(make: () => T): T {
  return make();
}

/** A plain value. An interface, so that declarations name it. */
export interface Plain<Value> extends z.ZodMiniCustom<Value, Value> {}

/** The JSON Schema of plain values, and the limits of lists. */
const facets = new WeakMap<object, object>();

export function facetsOf(type: object): object | undefined {
  return facets.get(type);
}

export function plain<Value>(facet: object, message: string, holds: (value: Value) => boolean): Plain<Value> {
  const type = z.custom<Value>(holds as (value: unknown) => boolean, message);
  facets.set(type, facet);
  return type;
}

interface Primitives {
  string: string;
  number: number;
  boolean: boolean;
}

/** Any value of a type. Numbers must be finite, because JSON has no others. */
export function primitive<Name extends keyof Primitives>(type: Name): Plain<Primitives[Name]> {
  return plain({ type }, `must be a ${type}`, (value) => typeof value === type && (type !== 'number' || Number.isFinite(value)));
}

/** One of the values of a list. */
export function oneOf<const Values extends readonly string[]>(values: Values): Plain<Values[number]> {
  // Shows at most a dozen values; the documentation lists the rest.
  const shown = values.slice(0, 12).join(', ') + (values.length > 12 ? ' …' : '');
  return plain({ type: 'string', enum: values }, `must be one of ${shown}`, (value) => values.includes(value));
}

/** A whole number within the service's limits. */
export function between(minimum: number, maximum: number): Plain<number> {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return plain(
    { type: 'integer', minimum, maximum },
    message,
    (value) => Number.isInteger(value) && value >= minimum && value <= maximum,
  );
}

/** A string of limited length. */
export function sized(minLength: number, maxLength?: number): Plain<string> {
  const message = `must have ${rangeOf(minLength, maxLength)} characters`;
  return plain(
    { type: 'string', minLength, maxLength },
    message,
    (value) => typeof value === 'string' && within(value, minLength, maxLength),
  );
}

/** A list of limited length. */
export function listOf<Item extends z.ZodMiniType>(item: Item, minItems: number, maxItems?: number): z.ZodMiniArray<Item> {
  const type = ruled(z.array(item), {
    [`must have ${rangeOf(minItems, maxItems)} items`]: (list) => within(list, minItems, maxItems),
  });
  facets.set(type, { minItems, maxItems });
  return type;
}

function rangeOf(low: number, high?: number): string {
  return high === undefined ? `at least ${low}` : low === high ? `${low}` : `${low} to ${high}`;
}

function within({ length }: { readonly length: number }, low: number, high = length): boolean {
  return length >= low && length <= high;
}

/** An object with these fields and no others. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodMiniObject<Shape, z.core.$strict> {
  return z.catchall(z.object(shape), nothing) as never;
}

/** A payload whose shape is not published. Any value is passed on unchanged. */
export const unshown: Plain<unknown> = /* @__PURE__ */ plain<unknown>({}, '', () => true);

/** An object that may have other fields, because not all of them are published. */
export function loose<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodMiniObject<Shape, z.core.$loose> {
  return z.catchall(z.object(shape), unshown) as never;
}

/** The type of a field that must be absent. */
export const nothing = /* @__PURE__ */ made(() => z.custom<never>(() => false, 'unknown field'));

/** Rules for a whole value, keyed by their messages. */
export function ruled<Type extends z.ZodMiniType>(type: Type, rules: Record<string, (value: z.output<Type>) => boolean>): Type {
  const checked = type.check(
    ...Object.entries(rules).map(([message, holds]) => z.refine(holds as (value: unknown) => boolean, message)),
  ) as Type;
  facets.set(checked, { description: Object.keys(rules).join('; ') });
  return checked;
}
