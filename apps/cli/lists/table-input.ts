import { CsvRows } from '../../../src/core/csv-rows.js';
import { quoted } from '../arguments/quoted.js';
import { UsageError } from '../errors/usage.js';

/** Enough to know what a file is. */
const sampleRows = 1_000;

/** Rows may be damaged, and links may contain separators. */
const minShare = 0.9;

interface Table {
  readonly columns: number;
  /** The names in the first row; empty if it has none. */
  readonly names: readonly string[];
  /** The column with assets, counted from 1. */
  readonly column: number;
}

/** The columns of a text that is a table; `null` for lines that each are an asset, some of which may have a comma. */
function tableIn(text: string, isAsset: (cell: string) => boolean): Table | null {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, sampleRows);
  const [first = ''] = lines;
  if (lines.length < 2 || /^\s*[{[]/.test(first)) return null;
  const reader = new CsvRows();
  const rows = lines.map((line) => {
    // A cell with line breaks makes its lines odd, and is as rare as damage.
    if (!reader.add(line)) reader.endLine(line);
    return reader.cells.map((cell) => cell.trim());
  });
  const columns = rows[0]!.length;
  const [head = [], ...others] = rows.filter((row) => row.length === columns);
  if (columns < 2 || head !== rows[0] || others.length + 1 < rows.length * minShare) return null;
  const shares = head.map((_, at) => others.filter((row) => isAsset(row[at]!)).length);
  const column = shares.indexOf(Math.max(...shares));
  // Prose with a comma in each line is no table of assets.
  if (2 * shares[column]! < others.length) return null;
  const isNamed = !isAsset(head[column]!) && head.every((name) => columnName.test(name));
  return { columns, names: isNamed ? head : [], column: column + 1 };
}

/** Longer text, and text with a dot, is data, which may be a secret. */
const columnName = /^[\p{L}\d _#-]{1,40}$/u;

/** @throws UsageError for a table, with its columns and the option that reads one */
export function refuseTable(text: string, isAsset: (cell: string) => boolean, next: (option: string) => string): void {
  const table = tableIn(text, isAsset);
  if (table === null) return;
  const { columns, names, column } = table;
  const shown = names.length === 0 ? `${columns} columns` : `the columns${names.map((name) => quoted(name) || ' …').join()}`;
  const name = names[column - 1] ?? '';
  const word = /^[\w-]+$/.test(name) && quoted(name) !== '' ? name : `${column}`;
  throw new UsageError(`the input is a table with ${shown}, not one asset per line`, next(`--column ${word}`), {
    code: 'TABLE_INPUT',
  });
}
