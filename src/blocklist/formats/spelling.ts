/** Reading of objects others wrote: own fields only, under the first name that is there. */

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function firstOf(object: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const name = names.find((candidate) => hasOwn.call(object, candidate));
  return name === undefined ? undefined : object[name];
}

/** `Object.hasOwn` is newer than the engines the core runs in. */
const { hasOwnProperty: hasOwn } = Object.prototype;
