import type { Blocklist, CheckInput } from 'portcullis';
import { jsonIn } from '../../shared/json-text.js';
import { UsageError } from '../errors/usage.js';
import { pieceBytes } from './open-file.js';

/** Enough to know what a file is, and few enough that nothing of it has been answered when a file is read in large pieces. */
const sampleLines = 1_000;
const minShare = 0.01;

/** Fewer lines say too little about a file, and their answers are all on one screen. */
const minLines = 10;

interface Reading {
  readonly blocklist: Pick<Blocklist, 'test'>;
  readonly reading: (content: string) => CheckInput;
  /** Whether the input ends soon, so that it may wait until its first lines are known: a file, and not a pipe. */
  readonly canWait: boolean;
  /** Prints what would have been an error, if answers may have been written already. */
  warn(text: string): void;
}

/**
 * Passes pieces on, and ends with an error if nearly none of the first thousand lines, or of all lines of a shorter file, can be read: a
 * table would otherwise be answered with "unknown" line by line.
 */
export async function* readableOnly(
  pieces: AsyncIterable<Uint8Array>,
  { blocklist, reading, canWait, warn }: Reading,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let isJson: boolean | undefined;
  let seen = 0;
  let readable = 0;
  let rest = '';
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isPassed = false;
  const see = (line: string): void => {
    if (line.trim() === '' || seen === sampleLines) return;
    isJson ??= line.trimStart().startsWith('{');
    seen++;
    if (isJson ? jsonIn(line) !== undefined : blocklist.test(reading(line)).reason !== 'unreadable') readable++;
  };
  for await (const piece of pieces) {
    if (seen < sampleLines) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
      rest = lines.pop()!.slice(0, maxHeld);
      for (const line of lines) see(line);
      if (seen === sampleLines && readable < sampleLines * minShare) throw unreadable(readable, seen);
    }
    held.push(piece);
    heldBytes += piece.length;
    // Long lines must not fill the memory.
    if (canWait && seen < sampleLines && heldBytes < pieceBytes) continue;
    yield* held;
    held = [];
    isPassed = true;
  }
  if (seen < sampleLines) {
    see(rest);
    if (seen >= minLines && readable < seen * minShare) {
      const error = unreadable(readable, seen);
      if (!isPassed) throw error;
      warn(`${error.message}; ${error.next}`);
    }
  }
  yield* held;
}

/** The start of a longer line says enough about it. */
const maxHeld = 65_536;

function unreadable(readable: number, seen: number): UsageError {
  return new UsageError(
    `only ${readable} of the ${seen === sampleLines ? 'first ' : ''}${seen} lines are links, addresses or other assets`,
    'name the column of a CSV with --column, or the type of all lines with --type; to go on anyway, add --allow-unreadable',
    { code: 'UNREADABLE_INPUT' },
  );
}
