/**
 * Writes docs/openapi.json and docs/operations.md from the table of operations.
 *
 *   tsx tools/make-operations.ts
 */
import { writeFile } from 'node:fs/promises';
import { operationPages } from './operation-pages.js';

for (const [name, text] of Object.entries(operationPages())) {
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text);
}
