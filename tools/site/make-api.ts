/**
 * Writes docs/api, with a page for each entry, from the doc comments in src.
 *
 *   tsx tools/site/make-api.ts
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeApi } from './api-pages.js';

const folder = new URL('../../docs/api/', import.meta.url);
const { pages, warnings } = await makeApi();

await rm(folder, { recursive: true, force: true });
for (const [name, text] of pages) {
  const file = new URL(name, folder);
  await mkdir(dirname(file.pathname), { recursive: true });
  await writeFile(file, text);
}
for (const warning of warnings) console.warn(warning);
