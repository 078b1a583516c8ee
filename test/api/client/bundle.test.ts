import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

async function inputsOf(entry: string, contents?: string): Promise<string[]> {
  const source =
    contents === undefined ? { entryPoints: [entry] } : { stdin: { contents, resolveDir: '.', loader: 'ts' as const } };
  const { metafile } = await build({
    ...source,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    external: ['node:*'],
    metafile: true,
    write: false,
  });
  const imports = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  return [...used.map(([path]) => path), ...imports];
}

test('a browser bundle contains neither undici nor Node built-ins', async () => {
  const inputs = await inputsOf('src/entry/client.ts');
  expect(inputs).toContain('src/api/client/client.ts');
  expect(inputs.filter((path) => path.includes('undici') || path.startsWith('node:'))).toEqual([]);
});

test('the Node entry contains undici, which shows that the test above can fail', async () => {
  expect((await inputsOf('src/entry/client-node.ts')).some((path) => path.includes('undici'))).toBe(true);
});

test('a client of one group does not contain the operations of others', async () => {
  const contents = `
    import { createPartialClient } from './src/entry/client.ts';
    import { disputes } from './src/entry/client-node.ts';
    console.log(createPartialClient({ disputes }, { baseUrl: 'https://api.example', apiKey: 'k' }));`;
  const groups = (await inputsOf('', contents)).filter((path) => path.startsWith('src/api/operations/'));
  expect(groups).toContain('src/api/operations/disputes.ts');
  for (const other of [
    'assets',
    'reports',
    'organization',
    'detections',
    'healthchecks',
    'operation-table',
    'openapi',
    'all-operations',
  ]) {
    expect(groups).not.toContain(`src/api/operations/${other}.ts`);
  }
});

test('runtimes that also match `node` resolve to the plain entry', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, Record<string, string>> };
  const { types: _, ...client } = exports['./client'] ?? {};
  expect(Object.keys(client)).toEqual(['bun', 'deno', 'workerd', 'browser', 'node', 'default']);
  for (const [condition, file] of Object.entries(client)) {
    expect(file).toBe(condition === 'node' ? './dist/client-node.js' : './dist/client.js');
  }
  // Deno runs what Node's build of the service uses; Bun has another undici, which cannot pin the address of a receiver.
  const { types: __, ...service } = exports['./testing'] ?? {};
  expect(Object.keys(service)).toEqual(['bun', 'workerd', 'browser', 'node', 'default']);
  for (const [condition, file] of Object.entries(service)) {
    expect(file).toBe(condition === 'node' ? './dist/testing-node.js' : './dist/testing.js');
  }
});
