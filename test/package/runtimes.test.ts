import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entriesFor, entryTable, runtimeNames } from '../../tools/runtimes/entry-table.js';
import { entryLines } from '../../tools/runtimes/runtime-pages.js';

interface Manifest {
  readonly main: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly 'react-native': Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

const entryOf = (subpath: string): string => subpath.replace(/^\./, 'portcullis');

test('the table of runtimes has a row for each import of the package', () => {
  const entries = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json');
  expect(Object.keys(entryTable).sort()).toEqual(entries.map(entryOf).sort());
});

test('an import that is not meant for every runtime says why', () => {
  for (const [entry, { runtimes, others }] of Object.entries(entryTable)) {
    expect(others === undefined, entry).toBe(runtimes.length === runtimeNames.length);
  }
});

test('the documented table of imports is the one that the suite uses', () => {
  expect(readFileSync('docs/runtimes.md', 'utf8')).toContain(entryLines());
});

test('without package exports, Metro finds the files that the exports name', () => {
  const fileOf = (subpath: string): string | undefined => {
    const target = manifest.exports[subpath];
    return typeof target === 'string' ? target : (target?.['browser'] ?? target?.['default']);
  };
  expect(manifest.main).toBe(fileOf('.'));
  const meant = entriesFor('hermes').map((entry) => entry.replace('portcullis', '.'));
  const expected = meant.filter((subpath) => subpath !== '.').map((subpath) => [subpath, fileOf(subpath)]);
  expect(manifest['react-native']).toEqual(Object.fromEntries(expected));
});
