import { readdir } from 'node:fs/promises';
import { hasCode, requireObject } from '../../core/errors.js';
import { runNow } from '../../core/slices.js';
import { decodeJsonRecord, decodeRecord, readSetRecord } from '../formats/record.js';
import type { Store } from '../model/store.js';
import { headOf } from './file-names.js';
import { type FileStoreOptions, fileStore } from './file-store.js';

/**
 * Reads every stored value that the current lists in a folder consist of, and gives the names of the damaged ones. It repairs nothing:
 * the next sync does. Values that no current list refers to are not read.
 *
 * @throws PortcullisError `INVALID_INPUT`; `STORE_UNAVAILABLE` when the folder cannot be read
 */
export async function findDamagedValues(options: Pick<FileStoreOptions, 'directory'>): Promise<string[]> {
  requireObject(options, 'options');
  const { directory } = options;
  const store = fileStore({ directory });
  await store.open();
  try {
    // A newer version may keep other heads (docs/formats.md §7).
    const names = (await readdir(directory)).map((file) => headOf(file)?.name ?? '');
    const damaged: string[] = [];
    for (const name of new Set(names)) if (/^overrides$|\/head$/.test(name)) damaged.push(...(await damagedOf(name, store)));
    return damaged;
  } finally {
    await store.close();
  }
}

/** What is damaged of a head and of the values that belong to it. */
async function damagedOf(name: string, store: Store): Promise<string[]> {
  const [newest] = await store.heads(name);
  // Another process has just replaced it.
  if (newest === undefined) return [];
  const source = /^(.+)\/head$/.exec(name)?.[1];
  if (source === undefined) return isWhole(() => decodeRecord('overrides', newest.bytes)) ? [] : [name];
  const sets = setNamesOf(newest.bytes);
  const damaged = sets === null ? [name] : [];
  for (const set of sets ?? []) {
    const bytes = await readFrom(store, set);
    if (bytes === null || !isWhole(() => runNow(readSetRecord(bytes)))) damaged.push(set);
  }
  for (const kind of ['confirmed', 'retry'] as const) {
    const bytes = await readFrom(store, `${source}/${kind}`);
    if (bytes !== null && !isWhole(() => decodeRecord(kind, bytes))) damaged.push(`${source}/${kind}`);
  }
  return damaged;
}

/** An unreadable file is empty here, which no value is. */
async function readFrom(store: Store, name: string): Promise<Uint8Array | null> {
  return store.read(name).catch((error: unknown) => {
    if (hasCode(error, 'INVALID_ARTIFACT')) return new Uint8Array();
    throw error;
  });
}

/** The names of the sets that a head refers to; `null` when the head is damaged. */
function setNamesOf(head: Uint8Array): string[] | null {
  try {
    const { sets } = Object(decodeJsonRecord('head', head)) as { sets?: unknown };
    return Object.values(Object(sets)).flatMap((set) => {
      const { name } = Object(set) as { name?: unknown };
      return typeof name === 'string' ? [name] : [];
    });
  } catch {
    return null;
  }
}

function isWhole(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
