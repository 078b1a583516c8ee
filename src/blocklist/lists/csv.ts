import { ASSET_TYPES } from '../../core/assets/asset-types.js';
import { CsvRows } from '../../core/csv-rows.js';
import { PortcullisError, refuse } from '../../core/errors.js';
import { type EntrySink, type ListColumns, type ListEntry, type ListReader, maxLineLength } from './list-entry.js';
import { fieldNames } from './list-fields.js';
import { LineSplitter } from './list-lines.js';
import { isBlocked, isOtherStatus, isStatus } from './listed-status.js';

/**
 * Reads CSV (RFC 4180) with `,`, `;` or tab as separator and `#` comments between rows. A first row that names a content column is a
 * header, and so is a comment just before it that names as many columns. Without a header a row is `content` or `type,content`, optionally
 * followed by a status. Every row must have as many cells as the first: any other row was split in the wrong place, and half a link would
 * list more than the link.
 *
 * @throws PortcullisError `INVALID_INPUT` if the end of a row or the meaning of the columns cannot be determined
 */
export function readCsv(sink: EntrySink, given?: ListColumns | undefined): ListReader {
  const rows = new Rows();
  let columns: Columns | null = null;
  const take = ({ cells, line, isBroken }: Row): void => {
    if (columns === null) {
      const [named, comment] = [cells, rows.commentCells()].map((names) => columnsOf(names.map(nameOf), given));
      const isDescribed = named === null && comment?.count === cells.length;
      columns = named ?? (isDescribed ? comment! : given === undefined ? columnsByCells(cells) : columnsByNumber(cells, given));
      if (columns === null) refuse(unknownColumns(line, given));
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

/** The columns of a list whose first row begins like this, if it can be recognized: by `auto`. */
export function headerColumns(line: string, comment: string): number {
  const rows = new Rows();
  if (comment !== '') rows.add(`#${comment}`, 0);
  const row = rows.add(line, 1);
  if (row === null || row.isBroken) return 0;
  const comments = rows.commentCells();
  const isNamed = columnsOf(row.cells.map(nameOf), undefined) !== null;
  const isDescribed = comments.length === row.cells.length && columnsOf(comments.map(nameOf), undefined) !== null;
  return isNamed || isDescribed || (row.cells.length > 1 && columnsByCells(row.cells) !== null) ? row.cells.length : 0;
}

function nameOf(cell: string): string {
  return cell.trim().toLowerCase();
}

function unknownColumns(line: number, given: ListColumns | undefined): string {
  if (given !== undefined) return `the CSV in line ${line} does not have the columns that were named`;
  return `the CSV has unknown columns in line ${line}; start with a header like content,type,status, or name its columns`;
}

/** `null` if the row is not a header. */
function columnsOf(names: readonly string[], given: ListColumns | undefined): Columns | null {
  const find = (kind: keyof typeof fieldNames): number =>
    names.indexOf(fieldNames[kind].find((name: string) => names.includes(name)) ?? '\0');
  const at = (kind: keyof typeof fieldNames): number => {
    const column = given?.[kind];
    return column === undefined ? find(kind) : typeof column === 'number' ? column - 1 : names.indexOf(nameOf(column));
  };
  const wanted = Object.values(given ?? {}).filter((column) => typeof column === 'string');
  // `URL` is a column name, and also a type with which a row may begin.
  const isHeader =
    wanted.length > 0
      ? wanted.every((column) => names.includes(nameOf(column)))
      : find('content') >= 0 && names.every((name) => columnName.test(name));
  const content = at('content');
  if (!isHeader || content < 0 || content >= names.length) return null;
  const labels = fieldNames.status.map((name) => names.indexOf(name)).filter((label) => label >= 0);
  return { count: names.length, content, type: at('type'), status: at('status'), labels };
}

/** For a CSV without a header: all columns are given by number. */
function columnsByNumber({ length: count }: readonly string[], { content, type = 0, status = 0 }: ListColumns): Columns | null {
  const numbers = [content, type, status].map((column) => (typeof column === 'number' && column <= count ? column - 1 : null));
  if (numbers.includes(null)) return null;
  return { count, content: numbers[0]!, type: numbers[1]!, status: numbers[2]!, labels: [] };
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

/** Rows within the limit of a line, and the comments before them. */
class Rows {
  private readonly rows = new CsvRows();
  private comment = '';
  private line = 0;
  /** Characters of the row so far, including line ends. */
  private length = 0;

  /** The cells of the last comment before the first row that has more than one. */
  commentCells(): string[] {
    if (this.comment === '' || this.comment.indexOf('"') >= 0) return [];
    return this.comment.split(this.rows.separator);
  }

  add(line: string | null, number: number): Row | null {
    const { rows } = this;
    this.length = (rows.isOpen ? this.length + 1 : 0) + (line?.length ?? 0);
    if (line === null || this.length > maxLineLength) throw this.unreadable(number);
    if (!rows.isOpen) {
      if (rows.separator === '' && /^#.*[,;\t]/.test(line)) this.comment = line.slice(1);
      if (line.trim() === '' || line.startsWith('#')) return null;
      this.line = number;
    }
    return rows.add(line) ? { cells: rows.cells, line: this.line, isBroken: rows.isBroken } : null;
  }

  end(): void {
    if (this.rows.isOpen) throw this.unreadable(this.line);
  }

  private unreadable(number: number): PortcullisError {
    const what = this.rows.isOpen
      ? `a quoted cell in the row of line ${this.line} is not closed or is too long`
      : `line ${number} is too long`;
    return new PortcullisError('INVALID_INPUT', `the CSV is malformed: ${what}`);
  }
}
