import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProgram } from './find-chromium.js';

const names = ['redis-server', 'valkey-server'];

/** `RUNLEVEL=1` keeps the package from starting a server of its own; the tests start theirs. */
const install =
  'apt-get update && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends redis-server';

/** The Redis or Valkey of the deep tests: the one in `REDIS_PATH` if that is set, otherwise the first one found. */
export function findRedis(): string | undefined {
  const given = process.env['REDIS_PATH'];
  if (given !== undefined && given !== '') return isProgram(given) ? given : undefined;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].filter(
    (folder) => folder !== '',
  );
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Finds or installs Redis. Returns instructions for the user if neither works. */
function ensureRedis(): string | undefined {
  if (findRedis() !== undefined) return undefined;
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    spawnSync('sh', ['-c', install], { stdio: 'inherit' });
    return findRedis() === undefined ? `Redis could not be installed. Run:\n  ${install}` : undefined;
  }
  return 'the deep tests need Redis or Valkey. Install it (on Debian: redis-server), or pass its path in REDIS_PATH';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const message = ensureRedis();
  if (message !== undefined) {
    console.error(message);
    process.exitCode = 1;
  }
}
