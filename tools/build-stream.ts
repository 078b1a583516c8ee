import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Builds the consumer of `examples/stream` into one file, because a worker thread starts from a file that Node can read. */
export async function buildStream(outfile: string, plugins: Plugin[] = []): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('../examples/stream/consumer.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // ioredis is CommonJS.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    // Resolves the package's public names to its sources.
    tsconfig: fileURLToPath(new URL('../tsconfig.tools.json', import.meta.url)),
    logLevel: 'warning',
    plugins,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildStream(fileURLToPath(new URL('../node_modules/.cache/stream/consumer.mjs', import.meta.url)));
}
