/**
 * Writes docs/asset-types.md, and the table of asset types in README.md, from the tables of the platforms.
 *
 *   tsx tools/make-asset-types.ts
 */
import { readFile, writeFile } from 'node:fs/promises';
import { assetTypePage, withAssetTable } from './asset-type-page.js';

await writeFile(new URL('../docs/asset-types.md', import.meta.url), assetTypePage());
const readme = new URL('../README.md', import.meta.url);
await writeFile(readme, withAssetTable(await readFile(readme, 'utf8')));
