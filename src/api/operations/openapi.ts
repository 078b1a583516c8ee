import { requireObject } from '../../core/errors.js';
import { fieldDescriptions, type Texts } from '../../made/field-descriptions.js';
import { groupSummaries } from '../../made/operation-summaries.js';
import { allOperations, type FullOperation } from './all-operations.js';
import { maxUploadBytes, maxUploadFiles } from './attachments.js';
import { listNameOf, markOf } from './fields.js';
import { facetsOf, made, nothing } from './kinds.js';
import { operationGroups } from './operation-groups.js';
import { incomplete, lists } from './value-lists.js';
import * as z from './zod.js';

type Json = Record<string, unknown>;

/**
 * All operations as an OpenAPI 3.1 document, to serve, render or generate code from. Unknown parts stay open, and
 * `x-provenance` names the source of each part.
 */
export function openApi(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Threat-reporting and blocklist service',
      version: '2.0.0',
      description: `What is known of the service's API. Value lists may grow, so a reader should accept other values too. x-provenance: seed (its own document), public (its published documentation), draft (an unpublished draft of that), provisional (our proposal).`,
    },
    servers: [
      {
        url: '{baseUrl}',
        variables: { baseUrl: { default: 'https://api.example', description: 'The address of the service.' } },
      },
    ],
    security: [{ key: [] }],
    tags: Object.keys(operationGroups).map((name) => ({ name, description: groupSummaries[name]! })),
    paths: pathsOf(allOperations.filter(({ path }) => path !== null)),
    'x-without-path': allOperations
      .filter(({ path }) => path === null)
      .map(({ name, summary }) => ({ operationId: name, summary })),
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-KEY' } },
      responses: Object.fromEntries(
        Object.entries(failures).map(([status, description]) => [`E${status}`, failureOf(description)]),
      ),
      schemas: {
        Error: errorSchema,
        ...Object.fromEntries(listSchemas),
      },
    },
  };
}

const failures: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST: the input is invalid.',
  401: 'UNAUTHORIZED: the key is missing or invalid, or belongs to no organization.',
  403: 'FORBIDDEN: the key does not allow this.',
  404: 'NOT_FOUND: the asset, organization or other record does not exist.',
  409: 'CONFLICT: the request conflicts with the current state.',
  422: 'UNPROCESSABLE_CONTENT: some assets cannot be reported; nothing was created.',
  429: 'TOO_MANY_REQUESTS: the rate limit is exceeded.',
  500: 'INTERNAL_SERVER_ERROR: the service failed.',
};

/** 404 is among them, because any slug, asset, group, brand or proposal in an input may be unknown. */
const commonStatuses = [400, 401, 403, 404, 500];

const errorSchema: Json = textsOf(
  {
    message: 'What happened, for people.',
    code: 'What happened, for programs, such as UNAUTHORIZED.',
  },
  {
    issues: {
      type: 'array',
      description: 'What is wrong with the input.',
      items: textsOf({ message: 'What is wrong with one field.' }),
    },
    data: {
      type: 'object',
      description: 'What a 422 adds.',
      properties: {
        errors: {
          type: 'array',
          description: 'One entry for each asset that cannot be reported.',
          items: textsOf({
            asset: 'The asset as text.',
            errorType: 'Why it cannot be reported, for programs.',
            message: 'Why it cannot be reported, for people.',
            suggestion: 'What to do instead.',
          }),
        },
      },
    },
  },
);

/** An object with these texts, each with its description. */
function textsOf(texts: Readonly<Record<string, string>>, others: Json = {}): Json {
  const properties = Object.entries(texts).map(([name, description]) => [name, { type: 'string', description }]);
  return { type: 'object', required: Object.keys(texts), properties: { ...Object.fromEntries(properties), ...others } };
}

/** Some operations nest the error. */
function failureOf(description: string): Json {
  const error = { ...refTo('Error'), description: 'The error.' };
  const nested = { type: 'object', required: ['error'], properties: { error } };
  return { description, content: { 'application/json': { schema: { anyOf: [refTo('Error'), nested] } } } };
}

function pathsOf(rows: readonly FullOperation[]): Json {
  const paths = new Map<string, Json>();
  for (const row of rows) paths.set(row.path!, { ...paths.get(row.path!), [row.method!.toLowerCase()]: operationOf(row) });
  return Object.fromEntries(paths);
}

function operationOf(row: FullOperation): Json {
  const texts = fieldDescriptions[`${row.group}.${row.verb}`]!;
  const input = described(schemaOf(row.input, 'input'), texts.input);
  const output = described(schemaOf(row.output, 'output'), texts.output);
  const properties = (input['properties'] ?? {}) as Record<string, Json>;
  const required = (input['required'] ?? []) as readonly string[];
  const inPath = [...row.path!.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parameter = (name: string, where: string): Json => {
    const { description, ...schema } = properties[name]!;
    return { name, in: where, description, required: where === 'path' || required.includes(name), schema };
  };
  const rest = Object.keys(properties).filter((name) => row.pathInBody || !inPath.includes(name));
  const inQuery = row.upload ? ['fileName'] : row.method === 'GET' ? rest : [];
  const parameters = [...inPath.map((name) => parameter(name, 'path')), ...inQuery.map((name) => parameter(name, 'query'))];
  const statuses = [...new Set([...commonStatuses, ...row.statuses])].sort();
  return {
    operationId: row.name,
    tags: [row.group],
    summary: row.summary,
    description: descriptionOf(row),
    ...(row.deprecated && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(row.method !== 'GET' && { requestBody: row.upload ? uploadBody : bodyOf(input, rest) }),
    responses: {
      200: { description: 'Success.', content: { 'application/json': { schema: output } } },
      ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/E${status}` }])),
    },
    'x-provenance': row.provenance,
    'x-repeat-safe': row.repeatSafe,
    'x-write': row.write,
    'x-destructive': row.destructive,
    'x-scoped': row.scoped,
    ...(row.paging && { 'x-paging': row.paging }),
  };
}

function descriptionOf({ deprecated, replacement, effect, destructive, repeatSafe, paging, essential }: FullOperation): string {
  return [
    deprecated ? `Use ${replacement.join(' or ')} instead.` : '',
    effect?.sentence ?? '',
    destructive ? 'It cannot be undone.' : '',
    repeatSafe ? 'It can be repeated.' : 'Repeating it may take effect twice.',
    paging === null ? '' : `It returns pages of up to ${paging.maxPageSize} ${paging.items}.`,
    essential === '' ? 'Its response is not published.' : `A response without ${essential} is no answer.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Adds the descriptions of fields. They are by the names of the fields, so lists and alternatives add nothing to a path. */
function described(schema: Json, texts: Texts, path = ''): Json {
  const { properties, items, anyOf } = schema as { properties?: Record<string, Json>; items?: Json; anyOf?: Json[] };
  const field = ([name, given]: [string, Json]): [string, Json] => {
    const at = path === '' ? name : `${path}.${name}`;
    const { description, ...rest } = described(given, texts, at);
    return [name, { description: description === undefined ? texts[at] : `${texts[at]} ${description}.`, ...rest }];
  };
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(field)) }),
    ...(items && { items: described(items, texts, path) }),
    ...(anyOf && { anyOf: anyOf.map((one) => described(one, texts, path)) }),
  };
}

function bodyOf(input: Json, names: readonly string[]): Json {
  const { properties = {}, required = [], ...rest } = input as { properties?: Json; required?: string[] } & Json;
  const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
  const needed = required.filter((name) => names.includes(name));
  const schema = { ...rest, properties: kept, ...(needed.length > 0 && { required: needed }) };
  return { required: true, content: { 'application/json': { schema } } };
}

const file = { type: 'string', contentMediaType: 'application/octet-stream' };

const uploadBody: Json = {
  required: true,
  description: `One file as the body, with fileName in the query, or up to ${maxUploadFiles} as parts named file. At most ${maxUploadBytes} bytes.`,
  content: {
    'application/octet-stream': { schema: file },
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: { file: { type: 'array', description: 'The files.', items: file, maxItems: maxUploadFiles } },
        required: ['file'],
      },
    },
  },
};

/** Names of value lists by their types. */
const listNames = /* @__PURE__ */ made(
  () => new Map<object, string>(Object.entries(lists).map(([name, list]) => [list, capital(name)])),
);

/** The schemas of value lists, by the names they have in the document. */
const listSchemas = /* @__PURE__ */ made(
  () => new Map<string, Json>(Object.entries(lists).map(([name, list]) => [capital(name), facetsOf(list) as Json])),
);

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/**
 * The JSON Schema of what is sent or received. `listSchema` gives the schema of a value list: by default a reference, so a document
 * has each once.
 */
export function schemaOf(type: z.core.$ZodType, io: 'input' | 'output', listSchema: (name: string) => Json = refTo): Json {
  const { $schema, ...schema } = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const closed = listNames.get(zodSchema);
      const open = listNameOf(zodSchema);
      if (closed !== undefined) Object.assign(jsonSchema, listSchema(closed));
      // A union with any text would leave nothing of the list in generated types.
      else if (open !== undefined && io === 'output' && !incomplete.has(open))
        Object.assign(jsonSchema, listSchema(capital(open)));
      else if (open !== undefined) Object.assign(jsonSchema, { anyOf: [listSchema(capital(open)), { type: 'string' }] });
      else Object.assign(jsonSchema, facetsOf(zodSchema));
      // Any further field is passed on.
      if (io === 'output') delete jsonSchema.additionalProperties;
      if ((zodSchema as z.core.$ZodObject)._zod.def.catchall === nothing) jsonSchema.additionalProperties = false;
      const mark = markOf(zodSchema);
      if (mark !== undefined) Object.assign(jsonSchema, { 'x-provenance': mark });
    },
  }) as Json;
  // Drops `undefined`.
  return JSON.parse(JSON.stringify(schema)) as Json;
}

/** The subset of JSON Schema (2020-12) that describes the inputs of operations. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly anyOf?: readonly JsonSchema[];
  /** How certain the field is, if it is less certain than its operation. */
  readonly 'x-provenance'?: string;
}

/**
 * The JSON Schema of an operation's input, complete in itself: value lists are written out as `enum`, so it needs no document
 * around it. For forms, command lines and tool servers: `{ name: row.tool, description: row.summary, inputSchema:
 * inputSchemaOf(row) }`. A list that may have further values is `anyOf` its known values and any text.
 */
export function inputSchemaOf(operation: Pick<FullOperation, 'input'>): JsonSchema {
  requireObject(operation, 'operation');
  requireObject(operation.input, 'operation.input');
  return schemaOf(operation.input, 'input', (name) => listSchemas.get(name)!) as JsonSchema;
}
