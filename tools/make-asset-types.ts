/**
 * Writes docs/asset-types.md from the tables of the platforms, and docs/tables, the data of docs/algorithm.md.
 *
 *   tsx tools/make-asset-types.ts
 */
import { writeFile } from 'node:fs/promises';
import { algorithmTables } from './algorithm-tables.js';
import { assetTypePage } from './asset-type-page.js';

await writeFile(new URL('../docs/asset-types.md', import.meta.url), assetTypePage());
for (const [path, text] of algorithmTables()) await writeFile(new URL(`../${path}`, import.meta.url), text);
