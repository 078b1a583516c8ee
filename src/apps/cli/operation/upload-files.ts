import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Call } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import { wholeOf } from '../lists/input-lines.js';

export interface OpenFile {
  /** Its content, to be read once. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** `null` where nobody knows, as of standard input. */
  readonly bytes: number | null;
}

/** Read at once: some ten thousand lines, so that all there is to ask about them is asked together. */
export const pieceBytes = 1_048_576;

/** A file that was named, or standard input behind `-`. */
export async function openFile(place: string, { input, signal, output }: Call): Promise<OpenFile> {
  if (place === '-') {
    if (input.isTerminal) output.note('reading until Ctrl-D');
    return { pieces: input, bytes: null };
  }
  try {
    const file = await open(place);
    const stats = await file.stat();
    if (stats.isDirectory()) {
      await file.close();
      throw new UsageError(`${place} is a folder`);
    }
    const pieces = file.createReadStream({ highWaterMark: pieceBytes, signal });
    return { pieces, bytes: stats.isFile() ? stats.size : null };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (cause instanceof UsageError || code === undefined) throw cause;
    // The same as of a list that is named with --list.
    const what = code === 'ENOENT' ? `there is no such file: ${place}` : `${place} cannot be read (${code})`;
    throw new UsageError(what, undefined, { code: 'NOT_FOUND', exitCode: exitCodes.notFound });
  }
}

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
