import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Builds the root entry with the IndexedDB store as one minified module, for pages without a bundler. */
export async function buildBundle(file: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('../src/entry/bundle.ts', import.meta.url))],
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
  });
}
