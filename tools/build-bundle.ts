import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/** Builds the root entry with the IndexedDB store as one minified module, for pages without a bundler. */
export async function buildBundle(file: string): Promise<Metafile> {
  const { metafile } = await build({
    // The tables come first and together, as in tsup.config.ts, and then what reads assets: this order compresses best.
    stdin: {
      contents: "import './bundle-tables.js'; import '../src/entry/assets.js'; export * from './bundle-entry.js';",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    outfile: file,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    // The same target as in tsup.config.ts.
    target: 'es2020',
    legalComments: 'none',
    logLevel: 'warning',
    // These imports have no other effect.
    logOverride: { 'ignored-bare-import': 'silent' },
    metafile: true,
  });
  return metafile;
}
