import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isGzipName } from '../../shared/list-name.js';
import type { CommandCall } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { requireUrl } from '../service/given-url.js';
import { textPieces } from './binary-input.js';
import { wholeOf } from './input-lines.js';
import { unreadableText } from './list-file.js';
import { isUrl, requirePlace } from './list-options.js';
import { openedPlace } from './package-list.js';

export interface OpenFile {
  /** The content; it can be read only once. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** `null` if unknown, as for standard input. */
  readonly bytes: number | null;
}

/** How much is read at once: about ten thousand lines, so that the questions about them go out together. */
export const pieceBytes = 1_048_576;

/** Opens a list: what `openFile` opens, or a URL. A file that is compressed with gzip is decompressed. */
export async function openListText(given: string, call: CommandCall): Promise<OpenFile> {
  const place = openedPlace(given, call.output);
  requirePlace(place);
  if (isUrl(place)) {
    requireUrl(place.replace(/[?].*/s, ''));
    const { fetchList } = await import('portcullis/publish');
    return { pieces: fetchList(place, { signal: call.signal }), bytes: null };
  }
  const { pieces, bytes } = await openFile(place, call);
  const name = place === '-' ? 'the list' : place;
  if (!isGzipName(place)) return { pieces: textPieces(pieces, name), bytes };
  const unpacked = Readable.from(pieces).compose(createGunzip()) as AsyncIterable<Uint8Array>;
  return { pieces: textPieces(unpacked, name), bytes: null };
}

/** Opens a file, or standard input for `-`. */
export async function openFile(place: string, { input, signal, output }: CommandCall): Promise<OpenFile> {
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
    if (cause instanceof UsageError || (cause as NodeJS.ErrnoException).code === undefined) throw cause;
    throw new UsageError(unreadableText(place, cause), undefined, { code: 'NOT_FOUND', exitCode: exitCodes.notFound });
  }
}

/** The content of the file that an option names. */
export async function fileOf(path: string, option: string, maxBytes: number): Promise<Uint8Array> {
  try {
    return await wholeOf(createReadStream(path), maxBytes, `the file for ${option}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof UsageError || code === undefined) throw error;
    // The path is not repeated, because it may be a secret given to the wrong option.
    throw new UsageError(`the file for ${option} cannot be read [${code}]`);
  }
}

export async function textFileOf(path: string, option: string, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await fileOf(path, option, maxBytes));
}
