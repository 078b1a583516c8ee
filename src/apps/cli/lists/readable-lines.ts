import type { Blocklist } from 'portcullis';
import { UsageError } from '../errors/usage.js';
import type { Line } from './input-lines.js';
import type { LineReader } from './screening.js';

/** Enough to know what a file is, and few enough that nothing of it has been answered yet. */
const sampleLines = 1_000;
const minShare = 0.01;

/**
 * Passes lines on, and ends with an error if nearly none of the first thousand can be read: a table of another format would otherwise be
 * answered with "unknown" line by line.
 */
export async function* readableOnly(
  batches: AsyncIterable<readonly Line[]>,
  blocklist: Pick<Blocklist, 'test'>,
  read: LineReader,
): AsyncGenerator<readonly Line[]> {
  let seen = 0;
  let readable = 0;
  for await (const lines of batches) {
    for (const line of lines) {
      if (seen === sampleLines) break;
      const asked = read(line);
      if (asked === null) continue;
      seen++;
      if (asked.error === undefined && blocklist.test(asked.input).reason !== 'unreadable') readable++;
      if (seen === sampleLines && readable < sampleLines * minShare) throw unreadable(readable);
    }
    yield lines;
  }
}

function unreadable(readable: number): UsageError {
  return new UsageError(
    `only ${readable} of the first ${sampleLines} lines are links, addresses or other assets`,
    'name the column of a CSV with --column, or the type of all lines with --type; to go on anyway, add --allow-unreadable',
    { code: 'UNREADABLE_INPUT' },
  );
}
