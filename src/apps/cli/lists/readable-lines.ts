import type { Blocklist, CheckInput } from 'portcullis';
import { UsageError } from '../errors/usage.js';

/** Enough to know what a file is, and few enough that nothing of it has been answered when a file is read in large pieces. */
const sampleLines = 1_000;
const minShare = 0.01;

/**
 * Passes pieces on, and ends with an error if nearly none of the first thousand lines can be read: a table would otherwise be answered with
 * "unknown" line by line.
 */
export async function* readableOnly(
  pieces: AsyncIterable<Uint8Array>,
  blocklist: Pick<Blocklist, 'test'>,
  reading: (content: string) => CheckInput,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let isJson: boolean | undefined;
  let seen = 0;
  let readable = 0;
  let rest = '';
  for await (const piece of pieces) {
    if (seen < sampleLines) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
      rest = lines.pop()!.slice(0, maxHeld);
      for (const line of lines) {
        if (line.trim() === '' || seen === sampleLines) continue;
        isJson ??= line.trimStart().startsWith('{');
        seen++;
        if (isJson ? isJsonText(line) : blocklist.test(reading(line)).reason !== 'unreadable') readable++;
      }
      if (seen === sampleLines && readable < sampleLines * minShare) throw unreadable(readable);
    }
    yield piece;
  }
}

/** The start of a longer line says enough about it. */
const maxHeld = 65_536;

function isJsonText(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function unreadable(readable: number): UsageError {
  return new UsageError(
    `only ${readable} of the first ${sampleLines} lines are links, addresses or other assets`,
    'name the column of a CSV with --column, or the type of all lines with --type; to go on anyway, add --allow-unreadable',
    { code: 'UNREADABLE_INPUT' },
  );
}
