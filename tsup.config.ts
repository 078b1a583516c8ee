import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'tsup';
import { buildBundle } from './tools/build-bundle.js';
import { buildCli } from './tools/build-cli.js';
import { buildPage } from './tools/build-page.js';
import { buildZod, zodFile } from './tools/build-zod.js';
import { writeNotices } from './tools/bundled-packages.js';

const names = [
  'assets',
  'client',
  'client-node',
  'core',
  'extension',
  'index',
  'light',
  'log',
  'mcp',
  'middleware',
  'ohttp',
  'publish',
  'relay',
  'sources',
  'store-file',
  'store-indexeddb',
  'stores',
  'testing',
  'testing-node',
  'threads',
  'wallet',
  'webhooks',
];
/** Puts the tables into a chunk of their own. Nothing imports it, so the build deletes it. */
const tables = 'tables';
const startMs = performance.now();
/** The build is silent otherwise, and takes half a minute. */
const say = (text: string): void => console.log(`${((performance.now() - startMs) / 1_000).toFixed(0).padStart(3)} s  ${text}`);
const fileOf = (name: string): string => `src/entry/${name}.ts`;

/** The export map gives these the types of their Node build, so that a type does not depend on how a compiler resolves modules. */
const typedByNode = ['client', 'testing'];

say(`the library: ${names.length} entries`);
// The types are built beside all that, and take longest.
process.once('exit', (code) => say(code === 0 ? 'done: node dist/cli.js help' : 'failed'));

export default defineConfig({
  entry: { [tables]: 'tools/bundle-tables.ts', ...Object.fromEntries(names.map((name) => [name, fileOf(name)])) },
  // tsup removes the prefix by default; Deno and workerd need it.
  removeNodeProtocol: false,
  external: [/^node:/],
  // A file of its own, which `browser` in package.json replaces.
  esbuildPlugins: [zodFile],
  format: ['esm'],
  platform: 'neutral',
  // The oldest engines of React Native and of extensions run this; users would have to lower newer syntax.
  target: 'es2020',
  clean: true,
  // With the sources in them, so that a reviewer can step through the TypeScript.
  sourcemap: true,
  // Shared chunks, so that two entries in one app share one error class.
  splitting: true,
  // TypeScript 6 deprecates an option that tsup sets. `stripInternal` leaves out the exports that only this package calls.
  // Entries for one platform need its types; tsconfig.json checks the others without them.
  dts: {
    entry: names.filter((name) => !typedByNode.includes(name)).map(fileOf),
    compilerOptions: {
      ignoreDeprecations: '6.0',
      stripInternal: true,
      isolatedDeclarations: false,
      lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: ['node'],
    },
  },
  // These share no chunk with the entries; they are built after `clean` has emptied the folder.
  onSuccess: async () => {
    await Promise.all([rm(`dist/${tables}.js`), rm(`dist/${tables}.js.map`)]);
    say('the pages');
    const pages = await buildPage('dist/playground');
    say('the command line');
    const command = await buildCli('dist');
    say('the bundle for pages');
    const bundles = { 'portcullis.min.js': await buildBundle('dist/portcullis.min.js'), 'zod-core.js': await buildZod('dist') };
    say('the OpenAPI document');
    const { openApi } = (await import(pathToFileURL(resolve('dist/client-node.js')).href)) as { openApi(): object };
    await writeFile('dist/openapi.json', `${JSON.stringify(openApi(), null, 1)}\n`);
    await writeNotices('dist', { ...bundles, 'playground/': pages, 'cli.js and cli/': command });
    say('the types');
  },
});
