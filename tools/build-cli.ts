import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Builds the command line into a folder, with its own chunks, so that it does not change how the library is split into chunks.
 */
export async function buildCli(folder: string): Promise<string> {
  await build({
    entryPoints: { cli: fileURLToPath(new URL('../src/apps/cli/bin.ts', import.meta.url)) },
    outdir: folder,
    chunkNames: 'cli/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Bundles the small libraries that every command needs, because Node takes a millisecond to find each of their files.
    external: ['undici', 'zod', 'tldts'],
    // Resolves the package's public names to its sources.
    tsconfig: fileURLToPath(new URL('../tsconfig.tools.json', import.meta.url)),
    logLevel: 'warning',
  });
  return join(folder, 'cli.js');
}
