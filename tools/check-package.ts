/**
 * Checks the package as its users get it: packs it, runs publint and attw on the tarball, looks for the comments of fields in the
 * declarations and for the sources in the source maps, and compiles every documented snippet, imports without the types of a platform, and
 * `require` against the unpacked tarball.
 *
 *   tsx tools/install.ts tools/checks && tsx tools/check-package.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { commentedFields } from './field-comments.js';
import { allSnippets } from './snippets.js';

const resolutions = [
  { name: 'bundler', module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  { name: 'node16', module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  { name: 'nodenext', module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
] as const;

/** This snippet must fail to compile, or the check proves nothing. */
const wrongCode = "import { createBlocklist } from 'portcullis';\nexport const wrong: number = createBlocklist;\n";
const wrongName = 'wrong.ts';

/** Built files without a source map: other programs, and packages in one file. */
const withoutMap = new Set(['cli.js', 'portcullis.min.js', 'zod-core.js', 'zod-core-web.js']);

/** Entries whose types need those of Node or the DOM: they name its modules, or requests and responses. */
const platformEntries = new Set([
  './stores/file',
  './extension',
  './client',
  './relay',
  './middleware',
  './ohttp',
  './mcp',
  './testing',
]);

const cache = resolve('node_modules/.cache/portcullis');
mkdirSync(cache, { recursive: true });
// Inside node_modules, so that the package finds its dependencies.
const folder = mkdtempSync(join(cache, 'consumer-'));
try {
  const tarball = pack();
  run(checker('publint'), ['--strict', tarball]);
  run(checker('attw'), [tarball, '--profile', 'esm-only']);
  unpack(tarball);
  checkComments();
  checkMaps();
  checkSnippets();
  checkPlainImports();
  checkRequire();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A program of the folder of checks, relative, because a shell of Windows would split a path with spaces. */
function checker(name: string): string {
  return join('tools/checks/node_modules/.bin', name);
}

/** Packs the package; `prepack` builds it first. */
function pack(): string {
  run('npm', ['pack', '--silent', '--pack-destination', folder]);
  const name = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm pack wrote no tarball');
  return join(folder, name);
}

function unpack(tarball: string): void {
  run('tar', ['-xzf', tarball, '-C', folder]);
  mkdirSync(join(folder, 'node_modules'));
  renameSync(join(folder, 'package'), join(folder, 'node_modules/portcullis'));
}

/** What an editor shows of each field. A compiler or bundler of declarations may lose comments. */
function checkComments(): void {
  const fields = commentedFields(join(folder, 'node_modules/portcullis/dist/client-node.d.ts'));
  const without = fields.filter(({ comment }) => comment === '');
  if (fields.length < 1_000) throw new Error(`the declarations have only ${fields.length} fields`);
  if (without.length > 0)
    throw new Error(
      `fields without a description; write a comment, or name them in tools/field-comments.ts:\n${without.map(({ call, io, path }) => `${call} ${io} ${path}`).join('\n')}`,
    );
  process.stdout.write(`pass  ${fields.length} fields of operations are described in the declarations\n`);
}

/** A debugger shows a reviewer the sources, which the package does not have as files. */
function checkMaps(): void {
  const dist = join(folder, 'node_modules/portcullis/dist');
  const files = readdirSync(dist).filter((name) => name.endsWith('.js') && !withoutMap.has(name));
  for (const file of files) {
    if (statSync(join(dist, file)).size === 0) continue;
    const { sources, sourcesContent } = JSON.parse(readFileSync(join(dist, `${file}.map`), 'utf8')) as SourceMap;
    if (sources.some((source) => !source.startsWith('../src/'))) throw new Error(`${file}.map names ${sources.join(', ')}`);
    if (sources.some((_, at) => typeof sourcesContent[at] !== 'string')) throw new Error(`${file}.map lacks sources`);
  }
  process.stdout.write(`pass  ${files.length} files of the library have source maps\n`);
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
}

/** A project without the DOM library and without types of Node, as one for React Native or a worker may be. */
function checkPlainImports(): void {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Readonly<Record<string, unknown>> };
  const entries = Object.keys(exports).filter((name) => !name.endsWith('.json'));
  const found: string[] = [];
  for (const entry of entries) {
    const file = join(folder, 'plain.ts');
    writeFileSync(file, `export * from '${entry.replace('.', 'portcullis')}';\n`);
    const options = { ...resolutions[0], lib: ['lib.es2022.d.ts'], types: [] };
    const faults = faultsOf([file], options, () => entry);
    if (faults.length > 0 !== platformEntries.has(entry)) found.push(`${entry}: ${faults[0] ?? 'needs no platform'}`);
  }
  if (found.length > 0) throw new Error(`types without a platform:\n${found.join('\n')}`);
  process.stdout.write(`pass  ${entries.length} imports need no types of a platform, or are those that do\n`);
}

/** A file that TypeScript compiles to CommonJS. */
function checkRequire(): void {
  const file = join(folder, 'required.cts');
  writeFileSync(file, "import { createBlocklist } from 'portcullis';\nvoid createBlocklist;\n");
  for (const [name, module, isAllowed] of [
    ['nodenext', ts.ModuleKind.NodeNext, true],
    ['node20', ts.ModuleKind.Node20, true],
    ['node16', ts.ModuleKind.Node16, false],
  ] as const) {
    const faults = faultsOf([file], { module }, () => 'required.cts');
    if ((faults.length === 0) !== isAllowed) throw new Error(`a .cts file under ${name}: ${faults.join() || 'compiles'}`);
  }
  process.stdout.write(
    'pass  a .cts file compiles under nodenext and node20, and not under node16, as docs/use-it-from.md says\n',
  );
}

function checkSnippets(): void {
  const snippets = allSnippets();
  const files = new Map(snippets.map((snippet, at) => [join(folder, `snippet-${at}.ts`), snippet]));
  for (const [file, { code }] of files) writeFileSync(file, code);
  const wrong = join(folder, wrongName);
  writeFileSync(wrong, wrongCode);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const places = (file: string): string | undefined => (file === wrong ? wrongName : files.get(file)?.place);

  for (const { name, ...resolution } of resolutions) {
    const found = faultsOf([...files.keys(), wrong], resolution, places);
    const real = found.filter((fault) => !fault.startsWith(wrongName));
    if (real.length > 0) throw new Error(`under moduleResolution ${name}:\n${real.join('\n')}`);
    if (found.length !== 1) throw new Error(`under moduleResolution ${name} a wrong snippet compiles: the check proves nothing`);
    process.stdout.write(`pass  ${files.size} documented snippets compile under moduleResolution ${name}\n`);
  }
}

function faultsOf(
  files: readonly string[],
  resolution: ts.CompilerOptions,
  placeOf: (file: string) => string | undefined,
): string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: ['node'],
    // Makes each snippet a module, even one without an import.
    moduleDetection: ts.ModuleDetectionKind.Force,
    ...resolution,
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n');
    if (file === undefined) return message;
    const { line } = file.getLineAndCharacterOfPosition(start);
    return `${placeOf(file.fileName) ?? file.fileName}, line ${line + 1}: ${message}`;
  });
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} exited with code ${status}`);
}
