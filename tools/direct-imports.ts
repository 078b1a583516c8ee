import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { sourceAlias } from './source-alias.js';

/**
 * Imports what an app takes from `portcullis/…` from the file that has it. An entry imports all that it exports, and esbuild puts that into
 * the files that a command loads first, used or not. `const { name } = await import('portcullis/…')` becomes an import of a file of its own.
 */
export const directImports: Plugin = {
  name: 'direct-imports',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[/\\]apps[/\\].*\.ts$/ }, ({ path }) => ({ contents: direct(readFileSync(path, 'utf8')), loader: 'ts' }));
    onResolve({ filter: /^portcullis[^?]*\?/ }, ({ path }) => ({ path, namespace: 'direct-imports', sideEffects: false }));
    onLoad({ filter: /./, namespace: 'direct-imports' }, ({ path }) => {
      const [entry = '', names = ''] = path.split('?');
      return { contents: importsOf('export', names, entry), resolveDir: process.cwd() };
    });
  },
};

const staticImport = /^import \{([^}]+)\} from '(portcullis(?:\/[^']*)?)';$/gm;
const laterImport = /const \{([\w, ]+)\} = await import\('(portcullis(?:\/[^']*)?)'\)/g;

function direct(source: string): string {
  return source
    .replace(staticImport, (_, names: string, entry: string) => importsOf('import', names, entry))
    .replace(laterImport, (_, names: string, entry: string) => `const {${names}} = await import('${entry}?${names.trim()}')`);
}

/** On one line, so that lines keep their numbers unless an import has several. */
function importsOf(word: 'import' | 'export', names: string, entry: string): string {
  const files = exportsOf(entryFile(entry));
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => {
      const [file, original] = files.get(name.split(' as ')[0]!) ?? [];
      if (file === undefined) throw new Error(`${entry} does not export ${name}`);
      return `${word} { ${original} as ${name.split(' as ').at(-1)} } from ${JSON.stringify(file)};`;
    })
    .join(' ');
}

function entryFile(entry: string): string {
  const { find, replacement } = sourceAlias.find(({ find }) => find.test(entry))!;
  return entry.replace(find, replacement);
}

const exported = /^export (?:\*|\{([^}]+)\}) from '([^']+)\.js';$/gm;

/** Which file has each name that an entry exports, and under which name. Entries only re-export (`test/architecture.test.ts`). */
function exportsOf(file: string): Map<string, readonly [file: string, original: string]> {
  const found = new Map<string, readonly [string, string]>();
  for (const [, names, from] of readFileSync(file, 'utf8').matchAll(exported)) {
    const target = resolve(dirname(file), `${from}.ts`);
    if (names === undefined) for (const [name, place] of exportsOf(target)) found.set(name, place);
    for (const name of names?.split(',') ?? []) {
      const [original = '', alias = original] = name.trim().split(' as ');
      if (original !== '' && !original.startsWith('type ')) found.set(alias, [target, original]);
    }
  }
  return found;
}
