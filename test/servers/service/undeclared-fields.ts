import { allOperations, type OperationName } from 'portcullis/client';
import { schemaOf } from '../../../src/api/operations/openapi.js';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const schemas = new Map<string, Schema>(
  allOperations.map(({ name, output }) => [name, schemaOf(output, 'output', () => ({})) as Schema]),
);

/** The fields of an answer that the type of its operation does not name, as paths. */
export function undeclaredFields(name: OperationName, answer: unknown): string[] {
  return [...new Set(undeclared([schemas.get(name)!], answer, name))];
}

/** `options` are the alternatives of a union, of which the value may match any. */
function undeclared(options: readonly Schema[], value: unknown, path: string): string[] {
  const all = options.flatMap((schema) => schema.anyOf ?? [schema]);
  if (Array.isArray(value)) {
    const items = all.flatMap((schema) => schema.items ?? []);
    return items.length === 0 ? [] : value.flatMap((item) => undeclared(items, item, path));
  }
  // A payload whose fields are not published.
  const hasNames = all.some(({ properties = {} }) => Object.keys(properties).length > 0);
  if (typeof value !== 'object' || value === null || !hasNames) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const found = all.flatMap(({ properties, additionalProperties: others }) =>
      properties !== undefined && Object.hasOwn(properties, key) ? properties[key]! : typeof others === 'object' ? others : [],
    );
    return found.length === 0 ? [`${path}.${key}`] : undeclared(found, field, `${path}.${key}`);
  });
}
