import { styleText } from 'node:util';
import type { Stream, Terminal } from './terminal.js';

export type Color = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export type Paint = (color: Color, text: string) => string;

/** Colors if the stream is a terminal that supports and wants them. */
export function paintFor(stream: Stream, { env }: Terminal, isPlain: boolean): Paint {
  const isWanted = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb' && !isPlain;
  return isWanted ? (color, text) => styleText(color, text, { validateStream: false }) : (_, text) => text;
}
