import { link, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LogStorage } from 'portcullis/publish';
import { fileStore } from 'portcullis/stores/file';
import { flushFile } from '../../../src/core/flush-file.js';
import { UsageError } from '../errors/usage.js';
import { orNull, replaceFile, temporaryPattern } from '../lists/replace-file.js';

/** A log in a folder. What it creates stays as it is, also if two processes create it at the same time. */
export function logFolder(directory: string): LogStorage {
  return {
    async read(path) {
      const bytes = await orNull(readFile(join(directory, path)));
      return bytes && new Uint8Array(bytes);
    },
    async create(path, bytes) {
      const file = join(directory, path);
      const folder = dirname(file);
      await mkdir(folder, { recursive: true });
      const aside = join(folder, `.tile.${crypto.randomUUID()}.portcullis-new`);
      try {
        await writeFile(aside, bytes, { flag: 'wx' });
        await flush(aside);
        // Fails if the file exists, which renaming would replace.
        await link(aside, file);
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        if (code === 'EEXIST') return false;
        throw new UsageError(
          `the log cannot be written: ${(cause as Error).message}`,
          'choose a folder on a disk with hard links',
          {
            code: code ?? 'UNEXPECTED',
          },
        );
      } finally {
        await rm(aside, { force: true });
      }
      await flush(folder);
      return true;
    },
    async replace(path, bytes) {
      await mkdir(directory, { recursive: true });
      await replaceFile(join(directory, path), bytes, { isSynced: true });
      await flush(directory);
    },
    removeFolder: (path) => rm(join(directory, path), { recursive: true, force: true }),
  };
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await flushFile(handle);
  } finally {
    await handle.close();
  }
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
