/**
 * Writes the pictures of docs/pictures that scripts make, in both color schemes: a shell that runs the built command line, and the drawings.
 *
 *   npm run docs:pictures
 */
import { writeFileSync } from 'node:fs';
import { drawingSvg } from './drawing.js';
import { drawings } from './drawings.js';
import { recordedLines, terminalSvg } from './terminal-picture.js';

const lines = recordedLines();
for (const scheme of ['light', 'dark'] as const) {
  writeFileSync(`docs/pictures/terminal-${scheme}.svg`, terminalSvg(lines, scheme));
  for (const drawing of drawings) writeFileSync(`docs/pictures/${drawing.name}-${scheme}.svg`, drawingSvg(drawing, scheme));
}
