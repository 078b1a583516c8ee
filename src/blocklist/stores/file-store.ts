import * as promises from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Filled, having, type KindsOf, optional, readOptions, text, whole } from '../../core/options/read-options.js';
import type { Store } from '../model/store.js';
import { fileHeads } from './file-heads.js';
import { fileLock } from './file-lock.js';
import { valueFile, valueNameOf } from './file-names.js';
import {
  codeOf,
  type FileSystem,
  filesIn,
  makeFolder,
  orMissing,
  readBytes,
  removeLeftovers,
  replace,
  syncFolder,
  writeAside,
} from './file-system.js';
import { headWatch } from './head-watch.js';
import { inTurnByName } from './in-turn-by-name.js';
import { makeStore } from './make-store.js';
import { sharedLock } from './shared-lock.js';
import { storeFailure } from './store-failure.js';
import { lifecycle } from './store-lifecycle.js';
import { listenersOf } from './store-listeners.js';

/** Options of `fileStore`. */
export interface FileStoreOptions {
  /** A folder for this store alone, created if it does not exist. Processes that use the same folder share the store. */
  readonly directory: string;
  /** Replaces the file system, for tests of failures. @default node:fs/promises */
  readonly fileSystem?: FileSystem;
  /**
   * Time without a sign of life after which the holder of the lock counts as dead, in milliseconds: 500 to 600,000. @default 10_000
   */
  readonly lockStaleMs?: number;
  /** Polling interval for commits of other processes, in milliseconds: 20 to 3,600,000. @default 2_000 */
  readonly watchPollMs?: number;
}

export const fileStoreKinds = (): KindsOf<Filled<FileStoreOptions>> => ({
  directory: text('the path of a folder', /./s),
  fileSystem: optional(having<FileSystem>('a replacement of node:fs/promises', 'open', 'rename'), promises),
  lockStaleMs: optional(whole(500, 600_000), 10_000),
  watchPollMs: optional(whole(20, 3_600_000), 2_000),
});

/**
 * Keeps lists in a folder, readable only by the user of this process. A value is written to a temporary file, synced and renamed; a
 * head is linked to the number after the newest, which fails if another process was first. If a process dies, the old value or the
 * new one is there. The file system must support hard links: FAT does not.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function fileStore(options: FileStoreOptions): Store {
  const settings = readOptions('fileStore', fileStoreKinds(), options);
  const { fileSystem: fs, lockStaleMs, watchPollMs } = settings;
  // Stays the same if the process changes its working directory.
  const directory = resolve(settings.directory);
  const pathOf = (name: string): string => join(directory, valueFile(name));
  const heads = fileHeads(fs, directory);
  const serially = inTurnByName();
  const listeners = listenersOf((count) => (count > 0 ? watch.start() : watch.stop()));
  const watch = headWatch(heads.newest, watchPollMs, (name) => listeners.notify(name));
  const life = lifecycle(
    () =>
      failing('cannot be opened', async () => {
        // A folder that can only be read still provides its lists.
        await makeFolder(fs, directory);
        await removeLeftovers(fs, directory);
      }),
    async () => listeners.clear(),
  );

  return makeStore({
    isAtomic: true,
    life,
    listeners,
    lock: sharedLock(fileLock(fs, directory, lockStaleMs), life),
    read: (name) => failing('cannot be read', () => readBytes(fs, pathOf(name))),
    write: (name, bytes) =>
      serially(`value ${name}`, () =>
        failing('cannot be written', async () => {
          await writeAside(fs, directory, bytes, (aside) => replace(fs, aside, pathOf(name)));
          await syncFolder(fs, directory);
        }),
      ),
    remove: (name) =>
      serially(`value ${name}`, () =>
        failing('cannot be written', async () => {
          if ((await orMissing(fs.unlink(pathOf(name)))) !== null) await syncFolder(fs, directory);
        }),
      ),
    list: (prefix) =>
      failing('cannot be read', async () =>
        (await filesIn(fs, directory)).map(valueNameOf).filter((name): name is string => name?.startsWith(prefix) ?? false),
      ),
    heads: (name) => failing('cannot be read', () => heads.read(name)),
    async commit(name, bytes, expectedSequence) {
      const commit = (): Promise<boolean> => failing('cannot be written', () => heads.commit(name, bytes, expectedSequence));
      const isFirst = await serially(`head ${name}`, commit);
      if (isFirst) watch.saw(name, expectedSequence + 1);
      return isFirst;
    },
  });
}

async function failing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw storeFailure(cause, `the folder of the store ${what} (${codeOf(cause)})`);
  }
}
