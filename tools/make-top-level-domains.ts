/**
 * Writes the hashes of the top-level domains, after an update of tldts.
 *
 *   tsx tools/make-top-level-domains.ts
 */
import { writeFile } from 'node:fs/promises';
import { hashFile } from './top-level-list.js';

await writeFile(new URL('../src/core/find/top-level-hashes.ts', import.meta.url), hashFile());
