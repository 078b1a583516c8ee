import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** An empty project beside a folder `portcullis` with the packed package, as a reader of the guides has after `npm ci && npm pack`. */
export function projectBeside(): { readonly project: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-guide-'));
  const [project, clone] = [join(folder, 'project'), join(folder, 'portcullis')];
  for (const each of [project, clone]) mkdirSync(each);
  // `prepack` builds it first.
  oneAtATime(() => shellIn(resolve('.'), `npm pack --silent --pack-destination ${clone}`));
  return { project, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Test files of other processes build the same `dist`, and would pack half of it. */
function oneAtATime(work: () => void): void {
  const lock = resolve('node_modules/.portcullis-packing');
  while (!isMade(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isMade(lock: string): boolean {
  try {
    // A process that was killed leaves it behind; no build takes that long.
    if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 300_000)
      rmSync(lock, { recursive: true, force: true });
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

/** Runs a line as a reader would. @throws with what it printed if it fails */
export function shellIn(cwd: string, line: string): string {
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefer_offline: 'true' };
  const env = { ...process.env, ...quiet };
  const { status, stdout, stderr }: SpawnSyncReturns<string> = spawnSync(line, { cwd, shell: true, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${line} failed:\n${stdout}${stderr}`);
  return stdout;
}
