import { defineConfig } from 'tsup';
import { buildBundle } from './tools/build-bundle.js';
import { buildCli } from './tools/build-cli.js';
import { buildPage } from './tools/build-page.js';

export default defineConfig({
  entry: [
    'index',
    'core',
    'assets',
    'prefixes',
    'sources',
    'webhooks',
    'operations',
    'client',
    'client-node',
    'publish',
    'relay',
    'service',
    'service-node',
    'store-memory',
    'store-indexeddb',
    'store-file',
    'store-extension',
    'store-key-value',
    'store-contract',
  ].map((name) => `src/entry/${name}.ts`),
  // tsup would cut the prefix off, and Deno and workerd need it.
  removeNodeProtocol: false,
  external: [/^node:/],
  format: ['esm'],
  platform: 'neutral',
  // React Native's and extensions' oldest engines read this; newer syntax would have to be lowered by every user.
  target: 'es2020',
  clean: true,
  sourcemap: true,
  // Shared chunks, so that two entries of one page share one class and one error.
  splitting: true,
  // TypeScript 6 deprecates an option tsup sets by itself; `stripInternal` keeps what only our own files call out of the types.
  // The entries that live on a platform need its types; the pure ones are checked without them, by tsconfig.json.
  dts: {
    compilerOptions: {
      ignoreDeprecations: '6.0',
      stripInternal: true,
      isolatedDeclarations: false,
      lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: ['node'],
    },
  },
  // What shares no chunk with the entries is bundled by itself, once `clean` is over.
  onSuccess: async () => {
    await buildPage('dist/playground');
    await buildCli('dist');
    await buildBundle('dist/portcullis.min.js');
  },
});
