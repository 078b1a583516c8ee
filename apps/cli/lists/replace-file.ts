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

/** Replaces a file as a whole. The new file gets an unpredictable name first, so that no link planted there can redirect the write. */
export async function replaceFile(file: string, content: string | Uint8Array, { mode, isSynced }: ReplaceOptions): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${crypto.randomUUID()}.portcullis-new`);
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(content);
      if (isSynced) await flushFile(handle);
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
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
