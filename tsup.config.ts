import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/entry/index.ts', 'src/entry/core.ts', 'src/entry/assets.ts', 'src/entry/prefixes.ts'],
  format: ['esm'],
  platform: 'neutral',
  // React Native's and extensions' oldest engines read this; newer syntax would have to be lowered by every user.
  target: 'es2020',
  clean: true,
  sourcemap: true,
  // Shared chunks, so that two entries of one page share one class and one error.
  splitting: true,
  // TypeScript 6 deprecates an option tsup sets by itself; `stripInternal` keeps what only our own files call out of the types.
  dts: { compilerOptions: { ignoreDeprecations: '6.0', stripInternal: true } },
});
