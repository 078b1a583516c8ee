/**
 * Writes docs/api, which git ignores, with a page for each entry, from the doc comments in src.
 *
 *   tsx tools/site/make-api.ts
 */
import { writeApi } from './api-pages.js';

for (const warning of await writeApi()) console.warn(warning);
console.log('The API reference is in docs/api; start with docs/api/README.md');
