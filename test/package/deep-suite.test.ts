import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chooseDeepFiles, shareCount } from '../../tools/deep-suite/choose.js';
import { fileGraph, stepsTo } from '../../tools/file-graph.js';

const files = ['src', 'apps', 'test', 'tools', 'docs', 'examples'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => !file.includes('node_modules') && /\.\w+$/.test(file)),
);
const graph = fileGraph(files);
const deep = files.filter((file) => /\.(deep|property)\.test\.ts$/.test(file));

test.each([
  ['an import', 'test/guards/wallet/calls.property.test.ts', 'src/guards/wallet/call-table.ts'],
  ['the public name of an entry', 'examples/quickstart.ts', 'src/blocklist/sources/text-source.ts'],
  ['a document that a test reads', 'test/guards/extension/tutorial.deep.test.ts', 'docs/extension.md'],
  ['the built command line', 'test/apps/cli/process.deep.test.ts', 'tools/build-cli.ts'],
  ['the built page', 'test/apps/playground/page.deep.test.ts', 'apps/playground/base.css'],
  ['the other page', 'test/apps/playground/publish-page.deep.test.ts', 'apps/publisher/publish.ts'],
  ['the extension that it builds', 'test/guards/extension/extension.deep.test.ts', 'examples/extension/worker.ts'],
  ['the package in that extension', 'test/guards/extension/extension.deep.test.ts', 'src/guards/extension/extension-guard.ts'],
  ['the site', 'test/package/site.deep.test.ts', 'docs/sync.md'],
])('a file needs another through %s', (_, from, to) => {
  expect(stepsTo(graph, from, new Set([to]))).toBeLessThan(Number.POSITIVE_INFINITY);
});

test('a file does not need what nothing in it leads to', () => {
  const changed = new Set(['src/servers/relay/upstream.ts']);
  expect(stepsTo(graph, 'test/guards/wallet/typed-data.property.test.ts', changed)).toBe(Number.POSITIVE_INFINITY);
});

test('runs every deep file once in ten commits, and no file twice in one', () => {
  const choices = Array.from({ length: shareCount }, (_, at) => chooseDeepFiles(deep, 1_000 + at, new Set(), graph));
  expect(choices.flatMap(({ share }) => share).sort()).toEqual([...deep].sort());
  for (const { touched } of choices) expect(touched).toEqual([]);
  const { share, touched } = chooseDeepFiles(deep, 7, null, graph);
  expect([...share, ...touched].sort()).toEqual([...deep].sort());
});

test('puts the files nearest to a change first, and leaves out those that it does not reach', () => {
  const changed = new Set(['src/guards/wallet/call-table.ts']);
  const { share, touched } = chooseDeepFiles(deep, 3, changed, graph);
  const steps = touched.map((file) => stepsTo(graph, file, changed));
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  expect([...share, ...touched]).toContain('test/guards/wallet/calls.property.test.ts');
  expect(touched).not.toContain('test/servers/relay/relay.property.test.ts');
  for (const tool of ['package-lock.json', 'tools/deep/package-lock.json', 'tsconfig.tools.json', 'tsup.config.ts'])
    expect(chooseDeepFiles(deep, 3, new Set([tool]), graph).touched).toHaveLength(deep.length - share.length);
});
