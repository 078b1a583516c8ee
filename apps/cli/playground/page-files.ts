import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PortcullisError } from 'portcullis/core';
import type { PlaygroundConfig } from '../../shared/playground-config.js';

/** The files that tools/build-page.ts writes. */
const built = [
  'index.html',
  'page.css',
  'page.js',
  'publish.html',
  'publish.js',
  'publish-worker.js',
  'third-party.txt',
] as const;

/** The tests, which run commands from their sources, set the folder of the page that they have built. */
export const pageFolder: { built?: URL } = {};

/**
 * The page's files and its configuration by name, to be served or to be written beside a published list.
 *
 * @throws PortcullisError `NOT_FOUND` if the page is not built
 */
export async function pageFiles(
  config: PlaygroundConfig,
  folder: URL = pageFolder.built ?? builtFolder(),
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of built) {
    try {
      files.set(name, new Uint8Array(await readFile(new URL(name, folder))));
    } catch (cause) {
      throw new PortcullisError('NOT_FOUND', 'the playground is not built; run npm run build', { cause });
    }
  }
  files.set('config.json', new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`));
  return files;
}

/** The page is next to the built command line or above its chunks; when running from sources, it is in the repository's `dist`. */
function builtFolder(): URL {
  const folders = ['./playground/', '../playground/', '../../../dist/playground/'].map((path) => new URL(path, import.meta.url));
  return folders.find((folder) => existsSync(new URL('index.html', folder))) ?? folders[0]!;
}
