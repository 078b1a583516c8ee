import fc from 'fast-check';
import { allOperations, type FullOperation, inputSchemaOf, type JsonSchema, type OperationName } from 'portcullis/client';
import { expect, test } from 'vitest';
import { exampleNeeds, operationExamples } from '../../../apps/cli/operation/operation-examples.js';
import { anyCodePoint } from '../../support/arbitraries.js';
import { propertyRuns } from '../../support/setup.js';
import { run } from './in-process.js';

const rows = allOperations.map((row) => [row.name, row] as const);
const slug = 'example-wallet';

/** Splits a line as a shell does. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test.each(rows)('the help of %s contains its fields, its route and a line to copy', async (name, row) => {
  const { code, stdout, stderr } = await run(['api', name, '--help']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(row.path ?? '--route');
  expect(stdout).toContain(`portcullis api ${name} --local`);
  const { required = [] } = inputSchemaOf(row);
  for (const field of required.filter((one) => one !== 'limit')) {
    expect(stdout.toLowerCase()).toContain(`--${field.replace(/[A-Z]/g, (letter) => `-${letter}`)}`.toLowerCase());
  }
  for (const line of stdout.split('\n')) expect(line).toBe(line.trimEnd());
});

/** The exit code of an example that needs something first. */
const refusalCode = (name: OperationName): number => (name === 'userMeUpdate' ? 5 : name === 'attachmentUpload' ? 0 : 4);

test.each(rows)('the example of %s runs', async (name, row) => {
  const line = operationExamples[name] ?? '';
  const args = ['--local', ...words(line), ...(row.destructive ? ['--yes'] : [])];
  const { code, stdout, stderr } = await run(['api', name, ...args, '--json']);
  expect(code, stdout).toBe(exampleNeeds[name] === undefined ? 0 : refusalCode(name));
  if (!row.deprecated) expect(stderr).toBe('');
  expect(() => JSON.parse(stdout)).not.toThrow();
  expect((await run(['api', row.tool, ...args])).code).toBe(code);
  if (row.write) {
    const planned = await run(['api', `${row.group}.${row.verb}`, '--local', ...words(line), '--json', '--dry-run']);
    expect(planned.code, planned.stdout).toBe(0);
    expect(JSON.parse(planned.stdout)).toMatchObject({ operation: name, method: row.method });
  }
});

/** Values of roughly the right kind, so that some pass the schema and reach the service. */
function valuesOf(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const { type = 'object', properties, items, anyOf } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum, 'x');
  if (anyOf !== undefined) return valuesOf(anyOf[0]!, depth);
  const kinds = (typeof type === 'string' ? [type] : type).map((kind): fc.Arbitrary<unknown> => {
    if (kind === 'string')
      return fc.oneof(fc.string({ unit: anyCodePoint }), fc.constantFrom('https://scam-mint.example/', '2026-01-01', slug));
    if (kind === 'integer' || kind === 'number') return fc.oneof(fc.integer(), fc.integer({ min: 1, max: 20 }));
    if (kind === 'boolean') return fc.boolean();
    if (kind === 'null') return fc.constant(null);
    if (kind === 'array') return fc.array(valuesOf(items ?? {}, depth + 1), { maxLength: 3 });
    if (depth > 2 || properties === undefined) return fc.object({ maxDepth: 1 });
    return recordOf(properties, depth);
  });
  return fc.oneof({ arbitrary: fc.oneof(...kinds), weight: 9 }, { arbitrary: fc.jsonValue(), weight: 1 });
}

function recordOf(properties: Readonly<Record<string, JsonSchema>>, depth = 0): fc.Arbitrary<object> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valuesOf(one, depth + 1)]));
  return fc.record(fields, { requiredKeys: [] });
}

const inputOf = (row: FullOperation): fc.Arbitrary<object> =>
  fc
    .tuple(recordOf(inputSchemaOf(row).properties ?? {}), fc.boolean())
    .map(([given, isOdd]) => (isOdd ? { ...given, constructor: 1, ['__proto__']: { a: 1 } } : given));

test.each(rows)('%s ends with a documented exit code for any input', async (name, row) => {
  await fc.assert(
    fc.asyncProperty(inputOf(row), async (input) => {
      const route = row.path === null ? ['--route', 'POST /metrics/blocked-by-first-report-source'] : [];
      const args = ['api', name, '--local', '--yes', '--json', '--input', '-', ...route];
      const { code, stdout } = await run(args, { input: JSON.stringify(input) });
      expect([0, 2, 3, 4, 5, 7], stdout).toContain(code);
      const value = JSON.parse(stdout) as { exitCode?: number };
      if (code !== 0 && code !== 7) expect(value.exitCode).toBe(code);
    }),
    { numRuns: Math.ceil(propertyRuns / 25) },
  );
});

/** The body that a write sends. */
async function bodyOf(args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await run(['api', ...args, '--local', '--dry-run', '--json']);
  expect(code, stdout).toBe(0);
  return (JSON.parse(stdout) as { body: Record<string, unknown> }).body;
}

/** Any text without lone surrogates, which neither JSON nor a command line has. */
const texts = fc.oneof(
  fc.string({ unit: anyCodePoint }),
  fc.constantFrom('', 'a\nb', '\u0000', ...'- -- --json -y --content=x null true [1] {} " @file é\u202ex 🦄'.split(' ')),
);

test('text is sent as typed', async () => {
  await fc.assert(
    fc.asyncProperty(texts, texts, async (content, description) => {
      const args = ['disputeCreate', `--content=${content}`, `--description=${description}`];
      expect(await bodyOf(args)).toEqual({ content, description });
    }),
    { numRuns: Math.ceil(propertyRuns * 0.6) },
  );
});

test('texts of a list are sent in order, whether given one by one or as JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 2, maxLength: 5 }), async (assets) => {
      expect(await bodyOf(['assetSubmit', ...assets.map((text) => `--assets=${text}`)])).toEqual({ assets });
      expect(await bodyOf(['assetSubmit', '--assets', JSON.stringify(assets)])).toEqual({ assets });
      expect(await bodyOf(['assetSubmit', '--input', JSON.stringify({ assets })])).toEqual({ assets });
    }),
    { numRuns: Math.ceil(propertyRuns * 0.3) },
  );
});

test('any arguments of api end with a documented exit code, and with JSON if requested', async () => {
  const names = allOperations.filter(({ path }) => path !== null).flatMap(({ name, tool }) => [name, tool]);
  const options = ['--content', '--type', '--input', '--all', '--limit-items', '--dry-run', '--yes', '--list', '--org', '--slug'];
  const word = fc.oneof(
    fc.constantFrom(...names, ...options, ...'-- - -h -yq --no-input --output=csv --__proto__ --asset-id=1 {} []'.split(' ')),
    fc.tuple(fc.constantFrom(...options), texts).map(([name, text]) => `${name}=${text}`),
    texts,
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.array(word, { maxLength: 5 }), async (name, more) => {
      const { code, stdout } = await run(['api', name, '--local', '--json', ...more], { input: '{}' });
      expect([0, 2, 3, 4, 5, 7], JSON.stringify(more)).toContain(code);
      const isHelp = more.some((one) => one === '-h' || one === '--help');
      if (!isHelp)
        for (const line of code === 0 ? [] : [stdout.trim().split('\n').at(-1)!]) expect(() => JSON.parse(line)).not.toThrow();
    }),
    { numRuns: Math.ceil(propertyRuns * 1.5) },
  );
});
