/**
 * Checks the package as its users get it: packs it, runs publint and attw on the tarball, looks for the comments of fields in the
 * declarations, and compiles every documented snippet against the unpacked tarball under each module resolution.
 *
 *   tsx tools/install.ts tools/checks && tsx tools/check-package.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  checkSnippets();
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
    ...resolution,
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: ['node'],
    // Makes each snippet a module, even one without an import.
    moduleDetection: ts.ModuleDetectionKind.Force,
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
