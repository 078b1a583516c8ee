import { PortcullisError, refuse } from '../../core/errors.js';

/** A value that JSON can hold. */
export type PlainValue = null | boolean | number | string | readonly PlainValue[] | PlainObject;

/** An object that JSON can hold. */
export interface PlainObject {
  readonly [name: string]: PlainValue;
}

/** Levels of objects and lists: typed data of the deepest protocols in use has six. */
const maxDepth = 16;

/** Values in one request: a batch of a hundred calls, each with ten fields, ten times over. */
const maxValues = 10_000;

/** Characters in one request. Nodes refuse a transaction above 128 KiB, which is 262,144 hex digits; a batch may hold four of them. */
const maxCharacters: number = 1024 * 1024;

/**
 * A frozen copy that shares nothing with the original, so that what is screened is what is forwarded. Each value is read once and no getter
 * is called; what JSON cannot hold is refused. As in JSON, undefined fields are left out.
 *
 * @throws PortcullisError `INVALID_INPUT`, `LIMIT_EXCEEDED`
 */
export function plainCopy(value: unknown): PlainValue {
  let values = 0;
  let characters = 0;
  const count = (text: string): string => {
    characters += text.length;
    if (characters > maxCharacters) limit(`${maxCharacters} characters`);
    return text;
  };

  function copy(from: unknown, depth: number): PlainValue {
    if (depth > maxDepth) limit(`${maxDepth} levels`);
    if (++values > maxValues) limit(`${maxValues} values`);
    if (from === null || from === undefined) return null;
    if (typeof from === 'string') return count(from);
    if (typeof from === 'boolean' || (typeof from === 'number' && Number.isFinite(from))) return from;
    if (typeof from !== 'object') refuse(`the request must be plain JSON data; it contains a ${typeof from}`);
    if (Array.isArray(from)) {
      const { length } = from;
      if (length > maxValues) limit(`${maxValues} values`);
      return Object.freeze(Array.from({ length }, (_, at) => copy(ownValue(from, String(at)), depth + 1)));
    }
    // The tag, because a request from a frame has another realm's prototype.
    if (Object.prototype.toString.call(from) !== '[object Object]') refuse('the request must be plain JSON data');
    const fields: Record<string, PlainValue> = {};
    for (const name of Object.keys(from)) {
      if (name === '__proto__') refuse('the request must not have a field named __proto__');
      const field = ownValue(from, name);
      if (field !== undefined) fields[count(name)] = copy(field, depth + 1);
    }
    return Object.freeze(fields);
  }
  return copy(value, 0);
}

function ownValue(from: object, name: string): unknown {
  const field = Object.getOwnPropertyDescriptor(from, name);
  if (field !== undefined && !('value' in field)) refuse('the request must be plain JSON data; it has a getter');
  return field?.value;
}

function limit(what: string): never {
  throw new PortcullisError('LIMIT_EXCEEDED', `the request has more than ${what}`);
}

/** The same data, unfrozen, because some providers write into what they receive. */
export function thawed(value: PlainValue): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function isPlainObject(value: PlainValue | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of its own, never one of `Object.prototype`. */
export function fieldOf(value: PlainObject, name: string): PlainValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
