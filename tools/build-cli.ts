import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { type Plugin, rollup } from 'rollup';
import { directImports } from './direct-imports.js';
import { packedSuffixes } from './packed-suffixes.js';

// Bundles the other libraries that commands need, because Node takes a millisecond to find each of their files, and zod has a hundred.
// With the library of the tool server in it, `npx portcullis mcp` is all that a host of tools has to start.
const external = ['undici'];

/**
 * What is merged into one file each, because Node takes a millisecond to find, read and link a file. A file also gets everything that it
 * imports and no file before it has, so the first one holds what every command loads.
 */
const merged: Readonly<Record<string, string>> = {
  main: 'apps/cli/process.ts',
  check: 'apps/cli/commands/check-command.ts',
  // With the finder, which the service needs too.
  parse: 'apps/cli/commands/parse-command.ts',
  service: 'portcullis/testing?createService',
};

/** Beside the chunk of its command, which starts it as a thread. */
const worker = 'cli/screen-worker';

/**
 * Builds the command line into a folder, as `cli.js` with its own chunks, so that it does not change how the library is split into chunks.
 * esbuild makes a chunk for each set of commands that share code, most of them tiny; rollup merges them.
 */
export async function buildCli(folder: string): Promise<Metafile> {
  const { outputFiles, metafile } = await build({
    entryPoints: {
      cli: fileURLToPath(new URL('../apps/cli/bin.ts', import.meta.url)),
      [worker]: fileURLToPath(new URL('../apps/cli/lists/screen-worker.ts', import.meta.url)),
    },
    outdir: folder,
    chunkNames: 'cli/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
    plugins: [directImports, packedSuffixes],
    // Resolves the package's public names to its sources.
    tsconfig: fileURLToPath(new URL('../tsconfig.tools.json', import.meta.url)),
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
  const chunks = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const bundle = await rollup({
    input: { cli: resolve(folder, 'cli.js'), [worker]: resolve(folder, `${worker}.js`) },
    external: [/^node:/, ...external],
    plugins: [fromMemory(chunks)],
    // esbuild has done it.
    treeshake: false,
    // Otherwise chunks import the file that was started, and a symbolic link that Node keeps would make that a second one.
    preserveEntrySignatures: 'strict',
  });
  await bundle.write({
    dir: folder,
    chunkFileNames: 'cli/[name]-[hash].js',
    manualChunks: {
      // esbuild's own functions, which any chunk may need. Left to rollup, they would be in the first file that needs them.
      helpers: outputsIn(metafile, ({ inputs, exports, entryPoint }) => {
        return entryPoint === undefined && Object.keys(inputs).length === 0 && exports.length > 0;
      }),
      ...Object.fromEntries(
        Object.entries(merged).map(([name, entry]) => [
          name,
          outputsIn(metafile, (made) => made.entryPoint?.endsWith(entry) === true),
        ]),
      ),
    },
  });
  await bundle.close();
  return metafile;
}

function fromMemory(chunks: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'from-memory',
    resolveId: (name, from) => (name.startsWith('.') && from ? resolve(from, '..', name) : chunks.has(name) ? name : null),
    // esbuild keeps imports for the order of effects. There are none: `sideEffects` in package.json says so.
    load: (path) => chunks.get(path)?.replace(/^import "\.[^"]*";\n/gm, '') ?? null,
  };
}

function outputsIn({ outputs }: Metafile, isMeant: (output: Metafile['outputs'][string]) => boolean): string[] {
  const found = Object.keys(outputs).filter((path) => isMeant(outputs[path]!));
  if (found.length === 0) throw new Error('the command line is no longer built from the expected chunks');
  return found.map((path) => resolve(path));
}
