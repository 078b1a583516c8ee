import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { allOperations, openApi } from 'portcullis/client';
import { expect, test } from 'vitest';
import { commentedSource, groups, operationPages } from '../../tools/operation-pages.js';

test.each(Object.entries(operationPages()))('docs/%s is up to date', (name, text) => {
  expect(readFileSync(`docs/${name}`, 'utf8'), 'run npm run docs:operations').toBe(text);
});

test.each(groups)('the operations of %s have their summaries as comments', (group) => {
  const source = readFileSync(`src/api/operations/${group}.ts`, 'utf8');
  expect(commentedSource(group, source), 'run npm run docs:operations').toBe(source);
  expect(source.match(/^ {2}(\/\*\*.*\*\/| {1}\*\/)\n {2}\w+: (read|write|check)\(/gm)?.length).toBe(
    allOperations.filter((row) => row.group === group).length,
  );
});

test('the OpenAPI document passes an independent validator', async () => {
  expect(await new Validator().validate(structuredClone(openApi()))).toEqual({ valid: true });
});

test('the validator rejects an invalid document', async () => {
  const broken = structuredClone(openApi());
  broken['paths'] = { '/asset/check': { post: { responses: { 200: {} } } } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

test('the OpenAPI document contains every operation once', () => {
  const { paths, 'x-without-path': without } = openApi() as {
    paths: Record<string, Record<string, { operationId: string }>>;
    'x-without-path': { operationId: string }[];
  };
  const ids = [...Object.values(paths).flatMap((path) => Object.values(path)), ...without].map(({ operationId }) => operationId);
  expect(ids.sort()).toEqual(allOperations.map(({ name }) => name).sort());
});

test('every reference in the OpenAPI document resolves', () => {
  const document = openApi() as Record<string, unknown>;
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(100);
  for (const path of new Set(references)) {
    const found = path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    expect(found, path).toBeDefined();
  }
});

test('the OpenAPI document contains no key, host or vendor', () => {
  expect(JSON.stringify(openApi()).match(/https?:\/\/[^"\s]+/g)).toEqual(['https://api.example']);
});

interface Described {
  readonly tags: readonly string[];
  readonly description?: string;
  readonly responses: Readonly<Record<string, unknown>>;
}

const described = openApi() as {
  info: { version: string };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, { required?: readonly string[] }> };
};

test('the OpenAPI document has the version of the service, and describes its tags and operations', () => {
  expect(described.info.version).toBe('2.0.0');
  const operations = Object.values(described.paths).flatMap((path) => Object.values(path));
  const named = described.tags.map(({ name }) => name);
  expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(named));
  for (const { description } of [...described.tags, ...operations]) expect(description).toMatch(/^[A-Z].{5,}\.$/);
});

test('an error has a message and a code', () => {
  expect(described.components.schemas['Error']?.required).toEqual(['message', 'code']);
});

test('a complete value list of a response is no union with any text, in which a type generator would lose it', () => {
  const lost = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { anyOf } = value as { anyOf?: readonly { $ref?: string; type?: string }[] };
    if (anyOf?.some(({ type }) => type === 'string')) for (const { $ref } of anyOf) if ($ref) lost.add($ref.split('/').pop()!);
    Object.values(value).forEach(visit);
  };
  for (const path of Object.values(described.paths)) for (const { responses } of Object.values(path)) visit(responses);
  // The lists that the service's documentation calls incomplete.
  expect([...lost].sort()).toEqual([
    'CheckSource',
    'DetectionSource',
    'HealthcheckId',
    'RetractionStatus',
    'TakedownStatus',
    'TakedownTaskStatus',
    'TakedownTaskType',
  ]);
});

test('every parameter and every property in the OpenAPI document has a description', () => {
  interface Node {
    readonly description?: string;
    readonly properties?: Readonly<Record<string, Node>>;
    readonly parameters?: readonly (Node & { readonly name: string })[];
  }
  const named: [string, string | undefined][] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties = {}, parameters = [] } = value as Node;
    for (const [name, { description }] of Object.entries(properties)) named.push([`${path} ${name}`, description]);
    for (const { name, description } of parameters) named.push([`${path} ${name}`, description]);
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${key}`);
  };
  visit(openApi(), '');
  expect(named.filter(([, description]) => !/^[A-Z`].*\.$/.test(description ?? ''))).toEqual([]);
  expect(named.length).toBeGreaterThan(1_000);
});
