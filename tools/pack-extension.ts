/** Packs the example for the stores, from the sources: npm run example:extension -- <address of the list> [folder] */
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export type PackFiles = ReadonlyMap<string, Uint8Array>;
type Browser = 'chromium' | 'firefox';

interface Scripts {
  packExtension(
    listUrl: string,
    browser: Browser,
    folder: string,
    more: object,
  ): Promise<{ readonly path: string; readonly files: PackFiles }>;
  packForStores(args: readonly string[], more: object): Promise<void>;
  storeProblems(files: PackFiles): string[];
  zip(files: PackFiles): Uint8Array;
}

async function load(name: 'pack' | 'store-rules' | 'zip'): Promise<Scripts> {
  return (await import(/* @vite-ignore */ pathToFileURL(resolve(`examples/extension/${name}.mjs`)).href)) as Scripts;
}

const { packExtension, packForStores } = await load('pack');
export const { storeProblems } = await load('store-rules');
export const { zip } = await load('zip');
const more = { tsconfig: join(resolve('.'), 'tsconfig.tools.json') };

export const packExample = (listUrl: string, browser: Browser, folder: string): ReturnType<Scripts['packExtension']> =>
  packExtension(listUrl, browser, folder, more);

if (process.argv[1] === fileURLToPath(import.meta.url)) await packForStores(process.argv.slice(2), more);
