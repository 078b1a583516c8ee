import { styleText } from 'node:util';
import type { Stream, Terminal } from './terminal.js';

export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export type Paint = (colour: Colour, text: string) => string;

/** Colours if the stream is a terminal that supports and wants them. */
export function paintFor(stream: Stream, { env }: Terminal, isPlain: boolean): Paint {
  const isWanted = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb' && !isPlain;
  return isWanted ? (colour, text) => styleText(colour, text, { validateStream: false }) : (_, text) => text;
}
