import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import type { Input } from '../command.js';

/** The process as a command line sees it; what tests give in its place. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Stream;
  readonly stderr: Stream;
}

export interface Stream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export function inputOf({ stdin }: Terminal, signal: AbortSignal): Input {
  return {
    isTerminal: stdin.isTTY === true,
    setHidden: (isHidden) => stdin.setRawMode?.(isHidden),
    // A read that waits for keys ends with the signal.
    [Symbol.asyncIterator]: () => addAbortSignal(signal, stdin)[Symbol.asyncIterator](),
  };
}

/** Wider lines are hard to read, narrower ones cannot hold a table. */
const columnsRange = [20, 200] as const;
const columnsUsual = 80;

/** Columns to write for. A terminal that does not know its width says 0. */
export function columnsOf({ columns }: Stream): number {
  return Math.min(Math.max(columns || columnsUsual, columnsRange[0]), columnsRange[1]);
}

/** Writes, and waits while the other end is slow: what is not read yet must not pile up. Resolves where nobody reads any more. */
export function writeTo(stream: Stream, text: string): Promise<void> {
  if (stream.destroyed || stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });
}

/** Text of others beside our own: no control character of it may move a cursor or change a title. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return character === '\t' ? ' ' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
