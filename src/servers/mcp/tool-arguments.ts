import { isRecord, refuse } from '../../core/errors.js';
import { extentProblem, type Json, parsed } from './tool-json.js';

/** More than any tool takes; checking each of a million names would take a second. */
const maxArguments = 200;

/** Models write a list or a number as JSON in a string now and then; for a field that is declared otherwise, it is read as such. */
export function lenientArguments(input: unknown, schema: Json): Json {
  if (!isRecord(input)) refuse('arguments must be an object');
  if (Object.keys(input).length > maxArguments) refuse(`more than ${maxArguments} arguments`);
  const declared = schema['properties'] as Readonly<Record<string, Json>>;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const kind = Object.hasOwn(declared, name) ? declared[name]!['type'] : undefined;
      if (typeof value !== 'string' || kind === undefined || kind === 'string') return [name, value];
      const read = readText(name, value);
      return [name, hasKind(read, kind) ? read : value];
    }),
  );
}

/** A field whose form is not published: text stays text, and JSON of an object or a list is read. */
export function readJsonFields(input: Json, names: readonly string[]): Json {
  const read = names.flatMap((name) => {
    const value = typeof input[name] === 'string' ? readText(name, input[name]) : undefined;
    return typeof value === 'object' && value !== null ? [[name, value]] : [];
  });
  return read.length === 0 ? input : { ...input, ...Object.fromEntries(read) };
}

/** A text has the limits of a message. */
function readText(name: string, text: string): unknown {
  const extent = extentProblem(text);
  if (extent !== undefined) refuse(`${name} ${extent}`);
  return parsed(text);
}

function hasKind(value: unknown, kind: unknown): boolean {
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return isRecord(value);
  return kind === 'integer' ? Number.isInteger(value) : typeof value === kind;
}
