import { readFileSync } from 'node:fs';

interface Package {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<
    Record<string, string | { readonly default: string; readonly deno?: string; readonly node?: string }>
  >;
}

/** What JSR needs to know beside the built files, from package.json. The scope must be made there before the first release. */
export function jsrFile(): string {
  const { version, license, dependencies, peerDependencies, exports } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as Package;
  const entries = Object.entries(exports).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [[name, target.deno ?? target.node ?? target.default]],
  );
  const imports = Object.entries({ ...dependencies, ...peerDependencies }).flatMap(([name, wanted]) => [
    [name, `npm:${name}@${wanted}`],
    [`${name}/`, `npm:/${name}@${wanted}/`],
  ]);
  const file = {
    name: '@portcullis/portcullis',
    version,
    license,
    exports: Object.fromEntries(entries),
    imports: Object.fromEntries(imports),
    publish: {
      include: ['dist/*.js', 'dist/*.js.map', 'dist/*.d.ts', 'README.md', 'LICENSE', 'CHANGELOG.md'],
      exclude: ['dist/cli.js', 'dist/portcullis.min.js', '!dist'],
    },
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}
