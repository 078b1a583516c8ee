import fc from 'fast-check';
import { allOperations, createClient, type FullOperation, isPortcullisError, openApi } from 'portcullis/client';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../../support/arbitraries.js';
import { enough } from './client-harness.js';

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

interface Documented {
  readonly parameters?: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: Schema } } };
}

const described = openApi() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The input of a row as one object, put together again from the document. */
function inputSchemaOf({ path, method }: FullOperation): Schema {
  const { parameters = [], requestBody } = described.paths[path!]![method!.toLowerCase()]!;
  const body = requestBody?.content['application/json']?.schema ?? {};
  return {
    type: 'object',
    properties: {
      ...body.properties,
      ...Object.fromEntries(parameters.map(({ name, description, schema }) => [name, { ...schema, description }])),
    },
    required: [...(body.required ?? []), ...parameters.filter(({ required }) => required).map(({ name }) => name)],
    additionalProperties: body.additionalProperties ?? false,
  };
}

const nasty = fc.constantFrom(...'a&b=c·%2F·../..·/·?#·+· ·"\\·\r\n·\u0000·ü·\u{1f4b0}·\u2028·__proto__·null·[]·{x}'.split('·'));
const texts = (constraints: { minLength?: number | undefined; maxLength?: number | undefined } = {}): fc.Arbitrary<string> => {
  const { minLength = 0, maxLength = 255 } = constraints;
  return fc
    .oneof(
      fc.string({ unit: anyCodePoint, maxLength: 20 }),
      nasty,
      fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 20) }),
    )
    .filter(
      // Lengths are those of JavaScript, and an astral character counts twice.
      ({ length }) => length >= minLength && length <= maxLength,
    );
};

const moments = fc.date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
const written = moments.chain((date) => {
  const iso = date.toISOString();
  return fc.constantFrom(iso.slice(0, 10), iso, `${iso.slice(0, 19)}Z`, `${iso.slice(0, 19)}+05:30`, `${iso.slice(0, 19)}-11:00`);
});
const times = fc.oneof(moments, written);
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0 || 0);

function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { $ref, anyOf, type, items, properties } = schema;
  if ($ref !== undefined) return valuesOf(described.components.schemas[$ref.split('/').at(-1)!]!);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(valuesOf));
  if (Array.isArray(type)) return fc.oneof(...(type as string[]).map((one) => valuesOf({ ...schema, type: one })));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.format === 'date' || schema.description?.endsWith('ISO 8601.')) return times;
  if (properties !== undefined) return objectsOf(schema);
  if (items !== undefined)
    return fc.array(valuesOf(items), { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 5, 5) });
  switch (type) {
    case 'string':
      return texts({ minLength: schema.minLength, maxLength: schema.maxLength });
    case 'integer':
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? Number.MIN_SAFE_INTEGER, max: schema.maximum ?? Number.MAX_SAFE_INTEGER }),
        fc.constantFrom(schema.minimum ?? Number.MIN_SAFE_INTEGER, schema.maximum ?? Number.MAX_SAFE_INTEGER),
      );
    case 'number':
      return numbers;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  }
}

function objectsOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema)]));
  return fc.record(fields, { requiredKeys: [...required], noNullPrototype: true } as never) as unknown as fc.Arbitrary<
    Record<string, unknown>
  >;
}

type Input = Record<string, unknown>;

/** Rules between fields, which the document does not describe. */
const repairs: Readonly<Record<string, (input: Input) => Input>> = {
  assetSearch: ({ content, assetId }) => (assetId === undefined ? { content: content ?? '' } : { assetId }),
  organizationAssetsUpdate: (input) => ({ name: 'x', ...input }),
  organizationProposalsReview: (input) => ({
    label: 'C2 Server',
    brandId: 1,
    rejectReason: 'decayed',
    watchlistReason: 'DEAD',
    ...input,
    note: input['note'] || 'x',
  }),
  getOrganizationReports: ({ startDate, endDate, ...rest }) =>
    startDate === undefined || endDate === undefined ? rest : { ...rest, startDate, endDate },
  userOrgsGet: ({ slug }) => ({ slug: /^\.{0,2}$/.test(String(slug)) ? 'x' : slug }),
};

/** Rows that repeat the parameters of their path in the body. */
const inBoth = [
  'organizationAssetsUpdate',
  'organizationAssetsRemove',
  'organizationAssetGroupsUpdate',
  'organizationAssetGroupsDelete',
];

const rows = allOperations.filter(({ path, upload }) => path !== null && !upload);

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly body: string | undefined;
}

const sent: Sent[] = [];
const answer = new TextEncoder().encode(JSON.stringify(enough));
/** Takes every request and answers at once. */
const client = createClient({
  baseUrl: 'https://api.example/v2',
  apiKey: 'k',
  fetch: async (url: string, init?: { method?: string; body?: unknown }) => {
    sent.push({ url, method: init?.method ?? '', body: init?.body as string | undefined });
    return { status: 200, headers: { get: () => null }, arrayBuffer: async () => answer.slice().buffer };
  },
});
const call = (name: string, input: unknown): Promise<unknown> =>
  (client.request as (name: string, input: unknown) => Promise<unknown>)(name, input);

/** A value as written in JSON, by its schema: a day as that of UTC, an instant as ISO 8601. */
function writtenOf(value: unknown, schema: Schema | undefined): unknown {
  if (schema?.format === 'date') return new Date(value as string).toISOString().slice(0, 10);
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** What the service reads: the parameters of the path, the query and the body. */
function read({ path }: FullOperation, { url, body }: Sent): { params: Input; query: Record<string, string[]>; body: unknown } {
  const { pathname, searchParams, host } = new URL(url);
  expect(host).toBe('api.example');
  const names = [...path!.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const match = new RegExp(`^/v2${path!.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(pathname);
  expect(match, `${pathname} is ${path}`).not.toBeNull();
  const query: Record<string, string[]> = {};
  for (const [name, value] of searchParams) query[name] = [...(query[name] ?? []), value];
  return {
    params: Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match![at + 1]!)])),
    query,
    body: body === undefined ? undefined : (JSON.parse(body) as unknown),
  };
}

const numRuns = Math.ceil((fc.readConfigureGlobal().numRuns ?? 300) / 4);

test.each(rows.map((row) => [row.name, row] as const))('any valid input arrives complete: %s', async (name, row) => {
  const schema = inputSchemaOf(row);
  const extras: fc.Arbitrary<Input> =
    schema.additionalProperties === false
      ? fc.constant({})
      : fc.dictionary(
          fc.constantFrom('extra', 'weitere ü', 'a&b'),
          fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
        );
  const inputs = fc
    .tuple(objectsOf(schema), extras)
    .map(([input, extra]) => ({ ...(repairs[name]?.(input) ?? input), ...extra }));
  await fc.assert(
    fc.asyncProperty(inputs, async (input) => {
      sent.length = 0;
      await call(name, input);
      expect(sent).toHaveLength(1);
      expect(sent[0]!.method).toBe(row.method);
      const found = read(row, sent[0]!);
      const wire: Input = {};
      for (const [field, value] of Object.entries(input)) {
        if (value === undefined) continue;
        if (field in found.params) {
          expect(found.params[field]).toBe(String(value));
          if (!inBoth.includes(name)) continue;
        }
        wire[field] = writtenOf(value, schema.properties?.[field]);
      }
      if (row.method === 'GET') {
        const query = Object.entries(wire).flatMap(([field, value]) => {
          const values = (Array.isArray(value) ? value : [value]).filter((one) => one !== null).map(String);
          return values.length === 0 ? [] : [[field, values] as const];
        });
        expect(found.query).toEqual(Object.fromEntries(query));
        expect(found.body).toBeUndefined();
      } else {
        expect(found.query).toEqual({});
        expect(found.body).toEqual(wire);
      }
    }),
    { numRuns },
  );
});

describe('any input, valid or not', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const junk = fc.oneof(
    fc.anything({
      withBigInt: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true,
      withObjectString: true,
    }),
    fc.constantFrom<unknown>(
      Symbol('x'),
      () => {},
      5n,
      circle,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      -0,
      '\ud800',
      '.',
      '..',
      '',
      new Date(8.64e15),
      [undefined],
      [null],
      {},
      [],
      Number.MAX_VALUE,
    ),
  );

  const mutation = fc.record({
    field: fc.nat(),
    value: junk,
    how: fc.constantFrom('replace', 'inside', 'delete', 'add', 'proto'),
  });

  function mutated(input: Input, { field, value, how }: { field: number; value: unknown; how: string }): Input {
    const keys = Object.keys(input);
    const key = keys[field % Math.max(1, keys.length)] ?? 'x';
    const copy = { ...input };
    const before = copy[key];
    if (how === 'delete') delete copy[key];
    else if (how === 'add') copy[`x${field % 3}`] = value;
    else if (how === 'proto')
      Object.defineProperty(copy, '__proto__', { value, enumerable: true, configurable: true, writable: true });
    else if (how === 'inside' && Array.isArray(before)) copy[key] = [...before, value];
    else if (how === 'inside' && typeof before === 'object' && before !== null && !(before instanceof Date))
      copy[key] = { ...before, x: value };
    else copy[key] = value;
    return copy;
  }

  async function expectOrderly(name: string, input: unknown): Promise<void> {
    sent.length = 0;
    try {
      await call(name, input);
      expect(sent).toHaveLength(1);
    } catch (error) {
      if (error instanceof TypeError) return;
      expect(isPortcullisError(error), String(error)).toBe(true);
      expect(error).toMatchObject({ code: expect.stringMatching(/^(INVALID_INPUT|LIMIT_EXCEEDED)$/), operation: name });
      expect(sent).toHaveLength(0);
    }
  }

  test.each(rows.map((row) => [row.name, row] as const))('is sent once or rejected with a code: %s', async (name, row) => {
    const inputs = objectsOf(inputSchemaOf(row)).map((input) => repairs[name]?.(input) ?? input);
    await fc.assert(
      fc.asyncProperty(inputs, fc.array(mutation, { minLength: 1, maxLength: 3 }), async (input, mutations) => {
        await expectOrderly(name, mutations.reduce(mutated, input));
      }),
      { numRuns },
    );
  });

  test('is rejected if it is not an object', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...rows.map(({ name }) => name)), junk, (name, input) => expectOrderly(name, input)),
    );
  });

  test('is sent up to 8 MiB of JSON, and rejected beyond', async () => {
    const shell = JSON.stringify({ content: '' }).length;
    await call('assetCheck', { content: 'x'.repeat(8 * 1024 * 1024 - shell) });
    await expect(call('assetCheck', { content: 'x'.repeat(8 * 1024 * 1024 - shell + 1) })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
  });
});
