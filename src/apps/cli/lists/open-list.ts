import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { CommonOptions } from '../../../blocklist/checks/blocklist-options.js';
import { createBlocklist } from '../../../blocklist/checks/create-blocklist.js';
import type { Blocklist } from '../../../blocklist/checks/blocklist-interface.js';
import type { ListFormat } from '../../../blocklist/lists/list-entry.js';
import type { Source } from '../../../blocklist/source.js';
import { serviceSource } from '../../../blocklist/sources/service-source.js';
import { type TextSourceReport, textSource } from '../../../blocklist/sources/text-source.js';
import type { Store } from '../../../blocklist/store.js';
import { memoryStore } from '../../../blocklist/stores/memory-store.js';
import { toHex } from '../../../core/bytes.js';
import { isPortcullisError, PortcullisError } from '../../../core/errors.js';
import { hashOf } from '../../../core/hashing/sha256.js';
import type { FetchLike } from '../../../core/http/fetch.js';
import type { Call, OptionRows } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { cacheDirectory } from '../service/cli-config.js';
import { apiOf, embedded, fetchOf } from '../service/connection.js';
import type { Output } from '../terminal/output.js';
import { printable } from '../terminal/terminal.js';
import { wholeOf } from './input-lines.js';

export const listFormats: readonly ListFormat[] = ['lines', 'csv', 'hosts', 'json', 'eth-phishing-detect'];

/** Where the list of a command comes from. */
export const listOptions: OptionRows = {
  local: { text: 'The embedded service with its sample list; nothing leaves this machine' },
  state: { value: 'file', text: 'With --local: keep its state in this file' },
  list: { value: 'file', isMultiple: true, text: 'A list of your own; - is standard input' },
  format: { value: 'format', choices: listFormats, text: 'How that list is written; otherwise its name says' },
  relay: { value: 'url', text: 'A relay, which needs no key' },
  published: { value: 'url', text: 'A list that was published as files' },
  url: { value: 'url', text: 'Where the API is; otherwise PORTCULLIS_API_URL, then the stored one' },
  store: { value: 'folder', text: 'Where copies of lists are kept; otherwise the cache folder' },
  'no-store': { text: 'Keep no copy: fetch the list for this call' },
};

export interface OpenList {
  readonly blocklist: Blocklist;
  /** The source's kind: where this list is from. */
  readonly from: 'local' | 'list' | 'relay' | 'published' | 'service';
  /** The folder with the copies; `null` where none are kept. */
  readonly directory: string | null;
  /** What became of the lines of files, by file. */
  readonly reports: ReadonlyMap<string, TextSourceReport>;
  /** Who is asked for the version; `null` of files. */
  readonly asked: Asked | null;
  close(): Promise<void>;
}

/** Where a list's version is asked for, with what. */
export interface Asked {
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly fetch: FetchLike;
}

/** How patient a blocklist is, how much it may ask, and whether it runs rounds while a command works. */
export type Tuning = Pick<CommonOptions, 'confirm' | 'deadlineMs' | 'loadWaitMs' | 'pollMs'>;

/** Bytes of a list that comes through standard input; the same as of one from a file. */
const listBytesMax = 64 * 1024 * 1024;

/** A blocklist as the options of a call ask for it. Nothing is loaded yet: `ready`, `sync` or a check does that. */
export async function openList(call: Call, tuning: Tuning = {}): Promise<OpenList> {
  const { options } = call;
  const ways = (['local', 'list', 'relay', 'published', 'url'] as const).filter((name) => options.has(name));
  if (ways.length > 1) throw new UsageError(`--${ways[0]} and --${ways[1]} name two places`, 'a list comes from one of them');
  const readers = [...options.all('list'), ...call.positionals].filter((place) => place === '-').length;
  if (readers > 1) throw new UsageError('standard input is given twice', 'it is the list or what is checked, and not both');
  if (options.has('state') && !options.has('local')) throw new UsageError('--state belongs to --local');
  if (options.has('format') && !options.has('list')) throw new UsageError('--format belongs to --list');
  if (options.has('store') && options.has('no-store')) throw new UsageError('--store and --no-store contradict each other');
  const reports = new Map<string, TextSourceReport>();
  const ends: (() => Promise<unknown>)[] = [];
  const from = ways[0] === undefined || ways[0] === 'url' ? 'service' : ways[0];
  const sources = await sourcesOf(call, from, { reports, ends });
  const directory = directoryOf(call, from, sources.place);
  const blocklist = createBlocklist({ sources: sources.all, store: await storeAt(directory), pollMs: 0, ...tuning });
  const close = async (): Promise<void> => {
    await blocklist.close();
    for (const end of ends) await end();
  };
  return { blocklist, from, directory, reports, asked: sources.asked, close };
}

/** Loads it, and fetches what is due. Says what could not be had: the verdicts then rest on the copy, or on nothing. */
export async function load({ blocklist, reports }: OpenList, { output, signal }: Call): Promise<void> {
  const progress = output.progress('list');
  const ends = [
    blocklist.on('progress', ({ step, bytes, total }) => progress.update(bytes, total, step)),
    blocklist.on('error', ({ source, where, error }) => output.warn(`${source ?? where}: ${error.message} [${error.code}]`)),
    warnOfList(blocklist, output),
  ];
  try {
    await blocklist.ready({ signal });
    await blocklist.syncDue({ signal });
  } finally {
    progress.end();
    for (const end of ends) end();
  }
  for (const [file, report] of reports) {
    if (report.listed + report.allowed === 0) throw emptyList(file);
    const text = refusedText(report);
    if (text !== null) output.warn(printable(`${file}: ${text}`));
  }
}

/** Says what is wrong with a list although it is used. @returns what ends it */
export function warnOfList(blocklist: Blocklist, output: Output): () => void {
  const ends = [
    blocklist.on('damaged', ({ name, error }) =>
      output.warn(`a stored value was damaged and is fetched again: ${name} [${error.code}]`),
    ),
    blocklist.on('mismatch', ({ source }) =>
      output.warn(`${source}: known entries are not on the list; what is not on it proves nothing`),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Everything would be clear, and nobody would know why. */
function emptyList(file: string): UsageError {
  return new UsageError(
    printable(`${file === '-' ? 'the list' : file} lists nothing`),
    'see --format, or look whether it was cut',
    {
      code: 'EMPTY_LIST',
    },
  );
}

/** Lines that are named; their numbers are for who mends the list. */
const refusedShown = 3;

/** What of a list is not listed; `null` where all of it is. */
export function refusedText({ refused, refusedBy }: TextSourceReport): string | null {
  const count = Object.values(refusedBy).reduce((sum, more) => sum + more, 0);
  if (count === 0) return null;
  const first = refused.slice(0, refusedShown).map(({ line, reason }) => `line ${line} (${reason})`);
  return `${count} of its lines cannot be listed: ${first.join(', ')}${count > refusedShown ? ' …' : ''}`;
}

interface Opened {
  readonly all: readonly Source[];
  /** What tells the copies of one place from those of another. */
  readonly place: string;
  readonly asked: Asked | null;
}

interface Kept {
  readonly reports: Map<string, TextSourceReport>;
  readonly ends: (() => Promise<unknown>)[];
}

async function sourcesOf(call: Call, from: OpenList['from'], { reports, ends }: Kept): Promise<Opened> {
  const { options } = call;
  switch (from) {
    case 'local': {
      const service = await embedded(call);
      ends.push(() => service.close());
      const api = { baseUrl: 'http://localhost', apiKey: service.key, fetch: fetchOf(service) };
      return { all: [serviceSource(api)], place: '', asked: { ...api, url: versionUrl(api.baseUrl) } };
    }
    case 'list':
      return { all: options.all('list').map((file, at) => fileSource(call, file, at, reports)), place: '', asked: null };
    case 'relay': {
      const baseUrl = options.text('relay')!;
      const all = [serviceSource({ id: 'relay', baseUrl })];
      return { all, place: baseUrl, asked: { url: versionUrl(baseUrl), fetch } };
    }
    case 'published': {
      const { publishedSource } = await import('../../../blocklist/sources/published-source.js');
      const url = options.text('published')!;
      const asked = { url: /\.json$/i.test(url) ? url : `${url.replace(/\/+$/, '')}/version.json`, fetch };
      return { all: [publishedSource({ url })], place: url, asked };
    }
    case 'service': {
      const { baseUrl, apiKey } = await apiOf(call);
      const all = [serviceSource({ baseUrl, ...(apiKey && { apiKey }) })];
      return { all, place: baseUrl, asked: { url: versionUrl(baseUrl), apiKey, fetch } };
    }
  }
}

function versionUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/asset/blocklist/version`;
}

function fileSource({ options, input, signal }: Call, file: string, at: number, reports: Map<string, TextSourceReport>): Source {
  const format = (options.text('format') as ListFormat | undefined) ?? formatOf(file);
  let held: Promise<Uint8Array> | undefined;
  // A round reads a list twice, to see whether it moved meanwhile. What is no file on a disk can be read once only.
  const read = async (): Promise<Uint8Array> => {
    if (held !== undefined) return held;
    try {
      if (file !== '-' && (await isRegular(file))) return await wholeFile(file, signal);
      held = file === '-' ? wholeOf(input, listBytesMax, 'the list') : wholeFile(file, signal);
      return await held;
    } catch (cause) {
      throw unreadable(file, cause);
    }
  };
  return textSource({ id: `list-${at + 1}`, format, read, onReport: (report) => reports.set(file, report) });
}

function wholeFile(file: string, signal: AbortSignal): Promise<Uint8Array> {
  return wholeOf(createReadStream(file, { signal }), listBytesMax, file);
}

/** Of a pipe with a name nobody knows whether somebody ever writes into it, and no signal ends the wait for that. */
async function isRegular(file: string): Promise<boolean> {
  const stats = await stat(file);
  if (stats.isFIFO() && !/^\/(?:dev\/fd|proc)\//.test(file)) {
    throw new PortcullisError('INVALID_INPUT', `${file} is a named pipe: read it by --list - < ${file}`);
  }
  return stats.isFile();
}

function unreadable(file: string, cause: unknown): PortcullisError {
  if (isPortcullisError(cause)) return cause;
  // It is longer than it may be.
  if (cause instanceof UsageError) return new PortcullisError('LIMIT_EXCEEDED', cause.message, { cause });
  const { code } = cause as NodeJS.ErrnoException;
  const what = code === 'ENOENT' ? `there is no such file: ${file}` : `${file} cannot be read (${code})`;
  return new PortcullisError('NOT_FOUND', what, { cause });
}

/** How a list is written, where its name tells. */
export function formatOf(file: string): ListFormat {
  const name = basename(file).toLowerCase();
  if (name.endsWith('.csv')) return 'csv';
  if (name.endsWith('.json')) return 'json';
  return /^hosts(\.txt)?$|\.hosts$/.test(name) ? 'hosts' : 'lines';
}

/** A folder for each place: two services that share one would take each other's list for their own. */
function directoryOf({ options, env }: Call, from: OpenList['from'], place: string): string | null {
  const given = options.text('store');
  if (given !== undefined) return resolve(given);
  // What lies here already needs no copy.
  if (options.has('no-store') || from === 'local' || from === 'list') return null;
  return join(cacheDirectory(env), `${from}-${toHex(hashOf(place)).slice(0, 16)}`);
}

/** What keeps files loads only where files are kept. */
async function storeAt(directory: string | null): Promise<Store> {
  if (directory === null) return memoryStore();
  const { fileStore } = await import('../../../blocklist/stores/file-store.js');
  return fileStore({ directory });
}
