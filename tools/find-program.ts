import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isProgram } from './find-chromium.js';

/** A program that the deep tests need. */
export interface Wanted {
  /** Its possible names, the best first. */
  readonly names: readonly string[];
  /** The environment variable with its path. */
  readonly variable: string;
  /** The Debian package that contains it. */
  readonly debian: string;
}

/** The path in the variable if that is set, otherwise the first program found. */
export function findProgram({ names, variable }: Wanted): string | undefined {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return isProgram(given) ? given : undefined;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].filter(
    (folder) => folder !== '',
  );
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Installs the programs that are missing, and fails with instructions if that does not work. */
export function ensurePrograms(wanted: readonly Wanted[]): void {
  const missing = (): Wanted[] => wanted.filter((program) => findProgram(program) === undefined);
  const packages = missing().map(({ debian }) => debian);
  if (packages.length === 0) return;
  // `RUNLEVEL=1` keeps a package from starting a server of its own; the tests start theirs.
  const install = `apt-get update && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  const canInstall = existsSync('/etc/debian_version') && process.getuid?.() === 0;
  if (canInstall) spawnSync('sh', ['-c', install], { stdio: 'inherit' });
  const left = missing();
  if (left.length === 0) return;
  const [{ names, variable }] = left as [Wanted];
  console.error(
    canInstall
      ? `${names[0]} could not be installed. Run:\n  ${install}`
      : `the deep tests need ${names.join(' or ')}. Install it (on Debian: ${packages.join(' ')}), or pass its path in ${variable}`,
  );
  process.exitCode = 1;
}
