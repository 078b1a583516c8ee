import { link, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LogStorage } from 'portcullis/publish';
import { fileStore } from 'portcullis/stores/file';
import { UsageError } from '../errors/usage.js';
import { flushFolder, orNull, replaceFile, temporaryPattern, writeAside } from '../lists/replace-file.js';

/** A log in a folder. What it creates stays as it is, also if two processes create it at the same time. */
export function logFolder(directory: string): LogStorage {
  return {
    async read(path) {
      const bytes = await orNull(readFile(join(directory, path)));
      return bytes && new Uint8Array(bytes);
    },
    async create(path, bytes) {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      try {
        // Linking fails if the file exists, which renaming would replace.
        await writeAside(file, bytes, { isSynced: true }, (temporary) => link(temporary, file));
      } catch (cause) {
        const { code = 'UNEXPECTED', message } = cause as NodeJS.ErrnoException;
        if (code === 'EEXIST') return false;
        throw new UsageError(`the log cannot be written: ${message}`, 'choose a folder on a disk with hard links', { code });
      }
      await flushFolder(dirname(file));
      return true;
    },
    async replace(path, bytes) {
      await mkdir(directory, { recursive: true });
      await replaceFile(join(directory, path), bytes, { isSynced: true });
      await flushFolder(directory);
    },
    removeFolder: (path) => rm(join(directory, path), { recursive: true, force: true }),
  };
}

/** The holder of the lock shows every 0.4 s that it lives. After a kill, the next publisher waits that long. */
const lockStaleMs = 2_000;

/**
 * Runs while no other process of this folder does. The log stays right without it; with it versions get into the log in the order of their
 * sequences, and no checkpoint is replaced by an older one.
 */
export async function inLog<T>(directory: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  const store = fileStore({ directory: join(directory, '.lock'), lockStaleMs });
  await store.open();
  try {
    return await store.lock!(async () => {
      await removeLeftovers(directory);
      return run();
    }, signal);
  } finally {
    await store.close();
  }
}

/** No process that is alive writes now. */
async function removeLeftovers(directory: string): Promise<void> {
  for (const name of (await orNull(readdir(directory, { recursive: true }))) ?? []) {
    const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
    if (temporaryPattern.test(base)) await rm(join(directory, name), { force: true });
  }
}
