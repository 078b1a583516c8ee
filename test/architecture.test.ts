import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** The rows of ARCHITECTURE.md, lowest first. Parts of one row do not know each other. */
const rows = [
  ['errors', 'limits', 'bytes'],
  ['hashing', 'slices'],
  ['assets', 'prefixes'],
  ['algorithms', 'webhooks', 'formats', 'generation', 'verdict', 'overrides'],
  ['source', 'store', 'http', 'lists', 'find'],
  ['sources', 'stores', 'confirm', 'operations', 'publish'],
  ['sync', 'client'],
  ['blocklist'],
  ['playground', 'relay', 'service'],
  ['cli'],
] as const;

/** What runs in every engine: the lower rows, and these of the upper ones. */
const pureRowsMax = 4;
const pureParts = ['sources', 'confirm', 'sync', 'blocklist', 'publish'];
/** Stores that are named for what they stand on. */
const platformStores = /^stores\/(file.*|indexeddb)\.ts$/;

const partOf = (file: string): string => (file.split('/')[0] ?? '').replace(/\.ts$/, '');
const rowOf = (part: string): number => rows.findIndex((row) => (row as readonly string[]).includes(part));

/** What a file imports: static imports and re-exports, of types too, and dynamic ones. */
function importsOf(source: string): string[] {
  const fixed = /^(?:import|export)\s(?:[^'"`=;()]*\sfrom\s)?'([^']+)'/gm;
  const dynamic = /\bimport\(\s*'([^']+)'/g;
  return [fixed, dynamic].flatMap((kind) => [...source.matchAll(kind)].map((match) => match[1] ?? ''));
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const inner = files.filter((file) => partOf(file) !== 'entry');

test('finds the sources it judges', () => {
  expect(inner.length).toBeGreaterThan(20);
  expect(inner.flatMap((file) => importsOf(readFileSync(join('src', file), 'utf8'))).length).toBeGreaterThan(40);
});

test.each(inner)('%s stands in a row and imports only from rows below', (file) => {
  const part = partOf(file);
  expect(rowOf(part), 'the row of this part').toBeGreaterThanOrEqual(0);
  for (const target of importsOf(readFileSync(join('src', file), 'utf8'))) {
    if (!target.startsWith('.')) continue;
    const other = partOf(normalize(join(dirname(file), target)));
    expect(part === other || rowOf(other) < rowOf(part), `${file} imports ${target}`).toBe(true);
  }
});

const packagesOf = (sources: readonly string[]): Set<string> => {
  const packages = sources
    .flatMap((file) => importsOf(readFileSync(join('src', file), 'utf8')))
    .filter((name) => !name.startsWith('.'));
  return new Set(packages);
};

test('the rows for every engine use two libraries and no built-in of any platform', () => {
  const isPure = (part: string): boolean => rowOf(part) <= pureRowsMax || pureParts.includes(part);
  const pure = inner.filter((file) => isPure(partOf(file)) || (partOf(file) === 'stores' && !platformStores.test(file)));
  expect(pure).toContain('http/send.ts');
  expect(pure).toContain('stores/extension.ts');
  expect(packagesOf(pure)).toEqual(new Set(['@noble/hashes/sha2.js', '@noble/hashes/hmac.js', '@scure/base']));
});

test('what is Node alone stands in few files', () => {
  // The command line is Node's as a whole.
  const others = inner.filter((file) => partOf(file) !== 'cli');
  const withNode = others.filter((file) => [...packagesOf([file])].some((name) => name.startsWith('node:') || name === 'undici'));
  expect(withNode.sort()).toEqual([
    'client/node.ts',
    'playground/files.ts',
    'service/journal.ts',
    'service/listen.ts',
    'service/lock.ts',
    'service/post.ts',
    'service/suffixes.ts',
    'stores/file-lock.ts',
    'stores/file-system.ts',
    'stores/file.ts',
  ]);
});

test('entries only re-export, but for the one that is run', () => {
  for (const file of files.filter((name) => partOf(name) === 'entry' && name !== join('entry', 'cli.ts'))) {
    const statements = readFileSync(join('src', file), 'utf8')
      // What the API reference says of the entry.
      .replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
      .split(';\n')
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '');
    for (const statement of statements) expect(statement).toMatch(/^export (\*|(type )?\{[\s\S]*\}) from '\.[^']+'$/);
  }
});
