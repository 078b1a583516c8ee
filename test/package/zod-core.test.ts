import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import type * as source from '../../src/api/operations/zod-core.js';
import { buildZod } from '../../tools/build-zod.js';

type ZodCore = typeof source;

// Inside the project, so that the file for browsers finds zod.
async function builtFolder(): Promise<string> {
  const folder = mkdtempSync(resolve('node_modules/.cache/zod-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await buildZod(folder);
  return folder;
}

test('the file with zod in it makes schemas that another copy of zod reads', async () => {
  const file = join(await builtFolder(), 'zod-core.js');
  expect(readFileSync(file, 'utf8')).not.toMatch(/^(import|export) .* from /m);
  const own = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as ZodCore;

  const number = new own.$ZodCustom({ type: 'custom', check: 'custom', fn: Number.isInteger, error: () => 'no number' } as never);
  const list = new own.$ZodArray({ type: 'array', element: number } as never);
  const optional = new own.$ZodOptional({ type: 'optional', innerType: list } as never);
  const object = z.object({ kept: optional as z.core.$ZodType, text: z.string() });

  expect(optional).toBeInstanceOf(z.core.$ZodOptional);
  expect(z.parse(object, { text: 'a', dropped: 1 })).toEqual({ text: 'a' });
  expect(z.parse(object, { text: 'a', kept: [1, 2] })).toEqual({ text: 'a', kept: [1, 2] });
  const { error } = z.safeParse(object, { text: 'a', kept: [1, 'b'] });
  expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([[['kept', 1], 'no number']]);
  expect(own.safeParse(object, { text: 1 }).success).toBe(false);
});

test('a bundler for browsers leaves zod to the app, and the package names both files', async () => {
  const folder = await builtFolder();
  const { browser } = JSON.parse(readFileSync('package.json', 'utf8')) as { browser: Record<string, string> };
  expect(browser).toEqual({ './dist/zod-core.js': './dist/zod-core-web.js' });
  const { metafile } = await build({
    entryPoints: [join(folder, 'zod-core-web.js')],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    outdir: folder,
  });
  expect(Object.keys(metafile.inputs).filter((path) => path.startsWith('node_modules/zod/')).length).toBeGreaterThan(10);
  const [own, web] = await Promise.all(
    ['zod-core.js', 'zod-core-web.js'].map((name) => import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href)),
  );
  expect(Object.keys(web)).toEqual(Object.keys(own));
});
