import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decodeJsonRecord, decodeRecord, type RecordKind } from '../../../blocklist/formats/record.js';
import type { Store } from '../../../blocklist/store.js';
import { headOf } from '../../../blocklist/stores/file-names.js';
import { fileStore } from '../../../blocklist/stores/file-store.js';
import { exitCodes } from '../errors/exit.js';
import { UsageError } from '../errors/usage.js';
import type { OpenList } from './open-list.js';

/** A folder with copies of lists. */
export interface Folder {
  readonly exists: boolean;
  readonly files: number;
  readonly bytes: number;
}

/** @throws UsageError where something else is there, or this user may not look */
export async function folderOf(directory: string): Promise<Folder> {
  let files: string[];
  try {
    files = await readdir(directory);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { exists: false, files: 0, bytes: 0 };
    if (code === undefined) throw cause;
    throw new UsageError(
      code === 'ENOTDIR' ? `${directory} is no folder` : `${directory} cannot be read`,
      'name another folder with --store, or let this user read it',
      { code, exitCode: exitCodes.unexpected },
    );
  }
  let bytes = 0;
  for (const file of files) bytes += await sizeOf(join(directory, file));
  return { exists: true, files: files.length, bytes };
}

/** Another process may have replaced it since. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}

/** Reads what is stored, and asks nobody. @returns the names of what is damaged */
export async function loadStored({ blocklist }: OpenList): Promise<string[]> {
  const damaged: string[] = [];
  const end = blocklist.on('damaged', ({ name }) => damaged.push(name));
  // No input, so no round and no question: it waits for the store alone.
  await blocklist.checkMany([]);
  end();
  return damaged;
}

/** Names of stored values that are not what was written. Of sets only those count that the newest list is of: the others go with time. */
export async function damagedIn(directory: string): Promise<string[]> {
  const store = fileStore({ directory });
  await store.open();
  try {
    const damaged: string[] = [];
    for (const name of await headNamesIn(directory)) damaged.push(...(await damagedOf(name, store)));
    return damaged;
  } finally {
    await store.close();
  }
}

/** Of one head, and of what belongs to it. */
async function damagedOf(name: string, store: Store): Promise<string[]> {
  const [newest] = await store.heads(name);
  // Another process has just replaced it.
  if (newest === undefined) return [];
  const source = /^(.+)\/head$/.exec(name)?.[1];
  if (source === undefined) return isWhole('overrides', newest.bytes) ? [] : [name];
  const sets = setNamesOf(newest.bytes);
  const damaged = sets === null ? [name] : [];
  for (const set of sets ?? []) {
    const bytes = await store.read(set);
    if (bytes === null || !isWhole('set', bytes)) damaged.push(set);
  }
  for (const kind of ['confirmed', 'retry'] as const) {
    const bytes = await store.read(`${source}/${kind}`);
    if (bytes !== null && !isWhole(kind, bytes)) damaged.push(`${source}/${kind}`);
  }
  return damaged;
}

/** The heads this version knows, by name (docs/formats.md §7); a newer one may keep others. */
async function headNamesIn(directory: string): Promise<Set<string>> {
  const names = (await readdir(directory)).map((file) => headOf(file)?.name);
  return new Set(names.filter((name) => name !== undefined && /^overrides$|\/head$/.test(name)) as string[]);
}

/** Of the sets a head names; `null` where it is damaged. */
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

function isWhole(kind: RecordKind, bytes: Uint8Array): boolean {
  try {
    decodeRecord(kind, bytes);
    return true;
  } catch {
    return false;
  }
}

/** Writes, reads back and removes. Rejects where that fails. */
export async function tryWriting(directory: string): Promise<void> {
  const store = fileStore({ directory });
  await store.open();
  try {
    await store.write(probe, Uint8Array.of(1));
    await store.read(probe);
    await store.remove(probe);
  } finally {
    await store.close();
  }
}

const probe = 'doctor';

/** Whether a folder that is not there yet could be made: this user may write to the nearest one above it. */
export async function canBeMade(directory: string): Promise<boolean> {
  for (let above = dirname(directory); ; above = dirname(above)) {
    try {
      await access(above, constants.W_OK | constants.X_OK);
      return (await stat(above)).isDirectory();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT' || above === dirname(above)) return false;
    }
  }
}

export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
