/**
 * Writes src/made, which git ignores: modules that are made from other files. `npm ci` runs it, and so do the build and the tests.
 *
 *   tsx tools/make-sources.ts
 */
import { makeSources } from './made-sources.js';

for (const name of await makeSources()) console.log(`made src/made/${name}.ts`);
