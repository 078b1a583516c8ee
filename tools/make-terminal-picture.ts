/**
 * Writes docs/pictures/terminal-light.svg and terminal-dark.svg: a shell that runs the built command line.
 *
 *   npm run docs:pictures
 */
import { writeFileSync } from 'node:fs';
import { recordedLines, terminalSvg } from './terminal-picture.js';

const lines = recordedLines();
for (const scheme of ['light', 'dark'] as const)
  writeFileSync(`docs/pictures/terminal-${scheme}.svg`, terminalSvg(lines, scheme));
