import { type FullOperation, inputSchemaOf, type JsonSchema } from 'portcullis/client';
import { nearestName } from '../../../src/core/options/nearest-name.js';
import { jsonIn } from '../../shared/json-text.js';
import type { ParsedOptions } from '../arguments/arguments.js';
import type { OptionRow } from '../arguments/option-rows.js';
import { notThis } from '../arguments/quoted.js';
import { UsageError } from '../errors/usage.js';

/**
 * A field of an operation's input as an option. It follows from the JSON Schema of the row, so that a new field needs no code here.
 */
export interface Field {
  readonly name: string;
  /** The option's name without hyphens. */
  readonly flag: string;
  readonly isRequired: boolean;
  readonly row: OptionRow;
  /** Converts the option's values. */
  read(texts: readonly string[]): unknown;
}

const maxValuesShown = 12;

/** @param taken Names of other options; a field with such a name becomes `--field-…`. */
export function fieldsOf(operation: FullOperation, taken: ReadonlySet<string>): Field[] {
  const { slugAs, paging, upload } = operation;
  const { properties = {}, required = [] } = inputSchemaOf(operation);
  return Object.entries(properties).flatMap(([name, schema]) => {
    // Files to upload have options of their own.
    if (upload && /^files?$/.test(name)) return [];
    const plain = name.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const flag = taken.has(plain) ? `field-${plain}` : plain;
    const isRequired = required.includes(name) && name !== slugAs && !(paging !== null && name === 'limit');
    const facts = [
      isRequired ? 'required' : '',
      valuesText(schema),
      schema.minimum === undefined ? '' : `${schema.minimum} to ${schema.maximum}`,
      name === slugAs ? 'the organization, instead of --org' : '',
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

export function inputOf(fields: readonly Field[], options: ParsedOptions): Record<string, unknown> {
  return Object.fromEntries(
    fields.filter(({ flag }) => options.has(flag)).map(({ name, flag, read }) => [name, read(options.all(flag))]),
  );
}

/** The name of the value in the help. */
function kindOf(schema: JsonSchema): string {
  const { type, format, description } = schema;
  if (schema.enum !== undefined || isOpen(schema)) return 'value';
  if (format === 'date') return 'day';
  if (description === 'ISO 8601') return 'time';
  if (type === 'array') return kindOf(schema.items ?? {});
  const types = typesOf(schema);
  if (types.includes('string')) return 'text';
  return types.some(isNumeric) ? 'number' : 'json';
}

function typesOf({ type = [] }: JsonSchema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

const isNumeric = (type: string): boolean => type === 'integer' || type === 'number';

/** Whether it accepts known values and any other text. */
function isOpen({ anyOf }: JsonSchema): boolean {
  return anyOf?.[0]?.enum !== undefined && anyOf[1]?.type === 'string';
}

function shownValues(values: readonly string[]): string {
  return values.slice(0, maxValuesShown).join(', ') + (values.length > maxValuesShown ? ' …' : '');
}

function valuesText(schema: JsonSchema): string {
  const one = schema.items ?? schema;
  const values = (one.anyOf?.[0] ?? one).enum ?? [];
  return values.length === 0 ? '' : `one of ${shownValues(values)}${isOpen(one) ? ', or another' : ''}`;
}

function read(schema: JsonSchema, texts: readonly string[], flag: string): unknown {
  if (schema.type !== 'array') return readOne(schema, texts.at(-1) ?? '', flag);
  const [only = ''] = texts;
  const list = texts.length === 1 ? jsonIn(only) : undefined;
  return Array.isArray(list) ? list : texts.map((text) => readOne(schema.items ?? {}, text, flag));
}

function readOne(schema: JsonSchema, text: string, flag: string): unknown {
  if (isOpen(schema)) return text;
  if (schema.enum !== undefined) return knownValue(schema.enum, text, flag);
  const types = typesOf(schema);
  if (types.includes('string')) return types.some(isNumeric) && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
  // A text field takes `null` literally; --input can pass a real one.
  if (types.includes('null') && text === 'null') return null;
  if (types.some(isNumeric)) return numberOf(text, flag);
  if (types.includes('boolean')) return text === 'true';
  const value = jsonIn(text);
  if (!types.includes('object')) return value === undefined ? text : value;
  if (value === undefined) throw new UsageError(`${flag} must be JSON`, `for example ${flag}='{"content":"example.com"}'`);
  return value;
}

/** The known value that equals the text, ignoring case. */
function knownValue(values: readonly string[], text: string, flag: string): string {
  const found = values.includes(text) ? text : values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const similar = nearestName(text, values);
  throw new UsageError(
    `${flag} must be one of ${shownValues(values)}${notThis(text)}`,
    similar === undefined ? undefined : `did you mean ${flag}=${/\s/.test(similar) ? `'${similar}'` : similar}?`,
  );
}

function numberOf(text: string, flag: string): number {
  const value = /^-?\d{1,20}(\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new UsageError(`${flag} must be a number${notThis(text)}`);
  return value;
}
