import { randomBytes } from 'node:crypto';
import type * as promises from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryStart } from './file-names.js';

/** The part of `node:fs/promises` that is used, so that a test can make each call fail. */
export type FileSystem = Pick<typeof promises, 'open' | 'readFile' | 'readdir' | 'rename' | 'link' | 'unlink' | 'mkdir' | 'stat'>;

type Handle = promises.FileHandle;

/** Nobody but the user of this process reads what lists and caches of links say about him. */
const fileMode = 0o600;
const folderMode = 0o700;

/** A temporary file that nobody has touched for so long was left by a process that died. */
const leftoverMs = 60 * 60 * 1000;

/** A virus scanner or a reader has a file open, on Windows, for a moment. */
const maxBusyAttempts = 20;
const busyWaitMs = 25;

export const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | null)?.code ?? '');

export async function orMissing<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Made for good: the folders above are synced, too. One that may be entered and not read cannot be, which is no reason to fail. */
export async function makeFolder(fs: FileSystem, directory: string): Promise<void> {
  const first = await fs.mkdir(directory, { recursive: true, mode: folderMode });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) {
    await syncFolder(fs, dirname(made)).catch(() => {});
  }
}

/** Writes a file aside and syncs it; `place` puts it where it belongs. Whatever fails, nothing of it stays. */
export async function writeAside(
  fs: FileSystem,
  directory: string,
  bytes: Uint8Array,
  place: (path: string) => Promise<void>,
): Promise<void> {
  const { path, handle } = await openAside(fs, directory);
  try {
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await place(path);
  } catch (error) {
    await fs.unlink(path).catch(() => {});
    throw error;
  }
}

/** A new file that no other process can have opened. The folder is made again if somebody removed it. */
export async function openAside(fs: FileSystem, directory: string): Promise<{ readonly path: string; readonly handle: Handle }> {
  const path = join(directory, `${temporaryStart}${randomBytes(16).toString('hex')}`);
  const handle = await orMissing(fs.open(path, 'wx', fileMode));
  if (handle !== null) return { path, handle };
  await makeFolder(fs, directory);
  return { path, handle: await fs.open(path, 'wx', fileMode) };
}

export async function replace(fs: FileSystem, from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fs.rename(from, to);
    } catch (error) {
      const isBusy = process.platform === 'win32' && /^(EPERM|EACCES|EBUSY)$/.test(codeOf(error));
      if (!isBusy || attempt === maxBusyAttempts) throw error;
      await sleep(busyWaitMs);
    }
  }
}

/** What was renamed or linked is there for certain once its folder is synced. Windows opens no folder, and needs none. */
export async function syncFolder(fs: FileSystem, directory: string): Promise<void> {
  let folder: Handle | undefined;
  try {
    folder = await fs.open(directory, 'r');
    await folder.sync();
  } catch (error) {
    if (process.platform !== 'win32' || !/^(EPERM|EISDIR|EINVAL|EACCES)$/.test(codeOf(error))) throw error;
  } finally {
    await folder?.close();
  }
}

/** Removes what writers left who died. What cannot be removed does no harm. */
export async function removeLeftovers(fs: FileSystem, directory: string): Promise<void> {
  for (const file of await fs.readdir(directory)) {
    if (!file.startsWith(temporaryStart)) continue;
    const path = join(directory, file);
    try {
      const { mtimeMs } = await fs.stat(path);
      if (Date.now() - mtimeMs > leftoverMs) await fs.unlink(path);
    } catch {
      // Its writer, or another process that cleans, was faster.
    }
  }
}
