/**
 * Writes docs/operations.md from the table of operations, and the summaries above its rows.
 *
 *   tsx tools/make-operations.ts
 */
import { readFile, writeFile } from 'node:fs/promises';
import { makeSources } from './made-sources.js';

// Before the document is loaded, which has the descriptions.
await makeSources();
const { commentedSource, groups, operationPages } = await import('./operation-pages.js');

for (const [name, text] of Object.entries(operationPages())) {
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text);
}

for (const group of groups) {
  const file = new URL(`../src/api/operations/${group}.ts`, import.meta.url);
  await writeFile(file, commentedSource(group, await readFile(file, 'utf8')));
}
