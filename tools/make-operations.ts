/**
 * Writes docs/openapi.json and docs/operations.md from the table of operations, the summaries above its rows, and the descriptions of
 * fields from their comments.
 *
 *   tsx tools/make-operations.ts
 */
import { readFile, writeFile } from 'node:fs/promises';
import { commentedFields, descriptionsModule } from './field-comments.js';

// Before the table is loaded, which has the descriptions.
const descriptions = new URL('../src/api/operations/field-descriptions.ts', import.meta.url);
await writeFile(descriptions, descriptionsModule(commentedFields('src/entry/client-node.ts')));
const { commentedSource, groups, operationPages } = await import('./operation-pages.js');

for (const [name, text] of Object.entries(operationPages())) {
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text);
}

for (const group of groups) {
  const file = new URL(`../src/api/operations/${group}.ts`, import.meta.url);
  await writeFile(file, commentedSource(group, await readFile(file, 'utf8')));
}
