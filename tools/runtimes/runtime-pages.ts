import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { entryTable, type RuntimeName, runtimeTitles } from './entry-table.js';
import type { CheckResult } from './suite.js';

export interface RuntimeResult {
  readonly name: RuntimeName;
  readonly version: string;
  readonly storage: string;
  readonly notes: Readonly<Record<string, string>> | undefined;
  readonly checks: readonly CheckResult[];
  readonly tookMs: number;
}

/** A row of the table: the title of the runtime, then a cell for each column. */
export type Row = readonly string[];

const columns = [
  { title: 'imports', check: 'imports' },
  { title: 'syncs over HTTP', check: 'sync' },
  { title: 'checks', check: 'check' },
  { title: 'relay gone', check: 'server gone' },
  { title: 'keeps its list in', check: 'storage' },
  { title: 'restarts offline', check: 'restart' },
] as const;

export function rowOf({ name, storage, notes, checks }: RuntimeResult): Row {
  const entries = Object.keys(entryTable);
  const loaded = entries.filter((entry) => checks.some(({ check, fault }) => check === entry && fault === undefined));
  const cell = (check: string): string => {
    const found = checks.filter((each) => each.check === check || each.check === 'run');
    const fault = found.length === 0 ? 'it did not run' : found.find((each) => each.fault !== undefined)?.fault;
    if (fault !== undefined) return `no: ${fault.split('\n')[0]?.replaceAll('|', '\\|')}`;
    return ['yes', notes?.[check]].filter((word) => word !== undefined).join(', ');
  };
  return [
    runtimeTitles[name],
    ...columns.map(({ check }) => {
      if (check === 'imports') return `${loaded.length} of ${entries.length}`;
      return check === 'storage' ? storage : cell(check);
    }),
  ];
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const head = [line(['runtime', ...columns.map(({ title }) => title)]), `|${'---|'.repeat(columns.length + 1)}`];

/** The table for a terminal. */
export function statedRows(rows: readonly Row[]): string {
  return [...head, ...rows.map(line)].join('\n');
}

const page = 'docs/runtimes.md';
const resultMarks = ['<!-- runtimes: made by `npm run docs:runtimes` -->', '<!-- runtimes end -->'] as const;
const entryMarks = ['<!-- entries: made by `npm run docs:runtimes` -->', '<!-- entries end -->'] as const;

const groups: Readonly<Record<string, readonly RuntimeName[]>> = {
  Node: ['node20', 'node22', 'node24', 'node26'],
  Bun: ['bun'],
  Deno: ['deno'],
  workerd: ['workerd'],
  'a page': ['page'],
  'an extension': ['extension'],
  Hermes: ['hermes'],
};

/** The table of what is meant for which runtime. */
export function entryLines(): string {
  const rows = Object.entries(entryTable).map(([entry, { runtimes, others = '' }]) => {
    const meant = Object.keys(groups).filter((group) => groups[group]?.every((name) => runtimes.includes(name)));
    const missing = Object.keys(groups).filter((group) => !meant.includes(group));
    const words =
      missing.length === 0 ? 'all' : missing.length < meant.length ? `all but ${missing.join(', ')}` : meant.join(', ');
    return line([`\`${entry}\``, words, others]);
  });
  return ['', line(['import', 'meant for', 'others']), '|---|---|---|', ...rows, ''].join('\n');
}

/**
 * Compares the tables of the page with the result, row by row, so that a run of a few runtimes is compared too.
 *
 * @param isWriting Writes the tables instead
 * @returns what differs
 */
export function updatePages(rows: readonly Row[], isWriting: boolean): string[] {
  return [
    ...updateTable(resultMarks, (table) => tableWith(table, rows), isWriting),
    ...updateTable(entryMarks, entryLines, isWriting),
  ];
}

function updateTable([begin, end]: readonly [string, string], make: (table: string) => string, isWriting: boolean): string[] {
  const file = fileURLToPath(new URL(`../../${page}`, import.meta.url));
  const [before, rest = ''] = readFileSync(file, 'utf8').split(begin);
  const [table = '', after] = rest.split(end);
  if (after === undefined) throw new Error(`${page} has no markers for the table: ${begin} and ${end}`);
  const made = make(table);
  if (made === table) return [];
  if (isWriting) writeFileSync(file, `${before}${begin}${made}${end}${after}`);
  return [`${page} differs from the result:\n${made}`];
}

/** The committed table with new rows in place of those with the same names. */
function tableWith(table: string, rows: readonly Row[]): string {
  const lines = new Map([...table.split('\n'), ...rows.map(line)].map((each) => [each.split(' | ')[0], each]));
  return ['', ...head, ...Object.values(runtimeTitles).flatMap((title) => lines.get(`| ${title}`) ?? []), ''].join('\n');
}
