import { stat } from 'node:fs/promises';
import { type Blocklist, type CommonOptions, createBlocklist, PortcullisError, type SourceStatus } from 'portcullis';
import {
  type FetchLike,
  type PublishedSourceOptions,
  publishedSource,
  type Source,
  serviceSource,
  type TextSourceReport,
} from 'portcullis/sources';
import { memoryStore, type Store } from 'portcullis/stores';
import { notThis, quoted } from '../arguments/quoted.js';
import type { CommandCall } from '../command.js';
import { errorText } from '../errors/error-text.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { type ApiKey, apiOf, embedded } from '../service/connection.js';
import { requireUrl } from '../service/given-url.js';
import type { Output } from '../terminal/output.js';
import { listSourceAt, readText } from './list-file.js';
import { isUrl, type ListOrigin, listOriginOf, originWords, shownWord, storeDirectoryOf } from './list-options.js';
import { emptyListAdvice } from './refusal-text.js';
import { publicKeysOf } from './signing.js';

export interface OpenList {
  readonly blocklist: Blocklist;
  readonly origin: ListOrigin;
  /** The folder with the copy; `null` if none is kept. */
  readonly directory: string | null;
  /** Reports about the lines of list files, by file. */
  readonly reports: ReadonlyMap<string, TextSourceReport>;
  /** Where a list is fetched from; `null` for files. */
  readonly remote: Remote | null;
  /** The report about the list of a source, if it has been read. */
  reportOf(source: string): TextSourceReport | undefined;
  /** A source in a message: its file, or its kind and host. */
  nameOf(source: string): string;
  close(): Promise<void>;
}

/** A source that is asked over HTTP. */
export interface Remote {
  readonly url: string;
  readonly apiKey: ApiKey | undefined;
  readonly source: Source;
  /** The `Date` header of its last response. */
  date(): string | null;
}

/** How long a blocklist waits, how much it may ask, and whether it polls while a command works. */
export type Tuning = Pick<CommonOptions, 'confirm' | 'deadlineMs' | 'pollMs'>;

/** A blocklist for the options of a call. Nothing is loaded yet: `ready`, `sync` or a check does that. */
export async function openList(call: CommandCall, tuning: Tuning = {}): Promise<OpenList> {
  const { options } = call;
  const origin = listOriginOf(call);
  const reports = new Map<string, TextSourceReport>();
  const { sources, place, remote, nameOf, close } = await sourcesOf(call, origin, reports);
  const directory = storeDirectoryOf(call, origin, place);
  const blocklist = createBlocklist({ sources, store: await storeAt(directory), pollMs: 0, ...tuning });
  return {
    blocklist,
    origin,
    directory,
    reports,
    remote,
    nameOf,
    reportOf: (source) => reports.get(options.all('list')[Number(/^list-(\d+)$/.exec(source)?.[1]) - 1] ?? ''),
    close: async () => {
      await blocklist.close();
      await close?.();
    },
  };
}

/**
 * Loads the list and runs the rounds that are due. A failure is only a warning if there is a copy or another list.
 *
 * @throws the first failure of a source if there is no list at all
 */
export async function loadList(list: OpenList, call: CommandCall): Promise<void> {
  const { output, signal } = call;
  const { blocklist, reports, nameOf } = list;
  const failures: { readonly source: string | undefined; readonly where: string; readonly error: PortcullisError }[] = [];
  const progress = output.progress('list');
  const ends = [
    blocklist.on('progress', ({ step, bytes, total }) => progress.update(bytes, total, step)),
    blocklist.on('error', (failed) => failures.push(failed)),
    warnOfList(blocklist, output),
  ];
  try {
    await blocklist.ready({ signal });
    await blocklist.syncDue({ signal });
  } finally {
    progress.end();
    for (const end of ends) end();
  }
  // The failure that ends the command is not a warning as well.
  const fatal = failureWithoutList(blocklist);
  for (const { source, where, error } of failures) {
    const name = source === undefined ? where : nameOf(source);
    if (error !== fatal?.lastError) output.alarm(`${errorText(error, name)} [${error.code}]`);
  }
  for (const [file, report] of reports) {
    // With an empty list every input would be clear for no visible reason.
    if (report.listed + report.allowed === 0) throw emptyList(file, report);
    if (report.refused.length > 0) output.warn(`${shownPlace(file)}: ${readText(report)}`);
  }
  requireList(list, call);
}

/** Opens and loads the list of a call for `work`, and closes it afterwards. */
export async function withList<T>(call: CommandCall, tuning: Tuning, work: (list: OpenList) => Promise<T>): Promise<T> {
  const list = await openList(call, tuning);
  try {
    await loadList(list, call);
    const result = await work(list);
    const failure = confirmFailure(list);
    if (failure !== null) call.output.alarm(`${failure}; hits without an answer are unconfirmed`);
    return result;
  } finally {
    await list.close();
  }
}

/**
 * Verdicts without any list would mean nothing. One list of several is enough, because each verdict reports what the others lack.
 *
 * @throws the first failure of a source
 */
function requireList({ blocklist, nameOf, origin }: OpenList, { options }: CommandCall): void {
  if (blocklist.status().sources.some(({ list }) => list !== null)) return;
  const failed = failureWithoutList(blocklist);
  if (failed?.lastError) {
    const { code, status, retryAfterMs, cause } = failed.lastError;
    if (cause instanceof UsageError && cause.code === 'BINARY_INPUT') throw cause;
    const message = errorText(failed.lastError, nameOf(failed.source));
    // No publisher and no network is at fault for a file of this machine.
    if (code === 'INVALID_ARTIFACT' && origin === 'list' && !isUrl(nameOf(failed.source)))
      throw new UsageError(message, 'fix the file, or set --format', { code });
    throw new PortcullisError(code, message, { status, retryAfterMs, cause: failed.lastError });
  }
  const noList = { code: 'NO_LIST', exitCode: exitCodes.network };
  throw new UsageError('no list is available', `fetch it with: portcullis sync${originWords(options)}`, noList);
}

/** Why a source does not answer questions about hits; `null` if all do. */
export function confirmFailure({ blocklist, nameOf }: OpenList): string | null {
  for (const { source, confirm } of blocklist.status().sources) {
    const { lastError } = confirm;
    if (lastError !== null) return `${errorText(lastError, nameOf(source))} [${lastError.code}]`;
  }
  return null;
}

/** The first source that failed, if there is no list at all. */
function failureWithoutList(blocklist: Blocklist): SourceStatus | undefined {
  const { sources } = blocklist.status();
  return sources.some(({ list }) => list !== null) ? undefined : sources.find(({ lastError }) => lastError !== null);
}

/** Warns about a list that is used although something is wrong with it. @returns a function that ends the warnings */
export function warnOfList(blocklist: Blocklist, output: Output): () => void {
  const ends = [
    blocklist.on('damaged', ({ name, error }) =>
      output.warn(
        error.code === 'SIGNATURE_UNTRUSTED'
          ? `the stored list was not signed with the given keys and will be fetched again [${error.code}]`
          : `a stored value is damaged and will be fetched again: ${name} [${error.code}]`,
      ),
    ),
    blocklist.on('mismatch', ({ source }) =>
      output.alarm(`${source}: the list lacks known entries, so a miss does not prove that an input is clear`),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function emptyList(file: string, report: TextSourceReport): UsageError {
  const what = `${file === '-' ? 'the list' : shownPlace(file)} has no usable entries`;
  const next = emptyListAdvice(report, report.format, 'set --format, or check whether the file was truncated');
  return new UsageError(what, next, { code: 'EMPTY_LIST' });
}

interface Sources {
  readonly sources: readonly Source[];
  /** Distinguishes the copies of one place from those of another. */
  readonly place: string;
  readonly remote: Remote | null;
  nameOf(source: string): string;
  readonly close?: () => Promise<void>;
}

async function sourcesOf(call: CommandCall, origin: ListOrigin, reports: Map<string, TextSourceReport>): Promise<Sources> {
  const { options } = call;
  const publicKeys = await publicKeysOf(options);
  const trust = { listName: options.text('list-name'), ...(publicKeys && (await verifierFor(publicKeys))) };
  switch (origin) {
    case 'list': {
      const files = new Map(options.all('list').map((file, at) => [`list-${at + 1}`, file]));
      const sources = [...files].map(([id, file]) => listSourceAt(call, file, id, (report) => reports.set(file, report)));
      const nameOf = (id: string): string => {
        const file = files.get(id) ?? id;
        return file === '-' ? 'standard input' : shownPlace(file);
      };
      // Files are read again for each call.
      const place = [...files.values()].some(isUrl) ? JSON.stringify([...files.values()]) : '';
      return { sources, place, remote: null, nameOf };
    }
    case 'local': {
      const service = await embedded(call);
      const baseUrl = 'http://localhost';
      const make = (fetch: FetchLike): Source => serviceSource({ baseUrl, apiKey: service.key, fetch });
      const local = remoteAt(baseUrl, service.key, make, service.fetch);
      return { ...local, place: '', nameOf: () => 'the embedded service', close: () => service.close() };
    }
    case 'relay': {
      const baseUrl = options.text('relay')!;
      return remoteAt(baseUrl, undefined, (fetch) => serviceSource({ id: 'relay', baseUrl, fetch, ...trust }));
    }
    case 'published': {
      const url = options.text('published')!;
      await requirePublishedUrl(url);
      return remoteAt(url, undefined, (fetch) => publishedSource({ url, fetch, ...trust }));
    }
    case 'service': {
      const { baseUrl, apiKey } = await apiOf(
        call,
        'name a list with --list <file>, --published <url>, --relay <url> or --url <url>, or try --local',
      );
      return remoteAt(baseUrl, apiKey, (fetch) => serviceSource({ baseUrl, ...(apiKey && { apiKey }), fetch, ...trust }));
    }
  }
}

async function verifierFor(publicKeys: readonly string[]): Promise<Pick<PublishedSourceOptions, 'publicKeys' | 'verifier'>> {
  const { ed25519 } = await import('portcullis/sources');
  return { publicKeys, verifier: ed25519 };
}

/** A URL without its query, which may hold a token. */
export function shownPlace(place: string): string {
  return isUrl(place) ? place.replace(/[?#].*/s, '') : place;
}

function remoteAt(url: string, apiKey: ApiKey | undefined, make: (fetch: FetchLike) => Source, send: FetchLike = fetch): Sources {
  let date: string | null = null;
  requireUrl(url);
  const source = make(async (address, init) => {
    const response = await send(address, init);
    date = response.headers.get('date');
    return response;
  });
  // Only the host, because the rest of the URL may hold a token.
  const host = URL.canParse(url) ? ` at ${new URL(url).host}` : '';
  const remote = { url, apiKey, source, date: () => date };
  return { sources: [source], place: url, remote, nameOf: (id) => `the ${id === 'published' ? 'published list' : id}${host}` };
}

/** @throws UsageError for a folder, because `publish` and `serve` take one */
async function requirePublishedUrl(given: string): Promise<void> {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(given)) return;
  const isFolder = await stat(given).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`--published needs a URL${notThis(given)}`, 'write it as https://host.example/path');
  const word = shownWord(given, 'folder');
  throw new UsageError(
    `--published needs a URL;${quoted(given) || ' the value'} is a folder`,
    `serve it with: portcullis serve --published ${word}`,
  );
}

/** Loads the file store only if files are kept. */
async function storeAt(directory: string | null): Promise<Store> {
  if (directory === null) return memoryStore();
  const { fileStore } = await import('portcullis/stores/file');
  return fileStore({ directory });
}
