import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileStore } from 'portcullis/stores/file';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import type { OpenList } from './open-list.js';

/** A folder with copies of lists. */
export interface Folder {
  readonly exists: boolean;
  readonly files: number;
  readonly bytes: number;
}

/** @throws UsageError if it is not a folder or cannot be read */
export async function folderOf(directory: string): Promise<Folder> {
  let files: string[];
  try {
    files = await readdir(directory);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { exists: false, files: 0, bytes: 0 };
    if (code === undefined) throw cause;
    throw new UsageError(
      code === 'ENOTDIR' ? `${directory} is not a folder` : `${directory} cannot be read`,
      'name another folder with --store, or change its permissions',
      { code, exitCode: exitCodes.unexpected },
    );
  }
  let bytes = 0;
  for (const file of files) bytes += await sizeOf(join(directory, file));
  return { exists: true, files: files.length, bytes };
}

/** 0 if another process has replaced the file since. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}

/** Loads the stored copy without asking the source. @returns the names of damaged values */
export async function loadStored({ blocklist }: OpenList): Promise<string[]> {
  const damaged: string[] = [];
  const end = blocklist.on('damaged', ({ name }) => damaged.push(name));
  // After `stop`, a check of no inputs waits for the store and starts no round.
  blocklist.stop();
  await blocklist.checkMany([], { deadlineMs: loadWaitMs });
  end();
  return damaged;
}

/** A large list on a slow disk. */
const loadWaitMs = 60_000;

/** Writes, reads back and removes a value. Rejects if that fails. */
export async function tryWriting(directory: string): Promise<void> {
  const store = fileStore({ directory });
  await store.open();
  try {
    await store.write(probe, Uint8Array.of(1));
    await store.read(probe);
    await store.remove(probe);
  } finally {
    await store.close();
  }
}

const probe = 'doctor';

/** Whether a missing folder could be created: the nearest existing folder above it is writable. */
export async function canBeCreated(directory: string): Promise<boolean> {
  for (let above = dirname(directory); ; above = dirname(above)) {
    try {
      await access(above, constants.W_OK | constants.X_OK);
      return (await stat(above)).isDirectory();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT' || above === dirname(above)) return false;
    }
  }
}

/** `null` if the system does not report it. */
export async function freeBytes(directory: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return null;
  }
}
