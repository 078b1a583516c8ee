import { CsvRows } from '../../../src/core/csv-rows.js';
import { nearestName } from '../../../src/core/options/nearest-name.js';
import { quoted } from '../arguments/quoted.js';
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
  /** Empty if the row is too long. */
  readonly cells: readonly string[];
  readonly isTooLong: boolean;
  readonly isFirst: boolean;
  /** The line breaks in it and at its end. */
  readonly breaks: number;
}

const lineFeed = 10;

/** As long as a line may be: a row of a table is not longer than its longest link by much. */
const maxRowBytes = 1_048_576;

/** Stands for a row that is too long, so that its line gets the answer of one. */
const tooLong: Uint8Array = Buffer.alloc(maxRowBytes + 1, 'x');

class RowSplitter {
  private readonly rows = new CsvRows();
  private isFirst = true;
  /** The lines of an open row. */
  private lines: string[] = [];
  /** The unfinished line. */
  private held: Uint8Array[] = [];
  /** Of the row so far. */
  private bytes = 0;

  take(piece: Uint8Array): Row[] {
    const rows: Row[] = [];
    let from = 0;
    for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, from)) {
      this.hold(piece.subarray(from, at));
      const row = this.finishLine();
      if (row !== null) rows.push(row);
      from = at + 1;
    }
    this.hold(piece.subarray(from));
    return rows;
  }

  end(): Row[] {
    if (this.bytes > maxRowBytes) return [this.row([], 0, true)];
    if (this.held.length === 0 && this.lines.length === 0) return [];
    const row = this.finishLine();
    if (row !== null) return [{ ...row, breaks: row.breaks - 1 }];
    // The rows behind a quote that is never closed are in this one. Read on its own, each is answered.
    const { lines } = this;
    return lines.map((line, at) => {
      this.rows.reset();
      if (!this.rows.add(line)) this.rows.endLine(line);
      return this.row(this.rows.cells, at < lines.length - 1 ? 1 : 0);
    });
  }

  private hold(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.bytes > maxRowBytes) this.held = [];
    else if (bytes.length > 0) this.held.push(bytes);
  }

  /** The row that ends with the line; `null` if it goes on. */
  private finishLine(): Row | null {
    const isTooLong = this.bytes > maxRowBytes;
    const [only, more] = this.held;
    const bytes = only !== undefined && more === undefined ? only : Buffer.concat(this.held);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    this.held = [];
    this.bytes++;
    // Windows editors begin files with a byte order mark.
    this.lines.push(this.isFirst && this.lines.length === 0 ? line.replace(/^\u00ef\u00bb\u00bf/, '') : line);
    // The rows after one that is too long, as a quote that is never closed would make it, are read on their own.
    if (isTooLong) this.rows.reset();
    else if (!this.rows.add(this.lines.at(-1)!)) return null;
    const row = this.row(isTooLong ? [] : this.rows.cells, this.lines.length, isTooLong);
    this.lines = [];
    this.bytes = 0;
    return row;
  }

  private row(cells: readonly string[], breaks: number, isTooLong = false): Row {
    const { isFirst } = this;
    this.isFirst = false;
    return { cells, isTooLong, isFirst, breaks };
  }
}

interface Place {
  /** Counted from 0. */
  readonly index: number;
  /** Whether the first row has the names of the columns. */
  readonly isNamed: boolean;
}

function placeIn({ cells }: Row, column: string): Place {
  const names = cells.map((cell) => Buffer.from(cell, 'latin1').toString().trim());
  if (/^[1-9]\d{0,5}$/.test(column)) {
    if (Number(column) <= names.length) return { index: Number(column) - 1, isNamed: false };
    throw new UsageError(`--column ${column}: the first row has only ${names.length} columns`, 'count the columns from 1');
  }
  const index = names.findIndex((name) => name.toLowerCase() === column.toLowerCase());
  if (index >= 0) return { index, isNamed: true };
  const similar = nearestName(column, names);
  // The cells are not repeated, because without names they are data, and may be secrets.
  throw new UsageError(
    `no column${quoted(column)} in the first row`,
    similar === undefined ? 'pass the number of the column, counted from 1' : `did you mean --column ${similar}?`,
  );
}

/** An empty cell is an empty line, which gets no answer. */
function lineOf(row: Row, { index }: Place): Uint8Array {
  if (row.isTooLong) return Buffer.concat([tooLong, emptyLines(row)]);
  // A link that is broken into two lines is not a link; without the break it could be that of another site.
  const cell = (row.cells[index] ?? '').replace(/[\r\n]+/g, ' ');
  return Buffer.concat([Buffer.from(cell, 'latin1'), emptyLines(row)]);
}

function emptyLines({ breaks }: Row): Uint8Array {
  return Buffer.alloc(breaks, lineFeed);
}
