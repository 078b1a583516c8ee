import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isPortcullisError, PortcullisError } from 'portcullis';
import { adviceFor, type ListFormat, type Source, type TextSourceReport, textSource } from 'portcullis/sources';
import type { Call } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { countText } from '../terminal/unit-text.js';
import { wholeOf } from './input-lines.js';

const maxListBytes = 64 * 1024 * 1024;

/** A list in a file, or on standard input for `-`. */
export function fileSource(
  { options, input, signal }: Call,
  file: string,
  id: string,
  onReport: (report: TextSourceReport) => void,
): Source {
  const format = (options.text('format') as ListFormat | undefined) ?? listFormatOf(file);
  let held: Promise<Uint8Array> | undefined;
  let isSuffix: ((host: string) => boolean) | undefined;
  // A sync reads a list twice, to see whether it changed meanwhile. Pipes can be read only once.
  const read = async (): Promise<Uint8Array> => {
    // Loaded with the first list, because it is larger than the rest of the command.
    isSuffix ??= (await import('./public-suffix.js')).isPublicSuffix;
    if (held !== undefined) return held;
    try {
      if (file !== '-' && (await isRegular(file))) return await wholeFile(file, signal);
      held = file === '-' ? wholeOf(input, maxListBytes, 'the list') : wholeFile(file, signal);
      return await held;
    } catch (cause) {
      throw unreadable(file, cause);
    }
  };
  return textSource({ id, format, read, onReport, isPublicSuffix: (host) => isSuffix!(host) });
}

function wholeFile(file: string, signal: AbortSignal): Promise<Uint8Array> {
  return wholeOf(createReadStream(file, { signal }), maxListBytes, file);
}

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
  if (cause instanceof UsageError) return new PortcullisError('LIMIT_EXCEEDED', cause.message, { cause });
  return new PortcullisError('NOT_FOUND', unreadableText(file, cause), { cause });
}

/** Why a file cannot be read. */
export function unreadableText(file: string, cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'ENOENT' ? `file not found: ${file}` : `${file} cannot be read (${code})`;
}

/** The format that a file's name implies. */
export function listFormatOf(file: string): ListFormat {
  const name = basename(file).toLowerCase();
  if (name.endsWith('.csv')) return 'csv';
  if (name.endsWith('.json')) return 'json';
  return /^hosts(\.txt)?$|\.hosts$/.test(name) ? 'hosts' : 'lines';
}

/** How many rejected lines are named. */
const maxShown = 3;

/** Which lines of a list are not used; `null` if all are. */
export function refusedText({ refused, refusedBy }: TextSourceReport): string | null {
  const count = Object.values(refusedBy).reduce((sum, more) => sum + more, 0);
  if (count === 0) return null;
  const first = refused.slice(0, maxShown).map(({ line, reason }) => `line ${line} (${reason})`);
  const shown = refused[0];
  const what = `${countText(count, 'line')} cannot be listed: ${first.join(', ')}${count > maxShown ? ' …' : ''}`;
  return shown === undefined ? what : `${what}; for ${shown.reason}: ${adviceFor(shown.reason)}`;
}
