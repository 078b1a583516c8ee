import { refuse } from '../../core/errors.js';
import { isObject, type Json } from './tool-json.js';

/** Models write a list or a number as JSON in a string now and then; for a field that is declared otherwise, it is read as such. */
export function lenientArguments(given: unknown, schema: Json): Json {
  const input = typeof given === 'string' ? parsed(given) : (given ?? {});
  if (!isObject(input)) refuse('arguments must be an object');
  const declared = schema['properties'] as Readonly<Record<string, Json>>;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const kind = Object.hasOwn(declared, name) ? declared[name]!['type'] : undefined;
      if (typeof value !== 'string' || kind === undefined || kind === 'string') return [name, value];
      const read = parsed(value);
      return [name, hasKind(read, kind) ? read : value];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasKind(value: unknown, kind: unknown): boolean {
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return isObject(value);
  return kind === 'integer' ? Number.isInteger(value) : typeof value === kind;
}
