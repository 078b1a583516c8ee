import { facetsOf } from '../../../api/operations/kinds.js';
import type { Operation } from '../../../api/operations/operation.js';
import type * as z from '../../../api/operations/zod.js';

/** The schema inside optional and nullable wrappers. */
function inner(type: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = type._zod.def as { innerType?: z.core.$ZodType };
  return innerType === undefined ? type : inner(innerType);
}

function elementOf(type: z.core.$ZodType): z.core.$ZodType | undefined {
  return (type._zod.def as { element?: z.core.$ZodType }).element;
}

/**
 * Converts a text from a query or path to the type of the schema. A text that cannot be converted stays a text, and the schema rejects it.
 */
function readAs(text: string, type: z.core.$ZodType): unknown {
  const { type: kind } = (facetsOf(inner(type)) ?? {}) as { type?: string | readonly string[] };
  if ((kind === 'number' || kind === 'integer') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The fields of a query, by the schema of the row. A list repeats its name. */
export function fieldsOfQuery(row: Operation, query: URLSearchParams): Map<string, unknown> {
  const shape = shapeOf(row);
  const fields = new Map<string, unknown>();
  // Asking for each name would read a query of many names as often as it has names.
  const given = new Map<string, string[]>();
  for (const [name, text] of query) {
    const texts = given.get(name);
    if (texts === undefined) given.set(name, [text]);
    else texts.push(text);
  }
  for (const [name, texts] of given) {
    const type = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const element = type && elementOf(inner(type));
    if (type === undefined) fields.set(name, texts[0]);
    else if (element)
      fields.set(
        name,
        texts.map((text) => readAs(text, element)),
      );
    else fields.set(name, texts.length > 1 ? texts : readAs(texts[0] ?? '', type));
  }
  return fields;
}

/** The parameters of a path. */
export function fieldsOfPath(row: Operation, params: ReadonlyMap<string, string>): [string, unknown][] {
  const shape = shapeOf(row);
  return [...params].map(([name, text]) => [name, shape[name] === undefined ? text : readAs(text, shape[name])]);
}

function shapeOf({ input }: Operation): Readonly<Record<string, z.core.$ZodType>> {
  return (input as z.core.$ZodObject)._zod.def.shape;
}
