import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeRecord, type RecordKind } from '../formats/record.js';
import { fileStore } from '../stores/file.js';
import type { OpenList } from './list.js';

/** A folder with copies of lists. */
export interface Folder {
  readonly exists: boolean;
  readonly files: number;
  readonly bytes: number;
}

export async function folderOf(directory: string): Promise<Folder> {
  let files: string[];
  try {
    files = await readdir(directory);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    return { exists: false, files: 0, bytes: 0 };
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

/** Names of stored values that are not what was written. */
export async function damagedIn(directory: string): Promise<string[]> {
  const store = fileStore({ directory });
  await store.open();
  try {
    const damaged: string[] = [];
    for (const name of await store.list('')) {
      const bytes = await store.read(name);
      if (bytes !== null && !isWhole(name, bytes)) damaged.push(name);
    }
    return damaged;
  } finally {
    await store.close();
  }
}

function isWhole(name: string, bytes: Uint8Array): boolean {
  const kind = kindOf(name);
  if (kind === undefined) return true;
  try {
    decodeRecord(kind, bytes);
    return true;
  } catch {
    return false;
  }
}

/** By its name (docs/formats.md §7); `undefined` for what a newer version keeps. */
function kindOf(name: string): RecordKind | undefined {
  if (name === 'overrides') return 'overrides';
  const [, , kind] = /^([^/]+)\/(base|recent|confirmed|retry)(\/|$)/.exec(name) ?? [];
  if (kind === 'base' || kind === 'recent') return 'set';
  return kind as RecordKind | undefined;
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

export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
