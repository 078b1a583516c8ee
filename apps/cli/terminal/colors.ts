import { inspect } from 'node:util';
import { escapeMarkOf } from './print.js';
import type { Stream, Terminal } from './terminal.js';

export type Color = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export type Paint = (color: Color, text: string) => string;

/** Colors if the stream is a terminal that supports and wants them. */
export function paintFor(stream: Stream, { env }: Terminal, isPlain: boolean): Paint {
  const isWanted = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb' && !isPlain;
  if (!isWanted) return (_, text) => text;
  return (color, text) => {
    const [begin, end] = inspect.colors[color]!;
    const escapeMark = escapeMarkOf();
    return `${escapeMark}${begin}m${text}${escapeMark}${end}m`;
  };
}
