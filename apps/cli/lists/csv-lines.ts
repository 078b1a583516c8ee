import { quoted } from '../arguments/quoted.js';
import { similarTo } from '../arguments/similar.js';
import { UsageError } from '../errors/usage.js';

/**
 * One column of a CSV (RFC 4180) as lines, from a byte stream that may be endless. The content of a cell is in the line in which its row
 * begins, so that numbers of lines stay those of the file; the other lines of a row, and one with names, are empty.
 *
 * @param column Its name in the first row, or its number from 1 in a file without names
 * @throws UsageError if the first row has no such column
 */
export async function* columnLines(pieces: AsyncIterable<Uint8Array>, column: string): AsyncGenerator<Uint8Array> {
  const splitter = new RowSplitter();
  let place: Place | undefined;
  const linesOf = (rows: readonly Row[]): Uint8Array =>
    Buffer.concat(
      rows.map((row) => {
        place ??= placeIn(row, column);
        return row.isFirst && place.isNamed ? emptyLines(row) : lineOf(row, place);
      }),
    );
  for await (const piece of pieces) {
    const rows = splitter.take(piece);
    if (rows.length > 0) yield linesOf(rows);
  }
  const rest = splitter.end();
  if (rest.length > 0) yield linesOf(rest);
}

/** A row. Its bytes are characters, because only ASCII has a meaning in CSV. */
interface Row {
  /** Empty if it is too long. */
  readonly text: string;
  readonly isTooLong: boolean;
  readonly isFirst: boolean;
  /** The line breaks in it and at its end. */
  readonly breaks: number;
}

const [lineFeed, quote] = [10, 34];

/** As long as a line may be: a row of a table is not longer than its longest link by much. */
const maxRowBytes = 1_048_576;

/** Stands for a row that is too long, so that its line gets the answer of one. */
const tooLong: Uint8Array = Buffer.alloc(maxRowBytes + 1, 'x');

/** What comes before a cell, or before a quote inside a quoted cell, which is doubled. */
const beforeQuote: ReadonlySet<number> = new Set([...',;\t\n"'].map((character) => character.charCodeAt(0)));

/** Splits bytes into rows. A quoted cell may contain line breaks, so a row ends at a line break outside of quotes. */
class RowSplitter {
  private isFirst = true;
  private lineFeeds = 0;
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private isQuoted = false;
  private previous: number = lineFeed;

  take(piece: Uint8Array): Row[] {
    const rows: Row[] = [];
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
      if (byte === quote) this.isQuoted = !this.isQuoted && beforeQuote.has(this.previous);
      this.previous = byte;
      if (byte !== lineFeed) continue;
      this.lineFeeds++;
      // A quote that is never closed would make one row of the rest of the file.
      const isTooLong = this.heldBytes + at - from > maxRowBytes;
      if (this.isQuoted && !isTooLong) continue;
      this.hold(piece.subarray(from, at));
      rows.push(this.finish());
      from = at + 1;
    }
    this.hold(piece.subarray(from));
    return rows;
  }

  end(): Row[] {
    if (this.heldBytes === 0) return [];
    if (!this.isQuoted) return [this.finish()];
    // The rows behind a quote that is never closed are in this one. Read on its own, each is answered.
    const { text, isFirst, isTooLong } = this.finish();
    const lines = text.split('\n');
    return lines.map((line, at) => ({
      text: line,
      isFirst: isFirst && at === 0,
      isTooLong,
      breaks: at < lines.length - 1 ? 1 : 0,
    }));
  }

  private hold(bytes: Uint8Array): void {
    this.heldBytes += bytes.length;
    if (this.heldBytes > maxRowBytes) this.held = [];
    else if (bytes.length > 0) this.held.push(bytes);
  }

  private finish(): Row {
    const { isFirst, lineFeeds: breaks } = this;
    const isTooLong = this.heldBytes > maxRowBytes;
    const text = Buffer.concat(this.held).toString('latin1').replace(/\r$/, '');
    this.isFirst = false;
    this.lineFeeds = 0;
    this.held = [];
    this.heldBytes = 0;
    // The rows after one that is too long are read on their own.
    if (isTooLong) this.isQuoted = false;
    // Windows editors begin files with a byte order mark.
    return { text: isFirst ? text.replace(/^\u00ef\u00bb\u00bf/, '') : text, isTooLong, isFirst, breaks };
  }
}

interface Place {
  readonly separator: string;
  /** Counted from 0. */
  readonly index: number;
  /** Whether the first row has the names of the columns. */
  readonly isNamed: boolean;
}

function placeIn({ text }: Row, column: string): Place {
  const separator = separatorOf(text);
  const names = cellsOf(text, separator).map((cell) => Buffer.from(cell, 'latin1').toString().trim());
  if (/^[1-9]\d{0,5}$/.test(column)) {
    if (Number(column) <= names.length) return { separator, index: Number(column) - 1, isNamed: false };
    throw new UsageError(`--column ${column}: the first row has only ${names.length} columns`, 'count the columns from 1');
  }
  const index = names.findIndex((name) => name.toLowerCase() === column.toLowerCase());
  if (index >= 0) return { separator, index, isNamed: true };
  const similar = similarTo(column, names);
  // The cells are not repeated, because without names they are data, and may be secrets.
  throw new UsageError(
    `no column${quoted(column)} in the first row`,
    similar === undefined ? 'pass the number of the column, counted from 1' : `did you mean --column ${similar}?`,
  );
}

/** The separator that occurs most often between the cells of a row. */
export function separatorOf(row: string): string {
  const [separator = ','] = [',', ';', '\t'].sort((a, b) => cellsOf(row, b).length - cellsOf(row, a).length);
  return separator;
}

/** An empty cell is an empty line, which gets no answer. */
function lineOf(row: Row, { separator, index }: Place): Uint8Array {
  if (row.isTooLong) return Buffer.concat([tooLong, emptyLines(row)]);
  // A link that is broken into two lines is not a link; without the break it could be that of another site.
  const cell = (cellsOf(row.text, separator)[index] ?? '').replace(/[\r\n]+/g, ' ');
  return Buffer.concat([Buffer.from(cell, 'latin1'), emptyLines(row)]);
}

function emptyLines({ breaks }: Row): Uint8Array {
  return Buffer.alloc(breaks, lineFeed);
}

/** The cells of a row, without their quotes. A quote inside an unquoted cell is a character like any other. */
export function cellsOf(row: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    const close = row[at] === '"' ? closingQuote(row, at) : -1;
    const end = row.indexOf(separator, Math.max(at, close));
    const cell = close < 0 ? row.slice(at, end < 0 ? row.length : end) : row.slice(at + 1, close).replaceAll('""', '"');
    cells.push(cell);
    if (end < 0) return cells;
    at = end + 1;
  }
}

function closingQuote(row: string, open: number): number {
  let close = row.indexOf('"', open + 1);
  while (close >= 0 && row[close + 1] === '"') close = row.indexOf('"', close + 2);
  return close;
}
