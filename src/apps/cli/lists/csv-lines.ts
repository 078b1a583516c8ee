import { isUtf8 } from 'node:buffer';
import { similarTo } from '../arguments/similar.js';
import { UsageError } from '../errors/usage.js';
import { type Line, type LineProblem, maxLineBytes } from './input-lines.js';

/**
 * One column of a CSV (RFC 4180) as lines, from a byte stream that may be endless. The number of a line is that of the row's first line.
 *
 * @param column Its name in the first row, or its number from 1 in a file without names
 * @throws UsageError if the first row has no such column
 */
export async function* csvBatchesOf(pieces: AsyncIterable<Uint8Array>, column: string): AsyncGenerator<readonly Line[]> {
  const splitter = new RowSplitter();
  let place: Place | undefined;
  const linesOf = (rows: readonly Row[]): Line[] => {
    const [first, ...others] = rows;
    if (place !== undefined || first === undefined) return rows.map((row) => lineOf(row, place!));
    place = placeIn(first, column);
    return (place.isNamed ? others : rows).map((row) => lineOf(row, place!));
  };
  for await (const piece of pieces) {
    const lines = linesOf(splitter.take(piece));
    if (lines.length > 0) yield lines;
  }
  const rest = linesOf(splitter.end());
  if (rest.length > 0) yield rest;
}

/** A row. Its bytes are characters, because only ASCII has a meaning in CSV. */
interface Row {
  readonly number: number;
  readonly text: string;
  readonly problem?: LineProblem;
}

const [lineFeed, quote] = [10, 34];

/** What comes before a cell, or before a quote inside a quoted cell, which is doubled. */
const beforeQuote: ReadonlySet<number> = new Set([...',;\t\n"'].map((character) => character.charCodeAt(0)));

/** Splits bytes into rows. A quoted cell may contain line breaks, so a row ends at a line break outside of quotes. */
class RowSplitter {
  private number = 1;
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
      const isTooLong = this.heldBytes + at - from > maxLineBytes;
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
    // The rows after the quote are in this one, so a line that could be read would hide them.
    return [{ ...this.finish(), ...(this.isQuoted && { problem: 'broken-quote' as const }) }];
  }

  private hold(bytes: Uint8Array): void {
    this.heldBytes += bytes.length;
    if (this.heldBytes > maxLineBytes) this.held = [];
    else if (bytes.length > 0) this.held.push(bytes);
  }

  private finish(): Row {
    const isTooLong = this.heldBytes > maxLineBytes;
    const text = Buffer.concat(this.held).toString('latin1').replace(/\r$/, '');
    // The byte order mark of Windows editors.
    const bare = this.number === 1 ? text.replace(/^\u00ef\u00bb\u00bf/, '') : text;
    const row: Row = { number: this.number, text: bare, ...(isTooLong && { problem: 'too-long' }) };
    this.number += this.lineFeeds;
    this.lineFeeds = 0;
    this.held = [];
    this.heldBytes = 0;
    // The rows after one that is too long are read on their own.
    if (isTooLong) this.isQuoted = false;
    return row;
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
  // The one that occurs most often between the cells of the first row.
  const [separator = ','] = [',', ';', '\t'].sort((a, b) => cellsOf(text, b).length - cellsOf(text, a).length);
  const names = cellsOf(text, separator).map((cell) => (decoded(cell) ?? '').trim());
  if (/^[1-9]\d{0,5}$/.test(column)) {
    if (Number(column) <= names.length) return { separator, index: Number(column) - 1, isNamed: false };
    throw new UsageError(`--column ${column}: the first row has only ${names.length} columns`, 'count the columns from 1');
  }
  const index = names.findIndex((name) => name.toLowerCase() === column.toLowerCase());
  if (index >= 0) return { separator, index, isNamed: true };
  const similar = similarTo(column, names);
  // The cells are not repeated, because without names they are data, and may be secrets.
  throw new UsageError(
    'the first row has no column with the name in --column',
    similar === undefined ? 'pass the number of the column, counted from 1' : `did you mean --column ${similar}?`,
  );
}

/** An empty cell is an empty line, which gets no answer. */
function lineOf({ number, text, problem }: Row, { separator, index }: Place): Line {
  if (problem !== undefined) return { number, text: null, problem };
  const content = decoded(cellsOf(text, separator)[index] ?? '');
  return content === undefined ? { number, text: null, problem: 'not-utf8' } : { number, text: content };
}

/** The cells of a row, without their quotes. A quote inside an unquoted cell is a character like any other. */
function cellsOf(row: string, separator: string): string[] {
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

function decoded(cell: string): string | undefined {
  const bytes = Buffer.from(cell, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
