import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { flushFile } from '../../../src/core/flush-file.js';

/** What a process that was killed may leave behind. */
export const temporaryPattern = /^\..+\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.portcullis-new$/;

interface ReplaceOptions {
  /** @default 0o666, less the umask */
  readonly mode?: number;
  /** Whether the content is on the disk before the file is replaced. */
  readonly isSynced: boolean;
}

/** Replaces a file as a whole. */
export function replaceFile(file: string, content: string | Uint8Array, options: ReplaceOptions): Promise<void> {
  return writeAside(file, content, options, (temporary) => rename(temporary, file));
}

/**
 * Writes a temporary file beside another, for `place` to move there. It has an unpredictable name, so that no link planted there can redirect the
 * write.
 */
export async function writeAside(
  file: string,
  content: string | Uint8Array,
  { mode, isSynced }: ReplaceOptions,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${crypto.randomUUID()}.portcullis-new`);
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(content);
      if (isSynced) await flushFile(handle);
    } finally {
      await handle.close();
    }
    await place(temporary);
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** Waits until the names in a folder are on the disk. Windows has no such call. */
export async function flushFolder(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory);
  try {
    await flushFile(handle);
  } finally {
    await handle.close();
  }
}

/** `null` for a file that does not exist. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    return null;
  }
}
