import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

const source = fileURLToPath(new URL('../src/api/operations/zod-core.ts', import.meta.url));

/** Leaves the import of zod to the files that `buildZod` writes beside the entries and their chunks. */
export const zodFile: Plugin = {
  name: 'zod-file',
  setup({ onResolve }) {
    onResolve({ filter: /\/zod-core\.js$/ }, () => ({ path: './zod-core.js', external: true, sideEffects: false }));
  },
};

/** Builds both files that stand for zod (docs/decisions/0061-start-without-zods-files.md). */
export async function buildZod(folder: string): Promise<Metafile> {
  const common: BuildOptions = {
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    target: 'es2020',
    logLevel: 'warning',
  };
  const [{ metafile }] = await Promise.all([
    build({
      ...common,
      platform: 'neutral',
      mainFields: ['module', 'main'],
      outfile: join(folder, 'zod-core.js'),
      metafile: true,
    }),
    build({ ...common, packages: 'external', outfile: join(folder, 'zod-core-web.js') }),
  ]);
  return metafile;
}
