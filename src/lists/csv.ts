import { ASSET_TYPES } from '../assets/types.js';
import { PortcullisError } from '../errors.js';
import { type EntrySink, type ListReader, lineLengthMax } from './entry.js';
import { LineSplitter } from './lines.js';
import { isBlocked, isOtherStatus, isStatus } from './status.js';

/**
 * CSV as RFC 4180 has it, with `,`, `;` or a tab between cells and `#` comments between rows. A first row that names a column of
 * contents is a header; without one the first column is the content, or the second where the first one holds types, and a word that
 * is a status is one wherever it stands behind the content.
 *
 * @throws PortcullisError `INVALID_INPUT` where nobody can say any more where a row ends
 */
export function readCsv(sink: EntrySink): ListReader {
  const rows = new Rows();
  let columns: Columns | null = null;
  const take = ({ cells, line, isBroken }: Row): void => {
    if (columns === null) {
      const named = columnsOf(cells.map((cell) => cell.trim().toLowerCase()));
      columns = named ?? guessedColumns(cells);
      if (named !== null) return;
    }
    const { content, labels } = columns;
    const text = (cells[content] ?? '').trim();
    const type = (cells[columns.type] ?? '').trim();
    if (isBroken) sink({ line, text: '', problem: 'broken-quote' });
    if (isBroken || text === '') return;
    const saysElse = (cell: string, at: number): boolean => (labels?.includes(at) ?? at > content) && isOtherStatus(cell);
    const isListed = isBlocked(cells[columns.status] ?? '') && !cells.some(saysElse);
    sink({ line, text, ...(type !== '' && { type }), ...(!isListed && { problem: 'not-blocked' as const }) });
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

interface Columns {
  readonly content: number;
  readonly type: number;
  /** The one that has to say "blocked", or nothing. */
  readonly status: number;
  /** Others that must not say anything else; `null` for all behind the content, where nobody named them. */
  readonly labels: readonly number[] | null;
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
  return { content, type: find(columnNames.type), status: labels[0] ?? -1, labels };
}

/** By the first row: a column that begins with a status holds one in every row. */
function guessedColumns(cells: readonly string[]): Columns {
  const content = isType(cells[0]) ? 1 : 0;
  return { content, type: content - 1, status: cells.findIndex((cell, at) => at > content && isStatus(cell)), labels: null };
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
  /** What is open of a quoted cell; `null` between two. */
  private open: string | null = null;
  private isBroken = false;

  add(line: string | null, number: number): Row | null {
    if (line === null || (this.open !== null && this.open.length + line.length > lineLengthMax)) throw this.unreadable(number);
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
    const what = this.open === null ? `line ${number} is too long` : `the quote that opens in line ${this.line} does not close`;
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
