import type { FullOperation } from '../../api/operations/all-operations.js';
import { facetsOf } from '../../api/operations/kinds.js';
import { schemaOf } from '../../api/operations/openapi.js';
import { lists } from '../../api/operations/value-lists.js';
import { isRecord } from '../../core/errors.js';
import { fieldDescriptions } from '../../made/field-descriptions.js';
import type { Json } from './tool-json.js';
import { valueListUri } from './tool-uris.js';

/** A longer list is a resource, because it would be repeated in the schema of every tool that takes it. */
const maxInlineValues = 8;

/**
 * The arguments of an operation for a tool: an object without references, alternatives and formats, which some hosts reject together with
 * every other tool. The client checks the input against the full schema.
 */
export function toolSchemaOf(row: FullOperation): Json {
  const texts = fieldDescriptions[`${row.group}.${row.verb}`]?.input ?? {};
  const { properties = {}, required = [] } = inputOf(row);
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        name,
        fieldSchema(field, required.includes(name) ? texts[name] : undefined),
      ]),
    ),
    ...(required.length > 0 && { required }),
    // Where not all fields are published, any further one is passed on.
    additionalProperties: inputOf(row).additionalProperties !== false,
  };
}

/** The fields whose form is not published. A tool takes them as text, which may be JSON. */
export function untypedFieldsOf(row: FullOperation): readonly string[] {
  return Object.entries(inputOf(row).properties ?? {}).flatMap(([name, field]) => (isUntyped(field as Json) ? [name] : []));
}

/** What the arguments must fulfill together, which their schema cannot say. */
export function ruleOf(row: FullOperation): string {
  const { description } = inputOf(row);
  return description === undefined ? '' : `${description.charAt(0).toUpperCase()}${description.slice(1)}.`;
}

interface InputSchema {
  readonly additionalProperties?: unknown;
  readonly properties?: Json;
  readonly required?: readonly string[];
  readonly description?: string;
}

const inputs = new WeakMap<FullOperation, InputSchema>();

/** Made once for each row. */
function inputOf(row: FullOperation): InputSchema {
  const known = inputs.get(row);
  if (known !== undefined) return known;
  const made: InputSchema = schemaOf(row.input, 'input', (name) => ({ 'x-list': name.charAt(0).toLowerCase() + name.slice(1) }));
  inputs.set(row, made);
  return made;
}

/** The names of the value lists that schemas refer to instead of writing them out. */
export const longLists: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(lists)
    .map(([name, list]): [string, readonly string[]] => [name, valuesOf(list)])
    .filter(([, values]) => values.length > maxInlineValues),
);

export function valuesOf(list: (typeof lists)[keyof typeof lists]): readonly string[] {
  return (facetsOf(list) as { readonly enum: readonly string[] }).enum;
}

function fieldSchema(given: unknown, description: string | undefined): Json {
  const { anyOf, items, properties, required, type, minItems, maxItems, ...rest } = given as Json & {
    readonly anyOf?: readonly Json[];
    readonly properties?: Json;
  };
  const told = description === undefined ? {} : { description };
  const list = rest['x-list'];
  if (typeof list === 'string') return { type: 'string', ...told, ...listed(list) };
  if (anyOf !== undefined) {
    const others = anyOf.filter((one) => one['type'] !== 'null');
    const open = others.find((one) => typeof one['x-list'] === 'string');
    if (open !== undefined)
      return { type: 'string', description: `${told.description ?? ''} Such as ${firstOf(open['x-list'] as string)}.`.trim() };
    // Either an id as a number or as text: text holds both.
    const text = others.find((one) => one['type'] === 'string');
    return fieldSchema(text ?? others[0] ?? {}, description);
  }
  if (type === 'array')
    return { type, ...told, items: fieldSchema(items ?? {}, undefined), ...(minItems !== undefined && { minItems }) };
  if (isRecord(properties)) {
    const fields = Object.entries(properties).map(([name, field]) => [name, fieldSchema(field, undefined)]);
    return { type: 'object', ...told, properties: Object.fromEntries(fields), ...(required !== undefined && { required }) };
  }
  // Text holds a number as well.
  const kind = Array.isArray(type) ? (type.find((one) => one === 'string') ?? type.find((one) => one !== 'null')) : type;
  const { enum: values, minimum, maximum } = rest;
  // Some hosts reject an empty schema.
  if (isUntyped(given as Json)) return { type: 'string', description: `${told.description ?? ''} Text, or JSON.`.trim() };
  return {
    type: kind,
    ...told,
    ...(values !== undefined && { enum: values }),
    ...(minimum !== undefined && (minimum as number) > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && (maximum as number) < Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

const isUntyped = ({ type, anyOf, properties, 'x-list': list }: Json): boolean =>
  (type ?? anyOf ?? properties ?? list) === undefined;

const firstOf = (name: string): string =>
  valuesOf(lists[name as keyof typeof lists])
    .slice(0, 4)
    .join(', ');

function listed(name: string): Json {
  if (longLists.has(name)) return { description: `One of ${valueListUri(name)}, such as ${firstOf(name)}` };
  return { enum: valuesOf(lists[name as keyof typeof lists]) };
}
