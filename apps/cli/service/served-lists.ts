import { stat } from 'node:fs/promises';
import { isPortcullisError } from 'portcullis';
import type { BuiltList } from 'portcullis/publish';
import type { CommandCall } from '../command.js';
import { errorText } from '../errors/error-text.js';
import { UsageError } from '../errors/usage.js';
import { accountText } from '../lists/account-text.js';
import { sharedHostsFor, suffixesFor } from '../lists/allowed-shared.js';
import { isUrl } from '../lists/list-options.js';
import { withTexts } from '../lists/list-texts.js';
import { packageListAt } from '../lists/package-list.js';
import { emptyListAdvice, formatFor, refusedText } from '../lists/refusal-text.js';
import { countText } from '../terminal/unit-text.js';
import { answerFiles } from './published-folder.js';
import { type Served, serveFolder, type Where } from './serving.js';

/** Publishes lists in memory, serves them as a static host would, and reads them again when they change. */
export async function serveLists(call: CommandCall, everyMs: number, where: Where): Promise<Served> {
  const { options, output, signal } = call;
  const places = options.all('list');
  if (places.includes('-')) throw new UsageError('--list - can be read only once', 'save the list in a file');
  let state = await stateOf(places);
  let list = await built(call, places, undefined);
  if (list.report.listed === 0) {
    const next = emptyListAdvice(list.report, formatFor(list.report.formats), 'set --format, or check the files');
    throw new UsageError('the lists have no usable entries', next, { code: 'EMPTY_LIST' });
  }
  let files = new Map([...list.files].map(({ name, bytes }) => [name, bytes]));
  /** Of the list before, which clients may still be reading. */
  let older: ReadonlyMap<string, Uint8Array> = new Map();
  const report = (): void => {
    for (const { source, format } of list.report.formats) output.note(`${source ?? 'the list'}: read as ${format}`);
    const { formats, listed, accounts } = list.report;
    const refused = refusedText(list.report, formatFor(formats));
    const parts = [`${countText(listed, 'entry')} served`, accountText(accounts), refused];
    output.note(parts.filter((part) => part !== null).join('; '));
  };
  report();
  const refresh = async (): Promise<void> => {
    const now = await stateOf(places);
    if (now !== null && now === state) return;
    const next = await built(call, places, list);
    // A truncated file or an error page must not take the protection away.
    if (next.report.listed * 2 < list.report.listed) {
      output.alarm(`the lists shrank from ${list.report.listed} to ${next.report.listed} entries; still serving the old ones`);
      return;
    }
    state = now;
    if (next.version.sequence === list.version.sequence) return;
    list = next;
    older = files;
    files = new Map([...list.files].map(({ name, bytes }) => [name, bytes]));
    report();
  };
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    refresh()
      .catch((error: unknown) => {
        if (signal.aborted) return;
        const what = isPortcullisError(error) ? `${errorText(error)} [${error.code}]` : String(error);
        output.alarm(`the lists could not be read again; still serving the old ones: ${what}`);
      })
      .finally(() => {
        isRunning = false;
      });
  }, everyMs);
  try {
    const served = await serveFolder(
      (request) => answerFiles(async (name) => files.get(name) ?? older.get(name) ?? null, request),
      where,
    );
    return {
      ...served,
      close: (closing) => {
        clearInterval(timer);
        return served.close(closing);
      },
    };
  } catch (error) {
    clearInterval(timer);
    throw error;
  }
}

async function built(call: CommandCall, places: readonly string[], previous: BuiltList | undefined): Promise<BuiltList> {
  const { buildList } = await import('portcullis/publish');
  const { isPublicSuffix } = await import('../../shared/public-suffix.js');
  const rules = { sharedHosts: sharedHostsFor(call), isPublicSuffix: suffixesFor(call, isPublicSuffix) };
  return withTexts(call, places, (texts) => buildList(texts, { ...rules, previous, signal: call.signal }));
}

/** Changes when a list does; `null` if a host sends no headers that show it. */
async function stateOf(places: readonly string[]): Promise<string | null> {
  const states = await Promise.all(
    places.map((place) => (isUrl(place) ? stateOfUrl(place) : stateOfFile(packageListAt(place)?.file ?? place))),
  );
  return states.includes(null) ? null : JSON.stringify(states);
}

async function stateOfFile(file: string): Promise<string | null> {
  const stats = await stat(file).catch(() => null);
  return stats === null ? null : `${stats.mtimeMs} ${stats.size}`;
}

async function stateOfUrl(url: string): Promise<string | null> {
  try {
    const { ok, headers } = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(headTimeoutMs) });
    const marks = [headers.get('etag'), headers.get('last-modified'), headers.get('content-length')];
    return ok && (marks[0] !== null || marks[1] !== null) ? JSON.stringify(marks) : null;
  } catch {
    return null;
  }
}

/** As long as a source waits for an answer that is not a file. */
const headTimeoutMs = 10_000;
