import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/**
 * Builds the command line into a folder, as `cli.js` with its own chunks, so that it does not change how the library is split into chunks.
 */
export async function buildCli(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: {
      cli: fileURLToPath(new URL('../src/apps/cli/bin.ts', import.meta.url)),
      // Beside the chunk of its command, which starts it as a thread.
      'cli/screen-worker': fileURLToPath(new URL('../src/apps/cli/lists/screen-worker.ts', import.meta.url)),
    },
    outdir: folder,
    chunkNames: 'cli/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Bundles the libraries that commands need, because Node takes a millisecond to find each of their files, and zod has a hundred.
    // With the library of the tool server in it, `npx portcullis mcp` is all that a host of tools has to start.
    external: ['undici'],
    // Resolves the package's public names to its sources.
    tsconfig: fileURLToPath(new URL('../tsconfig.tools.json', import.meta.url)),
    logLevel: 'warning',
    metafile: true,
  });
  return metafile;
}
