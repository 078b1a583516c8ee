import { allOperations, inputSchemaOf, type JsonSchema } from 'portcullis/client';
import { expect, test } from 'vitest';

const schemaOf = (name: string): JsonSchema => inputSchemaOf(allOperations.find((row) => row.name === name)!);

test.each(allOperations.map((row) => [row.name, row] as const))('the input schema of %s is complete in itself', (_, row) => {
  const schema = inputSchemaOf(row);
  expect(schema.type).toBe('object');
  expect(JSON.stringify(schema)).not.toContain('$ref');
  expect(Object.keys(schema.properties ?? {})).toEqual(expect.arrayContaining([...(schema.required ?? [])]));
});

test('a closed list of values is an enum', () => {
  const { type, status } = schemaOf('assetList').properties!;
  expect(type).toMatchObject({ type: 'string', enum: expect.arrayContaining(['URL', 'ADDRESS']) });
  expect(status?.enum).toEqual(['UNKNOWN', 'ALLOWED', 'BLOCKED']);
});

test('an open list of values also accepts any text', () => {
  const open = allOperations
    .flatMap((row) => Object.values(inputSchemaOf(row).properties ?? {}))
    .find(({ anyOf }) => anyOf?.[0]?.enum);
  expect(open?.anyOf).toEqual([{ type: 'string', enum: expect.any(Array) }, { type: 'string' }]);
});
