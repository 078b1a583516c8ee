import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { allOperations, openApi } from 'portcullis/operations';
import { expect, test } from 'vitest';
import { commentedSource, groups, operationPages } from '../../tools/operation-pages.js';

test.each(Object.entries(operationPages()))('docs/%s is what the table makes', (name, text) => {
  expect(readFileSync(`docs/${name}`, 'utf8'), 'run npm run docs:operations').toBe(text);
});

test.each(groups)('the rows of %s have their summaries above them, which editors show', (group) => {
  const source = readFileSync(`src/api/operations/${group}.ts`, 'utf8');
  expect(commentedSource(group, source), 'run npm run docs:operations').toBe(source);
  expect(source.match(/^ {2}(\/\*\*.*\*\/| {1}\*\/)\n {2}\w+: (read|write|check)\(/gm)?.length).toBe(
    allOperations.filter((row) => row.group === group).length,
  );
});

test('the OpenAPI document is valid by an independent validator', async () => {
  expect(await new Validator().validate(structuredClone(openApi()))).toEqual({ valid: true });
});

test('the validator would say so if it were not', async () => {
  const broken = structuredClone(openApi());
  broken['paths'] = { '/asset/check': { post: { responses: { 200: {} } } } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

test('the OpenAPI document has every operation, and none twice', () => {
  const { paths, 'x-without-path': without } = openApi() as {
    paths: Record<string, Record<string, { operationId: string }>>;
    'x-without-path': { operationId: string }[];
  };
  const ids = [...Object.values(paths).flatMap((path) => Object.values(path)), ...without].map(({ operationId }) => operationId);
  expect(ids.sort()).toEqual(allOperations.map(({ name }) => name).sort());
});

test('every reference in the OpenAPI document leads somewhere', () => {
  const document = openApi() as Record<string, unknown>;
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(100);
  for (const path of new Set(references)) {
    const found = path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    expect(found, path).toBeDefined();
  }
});

test('no key, host or vendor stands in the document', () => {
  expect(JSON.stringify(openApi()).match(/https?:\/\/[^"\s]+/g)).toEqual(['https://api.example']);
});
