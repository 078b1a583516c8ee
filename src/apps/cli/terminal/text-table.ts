import { printable } from './print.js';

export type Cell = string | number | boolean | object | null | undefined;

/** Rows with the same keys, which become the column titles. */
export type Rows = readonly Readonly<Record<string, Cell>>[];

const gap = '  ';

export function tableOf(rows: Rows, format: 'human' | 'markdown' | 'csv', columns: number): string {
  const titles = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (titles.length === 0) return '';
  const lines = rows.map((row) => titles.map((title) => textOf(row[title])));
  if (format === 'csv') return [titles, ...lines].map((line) => `${line.map(quoted).join(',')}\r\n`).join('');
  const shown = lines.map((line) => line.map(printable));
  if (format === 'markdown') return markdownOf(titles, shown);
  return humanOf(titles, shown, columns);
}

function textOf(value: Cell): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Any value as safe text on one line. */
export function cell(value: Cell): string {
  return printable(textOf(value));
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
function humanOf(titles: readonly string[], lines: readonly (readonly string[])[], columns: number): string {
  const widths = titles.map((title, at) => Math.max(title.length, ...lines.map((line) => line[at]!.length)));
  const isWide = widths.reduce((sum, width) => sum + width + gap.length, 0) > columns + gap.length;
  if (isWide) {
    const width = Math.max(...titles.map((title) => title.length));
    const paragraphs = lines.map((line) =>
      titles.flatMap((title, at) => (line[at] === '' ? [] : [`${title.padEnd(width)}${gap}${line[at]}\n`])).join(''),
    );
    return paragraphs.join('\n');
  }
  const padded = [titles, ...lines].map((line) => line.map((text, at) => text.padEnd(widths[at]!)).join(gap));
  return padded.map((line) => `${line.trimEnd()}\n`).join('');
}
