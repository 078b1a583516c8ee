import type { FullOperation } from '../../../api/operations/all-operations.js';
import { facetsOf } from '../../../api/operations/kinds.js';
import { schemaOf } from '../../../api/operations/openapi.js';
import { lists } from '../../../api/operations/value-lists.js';
import type { ParsedOptions } from '../arguments/arguments.js';
import { similarTo } from '../arguments/similar.js';
import type { OptionRow } from '../command.js';
import { UsageError } from '../errors/usage.js';

/** A field of an operation's input as an option: read from the JSON Schema of the row, so that a new field needs no code here. */
export interface Field {
  readonly name: string;
  /** Without its hyphens. */
  readonly flag: string;
  readonly isRequired: boolean;
  readonly row: OptionRow;
  /** What the texts of its option mean. */
  read(texts: readonly string[]): unknown;
}

/** The part of JSON Schema that inputs are written in. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-provenance'?: string;
}

/** More are for the documents. */
const valuesShownMax = 12;

/** @param taken Names of options that mean something else; a field of such a name is written `--field-…`. */
export function fieldsOf({ input, slugAs, paging, upload }: FullOperation, taken: ReadonlySet<string>): Field[] {
  const { properties = {}, required = [] } = schemaOf(input, 'input') as Schema;
  return Object.entries(properties).flatMap(([name, schema]) => {
    // The files of an upload are options of their own.
    if (upload && /^files?$/.test(name)) return [];
    const plain = kebab(name);
    const flag = taken.has(plain) ? `field-${plain}` : plain;
    const isRequired = required.includes(name) && name !== slugAs && !(paging !== null && name === 'limit');
    const facts = [
      isRequired ? 'required' : '',
      valuesText(schema),
      schema.minimum === undefined ? '' : `${schema.minimum} to ${schema.maximum}`,
      name === slugAs ? 'the organization; without it that of --org' : '',
      schema['x-provenance'] ?? '',
    ];
    const row: OptionRow = {
      ...(schema.type === 'boolean' ? { canBeFalse: true } : { value: kindOf(schema) }),
      ...(schema.type === 'array' && { isMultiple: true }),
      ...(flag === plain && plain !== name && { aliases: [name] }),
      text: facts.filter(Boolean).join('; '),
    };
    return [{ name, flag, isRequired, row, read: (texts: readonly string[]) => read(schema, texts, `--${flag}`) }];
  });
}

/** The input that the options of a call give. */
export function inputOf(fields: readonly Field[], options: ParsedOptions): Record<string, unknown> {
  return Object.fromEntries(
    fields.filter(({ flag }) => options.has(flag)).map(({ name, flag, read }) => [name, read(options.all(flag))]),
  );
}

function kebab(name: string): string {
  return name.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** What stands between the angle brackets of the help. */
function kindOf(schema: Schema): string {
  const { type, format, description } = schema;
  if (schema.$ref !== undefined || isOpen(schema)) return 'value';
  if (format === 'date') return 'day';
  if (description === 'ISO 8601') return 'time';
  if (type === 'array') return kindOf(schema.items ?? {});
  const types = typesOf(schema);
  if (types.includes('string')) return 'text';
  return types.some(isNumeric) ? 'number' : 'json';
}

function typesOf({ type = [] }: Schema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

const isNumeric = (type: string): boolean => type === 'integer' || type === 'number';

/** The values of a list, which may be one of several or the list's own. */
function valuesOf(schema: Schema): readonly string[] {
  const name = schema.$ref?.split('/').pop();
  if (name === undefined) return [];
  const list = Object.entries(lists).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return list === undefined ? [] : (facetsOf(list) as { enum: readonly string[] }).enum;
}

/** A known value or any other text. */
function isOpen({ anyOf }: Schema): boolean {
  return anyOf?.[0]?.$ref !== undefined && anyOf[1]?.type === 'string';
}

function valuesText(schema: Schema): string {
  const { items, anyOf } = schema;
  const values = valuesOf(items?.anyOf?.[0] ?? items ?? anyOf?.[0] ?? schema);
  if (values.length === 0) return '';
  const shown = values.slice(0, valuesShownMax).join(', ');
  return `one of ${shown}${values.length > valuesShownMax ? ' …' : ''}${isOpen(items ?? schema) ? ', or another' : ''}`;
}

function read(schema: Schema, texts: readonly string[], flag: string): unknown {
  if (schema.type !== 'array') return readOne(schema, texts.at(-1) ?? '', flag);
  const [only = ''] = texts;
  const list = texts.length === 1 ? jsonOf(only) : undefined;
  return Array.isArray(list) ? list : texts.map((text) => readOne(schema.items ?? {}, text, flag));
}

function readOne(schema: Schema, text: string, flag: string): unknown {
  if (isOpen(schema)) return text;
  if (schema.$ref !== undefined) return knownValue(valuesOf(schema), text, flag);
  const types = typesOf(schema);
  if (types.includes('string')) return types.some(isNumeric) && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
  // Of a text nobody could tell it from the word; --input says it.
  if (types.includes('null') && text === 'null') return null;
  if (types.some(isNumeric)) return numberOf(text, flag);
  if (types.includes('boolean')) return text === 'true';
  const value = jsonOf(text);
  if (!types.includes('object')) return value === undefined ? text : value;
  if (value === undefined) throw new UsageError(`${flag} must be JSON`, `for example ${flag}='{"content":"example.com"}'`);
  return value;
}

/** In any case, as people type them. */
function knownValue(values: readonly string[], text: string, flag: string): string {
  const found = values.includes(text) ? text : values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const similar = similarTo(text, values);
  const shown = values.slice(0, valuesShownMax).join(', ') + (values.length > valuesShownMax ? ' …' : '');
  throw new UsageError(
    `${flag} must be one of ${shown}`,
    similar === undefined ? undefined : `did you mean ${flag}=${/\s/.test(similar) ? `'${similar}'` : similar}?`,
  );
}

function numberOf(text: string, flag: string): number {
  const value = /^-?\d{1,20}(\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new UsageError(`${flag} must be a number`);
  return value;
}

/** `undefined`: it is no JSON, which has no such value. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
