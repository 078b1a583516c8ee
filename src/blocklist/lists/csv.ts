import { ASSET_TYPES } from '../../core/assets/asset-types.js';
import { PortcullisError } from '../../core/errors.js';
import { type EntrySink, type ListEntry, type ListReader, lineLengthMax } from './list-entry.js';
import { LineSplitter } from './list-lines.js';
import { isBlocked, isOtherStatus, isStatus } from './listed-status.js';

/**
 * CSV as RFC 4180 has it, with `,`, `;` or a tab between cells and `#` comments between rows. A first row that names a column of
 * contents is a header; without one a row is a content, perhaps with its type before it and with a status behind it. Every row has as
 * many cells as the first: one that has not was cut in the wrong places, and half a link lists more than the link.
 *
 * @throws PortcullisError `INVALID_INPUT` where nobody can say any more where a row ends, or which column is which
 */
export function readCsv(sink: EntrySink): ListReader {
  const rows = new Rows();
  let columns: Columns | null = null;
  const take = ({ cells, line, isBroken }: Row): void => {
    if (columns === null) {
      const named = columnsOf(cells.map((cell) => cell.trim().toLowerCase()));
      columns = named ?? columnsByCells(cells);
      if (columns === null) throw unnamed(line);
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
  /** The one that has to say "blocked", or nothing. */
  readonly status: number;
  /** All that must not say anything else. */
  readonly labels: readonly number[];
}

/** What lists call their columns; the first name that is there counts. */
const columnNames = {
  content: ['content', 'asset', 'indicator', 'value', 'url', 'link', 'domain', 'host', 'hostname', 'address'],
  type: ['type', 'asset_type', 'assettype', 'asset type'],
  status: ['status', 'verdict', 'label', 'classification', 'class', 'category'],
} as const;

/** `null` for a row that is no header. */
function columnsOf(names: readonly string[]): Columns | null {
  const find = (known: readonly string[]): number => names.indexOf(known.find((name) => names.includes(name)) ?? '\0');
  const content = find(columnNames.content);
  // `URL` names a column, and is also the type that a row begins with.
  if (content < 0 || !names.every((name) => columnName.test(name))) return null;
  const labels = columnNames.status.map((name) => names.indexOf(name)).filter((at) => at >= 0);
  return { count: names.length, content, type: find(columnNames.type), status: labels[0] ?? -1, labels };
}

/** By what the first row has: `content`, `type,content`, either with a status behind it. `null` for anything else, which may mean anything. */
function columnsByCells(cells: readonly string[]): Columns | null {
  const content = cells.length > 1 && isType(cells[0]) ? 1 : 0;
  const rest = cells.slice(content + 1);
  if (rest.length > 1 || !rest.every(isStatus)) return null;
  return { count: cells.length, content, type: content - 1, status: rest.length === 0 ? -1 : content + 1, labels: [] };
}

function unnamed(line: number): PortcullisError {
  const what = `line ${line} names no column, and its cells do not tell; begin with a row like content,type,status`;
  return new PortcullisError('INVALID_INPUT', `the CSV cannot be read: ${what}`);
}

/** Nothing that is listed looks so: it would have a dot, or be longer. */
const columnName = /^[\w #-]{0,30}$/;

function isType(cell: string | undefined): boolean {
  return (ASSET_TYPES as readonly string[]).includes((cell ?? '').trim().toUpperCase());
}

interface Row {
  readonly cells: string[];
  readonly line: number;
  readonly isBroken: boolean;
}

/** Makes rows of lines: a quoted cell may go on over several. */
class Rows {
  private separator = '';
  private cells: string[] = [];
  private line = 0;
  /** Characters of the row so far, its line ends included. */
  private length = 0;
  /** What is open of a quoted cell; `null` between two. */
  private open: string | null = null;
  private isBroken = false;

  add(line: string | null, number: number): Row | null {
    this.length = (this.open === null ? 0 : this.length + 1) + (line?.length ?? 0);
    if (line === null || this.length > lineLengthMax) throw this.unreadable(number);
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

  /** From behind the opening quote, or from the start of a line the cell goes on in. */
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
        : `quotes of the row in line ${this.line} do not close, or close too late`;
    return new PortcullisError('INVALID_INPUT', `the CSV cannot be read: ${what}`);
  }
}

/** The first of `,`, `;` and tab in the first row; a row without any has one cell. */
function separatorOf(line: string): string {
  return /[,;\t]/.exec(line.replace(/"[^"]*"/g, ''))?.[0] ?? ',';
}

function afterBlanks(line: string, start: number, separator: string): number {
  let at = start;
  while ((line[at] === ' ' || line[at] === '\t') && line[at] !== separator) at++;
  return at;
}
