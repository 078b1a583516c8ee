/**
 * Builds `dist`, unless it was built from exactly these files.
 *
 *   npm run build -- [--force]
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `dist` is made from. A file that is not named here must not change what is built. */
const sources = [
  'src',
  'apps',
  'tools',
  'docs/algorithm.md',
  'docs/pictures/logo.svg',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.tools.json',
  'tsup.config.ts',
];

/** Of what `dist` was made, and the files in it. In `dist`, so that both go together. The package does not contain it. */
const stamp = 'dist/.made-from';

/** Before the build, so that a file which is changed meanwhile makes the next one necessary. */
const wanted = digestOf(sources);
if (!process.argv.includes('--force') && isCurrent(wanted))
  console.log('dist is current; npm run build -- --force builds it anyway');
else build();

function build(): void {
  // An interrupted build leaves an incomplete folder, and tsup keeps files whose names begin with a dot.
  rmSync(stamp, { force: true });
  const { status } = spawnSync('npx', ['tsup', '--silent'], { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status === 0) writeFileSync(stamp, [wanted, ...filesIn('dist')].join('\n'));
  else process.exitCode = status ?? 1;
}

function isCurrent(digest: string): boolean {
  if (!existsSync(stamp)) return false;
  const [made, ...outputs] = readFileSync(stamp, 'utf8').split('\n');
  return made === digest && outputs.every((path) => existsSync(path));
}

function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesIn)) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

function filesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && !/^\.|~$|\.swp$/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesIn(join(path, entry.name)));
}
