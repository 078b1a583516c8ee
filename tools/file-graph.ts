import { existsSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { sourceAlias } from './source-alias.js';

/** What a file imports: static imports and re-exports, of types too, dynamic ones, and those of style sheets. */
export function importsOf(source: string): string[] {
  const fixed = /^(?:@?import|export)\s(?:[^'"`=;()]*\sfrom\s)?['"]([^'"]+)['"]/gm;
  const dynamic = /\bimport\(\s*['"`]([^'"`]+)['"`]/g;
  return [fixed, dynamic].flatMap((kind) => [...source.matchAll(kind)].map((match) => match[1] ?? ''));
}

/** Strings that may name a file or a folder: a worker, a page, a document that a test reads. */
const quotedPath = /['"`]([\w./-]*[\w-]\/[\w./-]+)['"`]/g;

/** Folders that say nothing about what is in them. A test that reads all of `src` would depend on every change. */
const tooWide: ReadonlySet<string> = new Set(['src', 'test', 'tools', 'docs', 'bench', 'examples', 'apps']);

/** Tests find the built command line and pages by this name; this file builds them. */
const builtApps = { name: 'builtApps', by: 'test/support/global-setup.ts' };

/** A script that names its own folder builds what is in it. */
const ownFolder = 'dirname(fileURLToPath(import.meta.url))';

/** Renders every page of `docs`. */
const siteBuilder = 'tools/site/build-site.ts';

/**
 * The files that each file needs directly: its imports, by their public names too, and the files and folders that it names in
 * strings.
 *
 * @param files Every file of the repository, as a path from its root with `/`
 */
export function fileGraph(files: readonly string[]): Map<string, Set<string>> {
  const known = new Set(files);
  const under = new Map<string, string[]>();
  for (const file of files) {
    for (let folder = posix.dirname(file); folder !== '.'; folder = posix.dirname(folder)) {
      const inside = under.get(folder);
      if (inside === undefined) under.set(folder, [file]);
      else inside.push(file);
    }
  }
  const filesAt = (path: string): readonly string[] => {
    if (known.has(path)) return [path];
    const source = path.replace(/\.js$/, '.ts');
    if (known.has(source)) return [source];
    return tooWide.has(path) ? [] : (under.get(path) ?? []);
  };
  const scripts = files.filter((file) => /\.(ts|mjs|js|css)$/.test(file) && existsSync(file));
  const pages = files.filter((file) => /^(docs\/.*|[A-Z]+)\.md$/.test(file));
  return new Map(scripts.map((file) => [file, neededBy(file, filesAt, pages)]));
}

function neededBy(file: string, filesAt: (path: string) => readonly string[], pages: readonly string[]): Set<string> {
  const source = readFileSync(file, 'utf8');
  const here = posix.dirname(file);
  const imported = importsOf(source).map((name) => (name.startsWith('.') ? posix.join(here, name) : publicSource(name)));
  const named = [...source.matchAll(quotedPath)].flatMap(([, path = '']) => [
    posix.normalize(path).replace(/\/$/, ''),
    posix.join(here, path).replace(/\/$/, ''),
  ]);
  const needed = new Set([...imported, ...named].flatMap(filesAt));
  if (source.includes(builtApps.name)) needed.add(builtApps.by);
  if (source.includes(ownFolder)) for (const inside of filesAt(here)) needed.add(inside);
  if (file === siteBuilder) for (const page of pages) needed.add(page);
  needed.delete(file);
  return needed;
}

/** The source of an entry that is imported by its public name. */
function publicSource(name: string): string {
  const alias = sourceAlias.find(({ find }) => find.test(name));
  if (alias === undefined) return name;
  return relative(join(import.meta.dirname, '..'), name.replace(alias.find, alias.replacement)).replaceAll('\\', '/');
}

/** How many steps lead from a file to the nearest of some others; 0 if it is one of them, infinite if none is reached. */
export function stepsTo(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string, targets: ReadonlySet<string>): number {
  const seen = new Set([from]);
  let edge = [from];
  for (let steps = 0; edge.length > 0; steps++) {
    if (edge.some((file) => targets.has(file))) return steps;
    edge = edge.flatMap((file) => [...(graph.get(file) ?? [])]).filter((file) => !seen.has(file) && seen.add(file));
  }
  return Number.POSITIVE_INFINITY;
}
