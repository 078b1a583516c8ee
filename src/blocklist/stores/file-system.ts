import { randomBytes } from 'node:crypto';
import type * as promises from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { flushFile } from '../../core/flush-file.js';
import { temporaryStart } from './file-names.js';
import { damaged } from './store-failure.js';

/** The part of `node:fs/promises` the store uses, so that a test can make each call fail. */
export type FileSystem = Pick<typeof promises, 'open' | 'readFile' | 'readdir' | 'rename' | 'link' | 'unlink' | 'mkdir' | 'stat'>;

type Handle = promises.FileHandle;

/** Cached answers reveal what the user checked, so other users may not read them. */
const fileMode = 0o600;
const folderMode = 0o700;

/** An older temporary file was left by a process that died. */
const leftoverMs = 60 * 60 * 1000;

/** On Windows, a virus scanner or a reader may have a file open for a moment. */
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

/** The names of the files in a folder; none if the folder does not exist. */
export async function filesIn(fs: FileSystem, directory: string): Promise<string[]> {
  return (await orMissing(fs.readdir(directory))) ?? [];
}

/** One file that cannot be read: a folder has its name, or it belongs to another user. On Windows these codes can mean that it is busy. */
const unreadable = process.platform === 'win32' ? /^(EISDIR|ELOOP)$/ : /^(EISDIR|ELOOP|EACCES|EPERM)$/;

/** @throws PortcullisError `INVALID_ARTIFACT` for an unreadable file, which costs its value and not the store */
export async function readBytes(fs: FileSystem, path: string): Promise<Uint8Array | null> {
  const bytes = await orMissing(fs.readFile(path)).catch((error: unknown) => {
    throw unreadable.test(codeOf(error)) ? damaged(`its file cannot be read (${codeOf(error)})`, error) : error;
  });
  if (bytes === null) return null;
  // A small file may share its buffer with others.
  if (bytes.length < bytes.buffer.byteLength) return new Uint8Array(bytes);
  return new Uint8Array(bytes.buffer, 0, bytes.length);
}

/** Makes a folder and syncs the folders above it. One of those may be unreadable and cannot be synced, which is not a failure. */
export async function makeFolder(fs: FileSystem, directory: string): Promise<void> {
  const first = await fs.mkdir(directory, { recursive: true, mode: folderMode }).catch(async (error: unknown) => {
    // Node's permission model refuses this even for a folder that is there.
    if (codeOf(error) !== 'ERR_ACCESS_DENIED' || (await orMissing(fs.stat(directory))) === null) throw error;
    return undefined;
  });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) {
    await syncFolder(fs, dirname(made)).catch(() => {});
  }
}

/** Writes and syncs a temporary file, which `place` moves to its place. After a failure the file is removed. */
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
      await flushFile(handle);
    } finally {
      await handle.close();
    }
    await place(path);
  } catch (error) {
    await fs.unlink(path).catch(() => {});
    throw error;
  }
}

/** Opens a new temporary file with a random name. Makes the folder again if it was removed. */
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

/** A renamed or linked file survives a crash once its folder is synced. Windows cannot open folders, and does not need to. */
export async function syncFolder(fs: FileSystem, directory: string): Promise<void> {
  let folder: Handle | undefined;
  try {
    folder = await fs.open(directory, 'r');
    await flushFile(folder);
  } catch (error) {
    if (process.platform !== 'win32' || !/^(EPERM|EISDIR|EINVAL|EACCES)$/.test(codeOf(error))) throw error;
  } finally {
    await folder?.close();
  }
}

/** Removes the temporary files of writers that died. One that cannot be removed does no harm. */
export async function removeLeftovers(fs: FileSystem, directory: string): Promise<void> {
  for (const file of await fs.readdir(directory)) {
    if (!file.startsWith(temporaryStart)) continue;
    const path = join(directory, file);
    try {
      const { mtimeMs } = await fs.stat(path);
      if (Date.now() - mtimeMs > leftoverMs) await fs.unlink(path);
    } catch {
      // The file was removed meanwhile.
    }
  }
}
