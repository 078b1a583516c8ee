/**
 * Writes docs/algorithm.md into the tool server, which has no file system on every platform.
 *
 *   tsx tools/make-algorithm-document.ts
 */
import { writeFileSync } from 'node:fs';
import { algorithmModule } from './algorithm-module.js';

writeFileSync('src/servers/mcp/algorithm-document.ts', algorithmModule());
