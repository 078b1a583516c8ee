import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PortcullisError } from '../../core/errors.js';
import type { PlaygroundConfig } from './playground-config.js';

/** What the build makes of `src/playground/page`. */
const built = ['index.html', 'page.css', 'page.js'] as const;

/**
 * The files of the page with its configuration, by name: to be served, or written beside a published list.
 *
 * @throws PortcullisError `NOT_FOUND` where the page was not built
 */
export async function pageFiles(
  config: PlaygroundConfig,
  folder: URL = builtFolder(),
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of built) {
    try {
      files.set(name, new Uint8Array(await readFile(new URL(name, folder))));
    } catch (cause) {
      throw new PortcullisError('NOT_FOUND', 'the page of the playground is not built; run: npm run build', { cause });
    }
  }
  files.set('config.json', new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`));
  return files;
}

/** Beside the built entries, or above their chunks; where the sources run, in the `dist` of the repository. */
function builtFolder(): URL {
  const folders = ['./playground/', '../playground/', '../../../dist/playground/'].map((path) => new URL(path, import.meta.url));
  // Beside this file is its own source folder, where it is not built.
  return folders.find((folder) => existsSync(new URL('index.html', folder))) ?? folders[0]!;
}
