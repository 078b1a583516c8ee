import { allOperations, inputSchemaOf, type JsonSchema } from 'portcullis/client';
import { expect, test } from 'vitest';

const schemaOf = (name: string): JsonSchema => inputSchemaOf(allOperations.find((row) => row.name === name)!);

test.each(allOperations.map((row) => [row.name, row] as const))('the input schema of %s is complete in itself', (_, row) => {
  const schema = inputSchemaOf(row);
  expect(schema.type).toBe('object');
  expect(JSON.stringify(schema)).not.toContain('$ref');
  expect(Object.keys(schema.properties ?? {})).toEqual(expect.arrayContaining([...(schema.required ?? [])]));
});

test('every input is a Standard Schema, as form and router libraries take it', async () => {
  for (const { name, input } of allOperations) {
    const { version, validate } = input['~standard'];
    expect(version).toBe(1);
    expect((await validate('no object')).issues, name).toBeDefined();
  }
  const { input } = allOperations.find(({ name }) => name === 'assetCheck')!;
  expect(await input['~standard'].validate({ content: 'evil.example' })).toEqual({ value: { content: 'evil.example' } });
  expect((await input['~standard'].validate({})).issues).toMatchObject([{ path: ['content'] }]);
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
