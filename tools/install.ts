/**
 * Installs the packages of folders that have a lock file of their own, unless they are installed as the lock file says.
 *
 *   tsx tools/install.ts tools/deep tools/site
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

for (const folder of process.argv.slice(2)) install(join(root, folder), folder);

function install(path: string, name: string): void {
  // `npm ci` deletes node_modules first, so an install that was interrupted has no stamp.
  const stamp = join(path, 'node_modules/.installed-lock');
  const locked = createHash('sha256')
    .update(readFileSync(join(path, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === locked) return;
  process.stdout.write(`installing the packages of ${name}\n`);
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    // Windows finds npm, which is a script there, only through a shell. npm reports the result on standard output.
    { cwd: path, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' },
  );
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`the packages of ${name} could not be installed; npm ci exited with code ${status}`);
  writeFileSync(stamp, locked);
}
