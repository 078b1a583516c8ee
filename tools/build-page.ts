import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { bundledPackages, noticesOf } from './bundled-packages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The scripts and the style sheet, which both pages share, without what they bundle. */
const bundles = [
  'apps/playground/page.ts',
  'apps/playground/page.css',
  'apps/publisher/publish.ts',
  'apps/publisher/publish-worker.ts',
];
const documents = ['apps/playground/index.html', 'apps/publisher/publish.html'];

/** Builds the playground's two pages into a folder, for any static host. */
export async function buildPage(folder: string): Promise<Metafile> {
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: bundles.map((file) => ({ in: join(root, file), out: basename(file, extname(file)) })),
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    // Resolves the package's public names to its sources.
    tsconfig: join(root, 'tsconfig.tools.json'),
    logLevel: 'warning',
    metafile: true,
  });
  await writeFile(
    join(folder, 'third-party.txt'),
    noticesOf(await bundledPackages({ 'the scripts beside this file': metafile })),
  );
  const logo = await readFile(join(root, 'docs/pictures/logo.svg'), 'utf8');
  for (const file of documents) {
    const page = await readFile(join(root, file), 'utf8');
    // In the page itself, which saves a request.
    const withLogo = page.replace('href="data:,"', `href="data:image/svg+xml,${encodeURIComponent(logo)}"`);
    await writeFile(join(folder, basename(file)), withLogo);
  }
  return metafile;
}
