import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { allOperations, type FullOperation } from '../../../src/api/operations/all-operations.js';
import { facetsOf } from '../../../src/api/operations/kinds.js';
import { expectLinear, manyOf, post } from './growth.js';
import { headersWith, start } from './harness.js';

type Definition = { readonly innerType?: z.core.$ZodType; readonly element?: z.core.$ZodType; readonly shape?: Shape };
type Shape = Readonly<Record<string, z.core.$ZodType>>;
const definitionOf = (type: z.core.$ZodType): Definition => type._zod.def as Definition;
const isOptional = (type: z.core.$ZodType): boolean => (type._zod.def as { type: string }).type === 'optional';
const inner = (type: z.core.$ZodType): z.core.$ZodType => {
  const { innerType } = definitionOf(type);
  return innerType === undefined ? type : inner(innerType);
};

/** A value of a type. Where `long` is the type of a list, the list has that many items. */
function exampleOf(type: z.core.$ZodType, at: number, long: z.core.$ZodType, size: number): unknown {
  const { element, shape } = definitionOf(inner(type));
  if (element !== undefined) return manyOf(inner(type) === long ? size : 1, (item) => exampleOf(element, item, long, size));
  if (shape !== undefined) return inputOf(shape, at, long, size);
  const { type: kind, enum: values } = (facetsOf(inner(type)) ?? {}) as { type?: string; enum?: readonly string[] };
  if (values !== undefined) return values[at % values.length];
  if (kind === 'number' || kind === 'integer') return at + 1;
  return kind === 'boolean' ? true : `a${at}.example`;
}

function inputOf(shape: Shape, at: number, long: z.core.$ZodType, size: number): Record<string, unknown> {
  const wanted = Object.entries(shape).filter(([, type]) => !isOptional(type) || listsIn(type).includes(long));
  return Object.fromEntries(wanted.map(([name, type]) => [name, exampleOf(type, at, long, size)]));
}

/** The lists in a type, those in their items too. */
function listsIn(type: z.core.$ZodType): z.core.$ZodType[] {
  const { element, shape } = definitionOf(inner(type));
  if (element !== undefined) return [inner(type), ...listsIn(element)];
  return Object.values(shape ?? {}).flatMap(listsIn);
}

const rowsWithLists = allOperations.flatMap((row) => {
  const { shape = {} } = definitionOf(row.input);
  return listsIn(row.input).map((list, at) => [`${row.name} ${at + 1}`, row, shape, list] as const);
});

/** A request with a list of some length, in its query or body. */
function requestWith({ method, path }: FullOperation, input: Record<string, unknown>): [path: string, body: unknown] | null {
  if (path === null) return null;
  const text = path.replace(/\{(\w+)\}/g, (_, name: string) => String(input[name] ?? 1));
  if (method !== 'GET') return [text, input];
  const query = Object.entries(input).flatMap(([name, value]) => [value].flat().map((one) => `${name}=${String(one)}`));
  return [`${text}?${query.join('&')}`, undefined];
}

describe('the time of a request grows with a list in its input', () => {
  test('there are such requests', () => expect(rowsWithLists.length).toBeGreaterThan(20));

  test.each(rowsWithLists)('%s', async (_, row, shape, list) => {
    const service = start();
    await expectLinear(async (size) => {
      const [path, body] = requestWith(row, inputOf(shape, 0, list, size)) ?? ['/', undefined];
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      await service.fetch(`http://localhost${path}`, {
        method: row.method ?? 'POST',
        headers: headersWith(service.key),
        ...init,
      });
    });
  });

  test.each([
    ['unknown fields of a query', (size: number) => [`/organization/brands?${manyOf(size, (at) => `a${at}=1`).join('&')}`, {}]],
    ['a long path', (size: number) => [`/${'a/'.repeat(size)}`, {}]],
    ['a long slug', (size: number) => [`/organization/brands?slug=${'a'.repeat(size)}`, {}]],
    ['tags', (size: number) => ['/blocklist/snapshot/0123456789abcdef-0', { 'if-none-match': 'W/"a", '.repeat(size) }]],
  ] as const)('%s', async (_, requestOf) => {
    const service = start();
    await expectLinear((size) => {
      const [path, headers] = requestOf(size) as [string, Record<string, string>];
      return service.fetch(`http://localhost${path}`, { headers: { ...headersWith(service.key), ...headers } });
    });
  });
});

test('the time of a report grows with its assets', async () => {
  const service = start();
  let round = 0;
  await expectLinear((size) => {
    round++;
    return post(service, '/report/create', { assets: manyOf(size, (at) => ({ content: `n${round}-${at}.example` })) });
  });
});

// A commit passed its records to a call as arguments.
test('a report may have more assets than a call can have arguments', async () => {
  const assets = manyOf(100_000, (at) => ({ content: `a${at}.example` }));
  expect((await post(start(), '/report/create', { assets })).status).toBe(200);
});
