import { ASSET_TYPES } from '../../core/assets/asset-types.js';
import { PortcullisError, refuse } from '../../core/errors.js';
import { type EntrySink, type ListEntry, type ListReader, maxLineLength } from './list-entry.js';
import { LineSplitter } from './list-lines.js';
import { isBlocked, isOtherStatus, isStatus } from './listed-status.js';

/**
 * Reads CSV (RFC 4180) with `,`, `;` or tab as separator and `#` comments between rows. A first row that names a content column is a
 * header; without a header a row is `content` or `type,content`, optionally followed by a status. Every row must have as many cells as
 * the first: any other row was split in the wrong place, and half a link would list more than the link.
 *
 * @throws PortcullisError `INVALID_INPUT` if the end of a row or the meaning of the columns cannot be determined
 */
export function readCsv(sink: EntrySink): ListReader {
  const rows = new Rows();
  let columns: Columns | null = null;
  const take = ({ cells, line, isBroken }: Row): void => {
    if (columns === null) {
      const named = columnsOf(cells.map((cell) => cell.trim().toLowerCase()));
      columns = named ?? columnsByCells(cells);
      if (columns === null) refuse(`the CSV has unknown columns in line ${line}; start with a header like content,type,status`);
      if (named !== null) return;
    }
    if (isBroken) sink({ line, text: '', problem: 'broken-quote' });
    else if (cells.every((cell) => cell.trim() === '')) return;
    else if (cells.length !== columns.count) sink({ line, text: '', problem: 'columns' });
    else sink({ line, ...entryOf(cells, columns) });
  };
  const lines = new LineSplitter((line, number) => {
    const row = rows.add(line, number);
    if (row !== null) take(row);
  });
  return {
    write: (text) => lines.write(text),
    end: () => {
      lines.end();
      rows.end();
    },
  };
}

function entryOf(cells: readonly string[], columns: Columns): Omit<ListEntry, 'line'> {
  const cell = (at: number): string => (cells[at] ?? '').trim();
  const type = cell(columns.type);
  const isListed = isBlocked(cell(columns.status)) && !columns.labels.some((at) => isOtherStatus(cell(at)));
  return { text: cell(columns.content), ...(type !== '' && { type }), ...(!isListed && { problem: 'not-blocked' }) };
}

interface Columns {
  readonly count: number;
  readonly content: number;
  readonly type: number;
  /** The column that must mean "blocked" or be empty. */
  readonly status: number;
  /** All columns that must not mean "not blocked". */
  readonly labels: readonly number[];
}

/** Known column names; the first one present is used. */
const columnNames = {
  content: ['content', 'asset', 'indicator', 'value', 'url', 'link', 'domain', 'host', 'hostname', 'address'],
  type: ['type', 'asset_type', 'assettype', 'asset type'],
  status: ['status', 'verdict', 'label', 'classification', 'class', 'category'],
} as const;

/** `null` if the row is not a header. */
function columnsOf(names: readonly string[]): Columns | null {
  const find = (known: readonly string[]): number => names.indexOf(known.find((name) => names.includes(name)) ?? '\0');
  const content = find(columnNames.content);
  // `URL` is a column name, and also a type with which a row may begin.
  if (content < 0 || !names.every((name) => columnName.test(name))) return null;
  const labels = columnNames.status.map((name) => names.indexOf(name)).filter((at) => at >= 0);
  return { count: names.length, content, type: find(columnNames.type), status: labels[0] ?? -1, labels };
}

/** Infers `content` or `type,content`, optionally followed by a status, from the first row; `null` for any other row. */
function columnsByCells(cells: readonly string[]): Columns | null {
  const content = cells.length > 1 && (ASSET_TYPES as readonly string[]).includes(cells[0]!.trim().toUpperCase()) ? 1 : 0;
  const rest = cells.slice(content + 1);
  if (rest.length > 1 || !rest.every(isStatus)) return null;
  return { count: cells.length, content, type: content - 1, status: rest.length === 0 ? -1 : content + 1, labels: [] };
}

/** No listed asset matches: it would contain a dot or be longer. */
const columnName = /^[\w #-]{0,30}$/;

interface Row {
  readonly cells: string[];
  readonly line: number;
  readonly isBroken: boolean;
}

/** Joins lines into rows: a quoted cell may span several lines. */
class Rows {
  private separator = '';
  private cells: string[] = [];
  private line = 0;
  /** Characters of the row so far, including line ends. */
  private length = 0;
  /** The unfinished part of a quoted cell, or `null`. */
  private open: string | null = null;
  private isBroken = false;

  add(line: string | null, number: number): Row | null {
    this.length = (this.open === null ? 0 : this.length + 1) + (line?.length ?? 0);
    if (line === null || this.length > maxLineLength) throw this.unreadable(number);
    if (this.open === null) {
      if (line.trim() === '' || line.startsWith('#')) return null;
      if (this.separator === '') this.separator = separatorOf(line);
      this.line = number;
      this.cells = [];
      this.isBroken = false;
      this.readCells(line, 0);
    } else {
      const start = this.open;
      this.readQuoted(line, 0, `${start}\n`);
    }
    return this.open === null ? { cells: this.cells, line: this.line, isBroken: this.isBroken } : null;
  }

  end(): void {
    if (this.open !== null) throw this.unreadable(this.line);
  }

  private readCells(line: string, start: number): void {
    for (let at = start; ; ) {
      const first = afterBlanks(line, at, this.separator);
      if (line[first] === '"') {
        this.readQuoted(line, first + 1, '');
        return;
      }
      const end = line.indexOf(this.separator, at);
      this.cells.push(line.slice(at, end < 0 ? line.length : end));
      if (end < 0) return;
      at = end + 1;
    }
  }

  /** Starts after the opening quote, or at the start of a line in which the cell continues. */
  private readQuoted(line: string, start: number, before: string): void {
    let cell = before;
    for (let at = start; ; ) {
      const quote = line.indexOf('"', at);
      if (quote < 0) {
        this.open = cell + line.slice(at);
        return;
      }
      cell += line.slice(at, quote);
      at = quote + 1;
      if (line[at] !== '"') {
        this.closeCell(line, at, cell);
        return;
      }
      cell += '"';
      at++;
    }
  }

  private closeCell(line: string, start: number, cell: string): void {
    this.open = null;
    this.cells.push(cell);
    const end = line.indexOf(this.separator, start);
    if (line.slice(start, end < 0 ? line.length : end).trim() !== '') this.isBroken = true;
    if (end >= 0) this.readCells(line, end + 1);
  }

  private unreadable(number: number): PortcullisError {
    const what =
      this.open === null
        ? `line ${number} is too long`
        : `a quoted cell in the row of line ${this.line} is not closed or is too long`;
    return new PortcullisError('INVALID_INPUT', `the CSV is malformed: ${what}`);
  }
}

/** The first of `,`, `;` and tab outside of quotes in the first row. */
function separatorOf(line: string): string {
  return /[,;\t]/.exec(line.replace(/"[^"]*"/g, ''))?.[0] ?? ',';
}

function afterBlanks(line: string, start: number, separator: string): number {
  let at = start;
  while ((line[at] === ' ' || line[at] === '\t') && line[at] !== separator) at++;
  return at;
}
