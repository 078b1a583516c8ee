import { isRecord } from '../../../src/core/errors.js';
import type { Output } from './output.js';
import { alignedWidth, type Cell, cell, type Rows, tableOf } from './text-table.js';

type Fields = Readonly<Record<string, unknown>>;

/** Deeper objects are printed as JSON. */
const maxDepth = 2;

/** A response for a person: its fields one per line, then a table for each list. */
export function shownLines(value: unknown, { columns, paint }: Pick<Output, 'columns' | 'paint'>): string[] {
  const tableLines = (rows: readonly unknown[]): string[] => tableOf(rowsOf(rows), 'human', columns).trimEnd().split('\n');
  if (!isRecord(value)) return Array.isArray(value) && value.every(isRecord) ? tableLines(value) : [json(value)];
  const lists = Object.entries(value).filter(([, field]) => isList(field));
  const others = Object.fromEntries(Object.entries(value).filter(([, field]) => !isList(field)));
  const fields = Object.entries(flat(others)).filter(([, field]) => cell(field) !== '');
  const width = alignedWidth(fields.map(([name]) => name));
  const lines = fields.map(([name, field]) => `${name.padEnd(width)}  ${cell(field)}`);
  const tables = lists.map(([name, list]) => [paint('bold', name), ...tableLines(list as readonly Fields[])]);
  const blocks = [...(lines.length > 0 ? [lines] : []), ...tables];
  return blocks.length === 0 ? ['(nothing)'] : blocks.flatMap((block, at) => (at === 0 ? block : ['', ...block]));
}

/** A response as rows: its only list, or the response itself as one row. */
export function shownRows(value: unknown, listName?: string): Rows {
  if (Array.isArray(value)) return rowsOf(value);
  if (!isRecord(value)) return value === null ? [] : [{ value: json(value) }];
  const named = listName === undefined ? undefined : value[listName];
  if (Array.isArray(named)) return rowsOf(named);
  const lists = Object.values(value).filter(Array.isArray);
  const rest = Object.values(value).filter((field) => !Array.isArray(field));
  const isList = lists.length === 1 && rest.every((field) => field === null || typeof field === 'number');
  return rowsOf(isList ? lists[0]! : [value]);
}

export function rowsOf(items: readonly unknown[]): Rows {
  return items.map((item) => (isRecord(item) ? flat(item) : { value: item as Cell }));
}

/** Nested fields become `asset.id`. */
function flat(fields: Fields, before = '', depth = 1): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      if (isRecord(field) && depth < maxDepth && Object.keys(field).length > 0) {
        return Object.entries(flat(field, `${before}${name}.`, depth + 1));
      }
      const isTexts = Array.isArray(field) && field.every((item) => typeof item === 'string' && !item.includes(','));
      return [[cell(before + name), (isTexts ? field.join(', ') : field) as Cell]];
    }),
  );
}

/** Whether a value can be printed as a table. */
function isList(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function json(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
