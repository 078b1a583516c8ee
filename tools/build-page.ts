import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'src/apps/playground/page');

/** Builds the playground's page into a folder: one script, one style sheet, one document. */
export async function buildPage(folder: string): Promise<Metafile> {
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(sources, 'page.ts'), join(sources, 'page.css')],
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
  const [page, logo] = await Promise.all([
    readFile(join(sources, 'index.html'), 'utf8'),
    readFile(join(root, 'docs/pictures/logo.svg'), 'utf8'),
  ]);
  // In the page itself, which saves a request.
  await writeFile(
    join(folder, 'index.html'),
    page.replace('href="data:,"', `href="data:image/svg+xml,${encodeURIComponent(logo)}"`),
  );
  return metafile;
}
