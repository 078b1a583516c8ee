import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isPortcullisError, PortcullisError } from 'portcullis';
import { type FetchLike, type Source, type TextSourceReport, textSource } from 'portcullis/sources';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { requireUrl } from '../service/given-url.js';
import { accountText } from './account-text.js';
import { sharedHostsFor, suffixesFor } from './allowed-shared.js';
import { textPieces } from './binary-input.js';
import { wholeOf } from './input-lines.js';
import { isUrl, readingOf, requirePlace } from './list-options.js';
import { openedPlace } from './package-list.js';
import { refusedText } from './refusal-text.js';

const maxListBytes = 64 * 1024 * 1024;

/** A list that is fetched is read as it arrives, and not held. */
const maxFetchedBytes = 1024 * 1024 * 1024;

/** A list at a URL, in a file, in a package (`npm:<package>`), or on standard input for `-`. */
export function listSourceAt(call: CommandCall, given: string, id: string, onReport: (report: TextSourceReport) => void): Source {
  const { input, signal, output } = call;
  const place = openedPlace(given, output);
  requirePlace(place);
  let held: Promise<Uint8Array> | undefined;
  let isSuffix: ((host: string) => boolean) | undefined;
  // Loaded with the first list, because it is larger than the rest of the command.
  const prepare = async (): Promise<void> => {
    isSuffix ??= suffixesFor(call, (await import('../../shared/public-suffix.js')).isPublicSuffix);
  };
  const options = {
    id,
    ...readingOf(call, place),
    onReport,
    sharedHosts: sharedHostsFor(call),
    isPublicSuffix: (host: string) => isSuffix!(host),
  };
  if (isUrl(place)) {
    requireUrl(place.replace(/[?].*/s, ''));
    const load: FetchLike = async (url, init) => {
      await prepare();
      return fetch(url, init as RequestInit);
    };
    return textSource({ ...options, url: place, maxBytes: maxFetchedBytes, fetch: load });
  }
  // Pipes can be read only once.
  const read = async (): Promise<Uint8Array> => {
    await prepare();
    if (held !== undefined) return held;
    try {
      if (place !== '-' && (await isRegular(place))) return await wholeFile(place, signal);
      held =
        place === '-' ? wholeOf(textPieces(input, 'the list', isArchive), maxListBytes, 'the list') : wholeFile(place, signal);
      return await held;
    } catch (cause) {
      throw unreadable(place, cause);
    }
  };
  return textSource({ ...options, read });
}

function wholeFile(file: string, signal: AbortSignal): Promise<Uint8Array> {
  return wholeOf(textPieces(createReadStream(file, { signal }), file, isArchive), maxListBytes, file);
}

/** An archive, which the library unpacks or names. */
const isArchive = (start: Uint8Array): boolean => archive.test(Buffer.from(start.subarray(0, 4)).toString('latin1'));

const archive = /^(?:\x1f\x8b|PK|BZh|\xfd7zX|\x28\xb5\x2f\xfd)/;

/** Rejects a named pipe, because opening one waits for a writer and no signal ends that wait. */
async function isRegular(file: string): Promise<boolean> {
  const stats = await stat(file);
  if (stats.isDirectory()) throw new PortcullisError('INVALID_INPUT', `${file} is a folder; pass a list file`);
  if (stats.isFIFO() && !/^\/(?:dev\/fd|proc)\//.test(file)) {
    throw new PortcullisError('INVALID_INPUT', `${file} is a named pipe; read it with --list - < ${file}`);
  }
  return stats.isFile();
}

function unreadable(file: string, cause: unknown): PortcullisError {
  if (isPortcullisError(cause)) return cause;
  if (cause instanceof UsageError && cause.code === 'BINARY_INPUT')
    return new PortcullisError('INVALID_ARTIFACT', cause.message, { cause });
  if (cause instanceof UsageError) return new PortcullisError('LIMIT_EXCEEDED', cause.message, { cause });
  return new PortcullisError('NOT_FOUND', unreadableText(file, cause), { cause });
}

export function unreadableText(file: string, cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'ENOENT' ? `file not found: ${file}` : `${file} cannot be read (${code})`;
}

/** How a list was read, how many of its entries are accounts, and which are not used. */
export function readText(report: TextSourceReport): string {
  const parts = [`read as ${report.format}`, accountText(report.accounts), refusedText(report, report.format)];
  return parts.filter((part) => part !== null).join('; ');
}
