/**
 * Writes docs/asset-types.md from the tables of the platforms.
 *
 *   tsx tools/make-asset-types.ts
 */
import { writeFile } from 'node:fs/promises';
import { assetTypePage } from './asset-type-page.js';

await writeFile(new URL('../docs/asset-types.md', import.meta.url), assetTypePage());
