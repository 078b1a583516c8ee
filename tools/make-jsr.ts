/**
 * Writes jsr.json from package.json.
 *
 *   npm run docs:jsr
 */
import { writeFileSync } from 'node:fs';
import { jsrFile } from './jsr-file.js';

writeFileSync('jsr.json', jsrFile());
