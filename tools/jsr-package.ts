/**
 * Writes the folder that JSR takes, from the built package.
 *
 *   npm run build && npx tsx tools/jsr-package.ts ../jsr && cd ../jsr && deno publish
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Target {
  readonly types: string;
  readonly default: string;
  readonly deno?: string;
  readonly node?: string;
}

interface Package {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Target>>;
}

/**
 * @param from The folder of the package
 * @param out A folder that does not exist
 */
export function writeJsrPackage(from: string, out: string): void {
  const own = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Package;
  const entries = Object.entries(own.exports).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [{ name, file: target.deno ?? target.node ?? target.default, types: target.types }],
  );
  mkdirSync(join(out, 'dist'), { recursive: true });
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md']) copyFileSync(join(from, file), join(out, file));
  for (const name of readdirSync(join(from, 'dist'))) {
    const isLibrary = /\.js$/.test(name) && !['cli.js', 'portcullis.min.js'].includes(name);
    if (!isLibrary && !name.endsWith('.d.ts')) continue;
    const code = readFileSync(join(from, 'dist', name), 'utf8');
    const types = entries.find(({ file }) => file === `./dist/${name}`)?.types;
    writeFileSync(join(out, 'dist', name), isLibrary ? withTypes(code, types) : realNames(code));
  }
  const { version, license, dependencies, peerDependencies } = own;
  const imports = Object.entries({ ...dependencies, ...peerDependencies }).flatMap(([name, wanted]) => [
    [name, `npm:${name}@${wanted}`],
    [`${name}/`, `npm:/${name}@${wanted}/`],
  ]);
  const description = {
    // The scope must be made at JSR before the first release.
    name: '@portcullis/portcullis',
    version,
    license,
    exports: Object.fromEntries(entries.map(({ name, file }) => [name, file])),
    imports: Object.fromEntries(imports),
  };
  writeFileSync(join(out, 'jsr.json'), `${JSON.stringify(description, null, 2)}\n`);
}

/** JSR knows no conditions of types. */
function withTypes(code: string, types: string | undefined): string {
  return types === undefined ? code : `/* @ts-self-types="${types.replace('./dist/', './')}" */\n${code}`;
}

/** Deno finds a declaration by the name of its file; TypeScript wants that of the code. */
const realNames = (declarations: string): string =>
  declarations.replace(/(from |import |import\()'\.\/([\w.-]+)\.js'/g, "$1'./$2.d.ts'");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out = '../jsr'] = process.argv.slice(2);
  if (existsSync(out)) throw new Error(`${out} exists already; delete it, or name another folder`);
  writeJsrPackage('.', resolve(out));
}
