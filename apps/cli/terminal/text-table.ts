import { printable } from './print.js';

export type Cell = string | number | boolean | object | null | undefined;

/** Rows with the same keys, which become the column titles. */
export type Rows = readonly Readonly<Record<string, Cell>>[];

const gap = '  ';

/** Fields beyond these share a last column: every row has a cell in each column, and fields of others may all differ. */
const maxTitles = 256;
const otherFields = '(other fields)';

/** Longer names of fields are not aligned, because each line would be as long as the longest one. */
const maxAligned = 40;

export function titlesOf(rows: Rows): readonly string[] {
  const titles = new Set<string>();
  for (const row of rows) {
    for (const title of Object.keys(row)) {
      if (titles.size === maxTitles && !titles.has(title)) return [...titles, otherFields];
      titles.add(title);
    }
  }
  return [...titles];
}

export function tableOf(
  rows: Rows,
  format: 'human' | 'markdown' | 'csv',
  columns: number,
  titles: readonly string[] = titlesOf(rows),
): string {
  if (titles.length === 0) return '';
  if (format === 'human') return humanOf(rows, titles, columns);
  const cells = cellsOf(rows, titles);
  if (format === 'csv') return [titles, ...cells].map((line) => `${line.map(quoted).join(',')}\r\n`).join('');
  return markdownOf(
    titles,
    cells.map((line) => line.map(printable)),
  );
}

function cellsOf(rows: Rows, titles: readonly string[]): string[][] {
  const known = new Set(titles.slice(0, maxTitles));
  return rows.map((row) =>
    titles.map((title, at) => {
      if (at < maxTitles) return cellText(Object.hasOwn(row, title) ? row[title] : null);
      const others = Object.entries(row).filter(([name]) => !known.has(name));
      return others.length === 0 ? '' : cellText(Object.fromEntries(others));
    }),
  );
}

function cellText(value: Cell): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Any value as safe text on one line. */
export function cell(value: Cell): string {
  return printable(cellText(value));
}

/** RFC 4180. An apostrophe keeps a spreadsheet from running text as a formula. */
function quoted(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

function markdownOf(titles: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((text) => text.replace(/[|\\]/g, '\\$&')).join(' | ')} |\n`;
  return [line(titles), `|${' --- |'.repeat(titles.length)}\n`, ...lines.map(line)].join('');
}

/** Columns if they fit; otherwise each row becomes a paragraph. */
function humanOf(rows: Rows, titles: readonly string[], columns: number): string {
  const fits = (widths: readonly number[]): boolean =>
    widths.reduce((sum, width) => sum + width + gap.length, 0) <= columns + gap.length;
  const titleWidths = titles.map((title) => title.length);
  // Only as many titles as fit on a line are measured in every row.
  if (titles.length > maxTitles || !fits(titleWidths)) return paragraphsOf(rows, titles);
  const lines = cellsOf(rows, titles).map((line) => line.map(printable));
  const widths = titleWidths.map((width, at) => lines.reduce((most, line) => Math.max(most, line[at]!.length), width));
  if (!fits(widths)) return paragraphsOf(rows, titles);
  const padded = [titles, ...lines].map((line) => line.map((text, at) => text.padEnd(widths[at]!)).join(gap));
  return padded.map((line) => `${line.trimEnd()}\n`).join('');
}

function paragraphsOf(rows: Rows, titles: readonly string[]): string {
  const width = alignedWidth(titles);
  const paragraphs = rows.map((row) =>
    Object.entries(row)
      .map(([title, value]) => [title, cell(value)] as const)
      .flatMap(([title, text]) => (text === '' ? [] : [`${title.padEnd(width)}${gap}${text}\n`]))
      .join(''),
  );
  return paragraphs.join('\n');
}

/** The width of names in front of their values. */
export function alignedWidth(names: readonly string[]): number {
  return Math.min(
    maxAligned,
    names.reduce((most, name) => Math.max(most, name.length), 0),
  );
}
