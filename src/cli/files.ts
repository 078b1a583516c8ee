import { createReadStream } from 'node:fs';
import { wholeOf } from './lines.js';
import { UsageError } from './usage.js';

/** A file that an option names, and no more of it than can be meant. */
export async function fileOf(path: string, option: string, bytesMax: number): Promise<Uint8Array> {
  try {
    return await wholeOf(createReadStream(path), bytesMax, `the file of ${option}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The path is not repeated: it may be a secret that slipped behind the wrong option.
    if (error instanceof UsageError || code === undefined) throw error;
    throw new UsageError(`the file of ${option} cannot be read [${code}]`);
  }
}

export async function textFileOf(path: string, option: string, bytesMax: number): Promise<string> {
  return new TextDecoder().decode(await fileOf(path, option, bytesMax));
}
