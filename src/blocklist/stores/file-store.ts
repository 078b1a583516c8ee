import * as promises from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortedBy, isPortcullisError, refuse, requireString, throwIfAborted } from '../../core/errors.js';
import type { Store, StoreHead } from '../store.js';
import { fileLock, type Release } from './file-lock.js';
import { headFile, headOf, valueFile, valueNameOf } from './file-names.js';
import {
  codeOf,
  type FileSystem,
  makeFolder,
  orMissing,
  removeLeftovers,
  replace,
  syncFolder,
  writeAside,
} from './file-system.js';
import { inOrder, localLock } from './in-order.js';
import { copied, requireName, requireSequence, requireWithin } from './store-arguments.js';
import { storeFailure } from './store-failure.js';
import { closed, lifecycle } from './store-lifecycle.js';
import { listenersOf } from './store-listeners.js';

/** Which folder, and how processes share it. */
export interface FileStoreOptions {
  /** A folder of its own, made where there is none. Processes that give the same one share the store. */
  readonly directory: string;
  /** What reads and writes, for tests that make it fail. @default node:fs/promises */
  readonly fileSystem?: FileSystem;
  /** A holder of the lock who gives no sign for so long has died, in milliseconds, from 500 to 600,000. @default 10_000 */
  readonly lockStaleMs?: number;
  /** Time between two looks for commits of other processes, in milliseconds, from 20 to 3,600,000. @default 2_000 */
  readonly watchPollMs?: number;
}

/** Heads given. */
const headsGiven = 2;

/**
 * Heads left in the folder. Who was held up between looking and linking may find his number free because it was removed again; he then
 * sees the newest so far ahead, and has lost. Few enough to list, and more than others can commit, each with two syncs, between the
 * link of a winner and his look. Eight were too few for three processes on two busy cores.
 */
const headsKept = 32;

/** Heads that vanish while they are read were replaced by newer ones. */
const maxHeadReads = 10;

/**
 * Keeps lists in a folder, for one user of the machine. A value is written aside, synced and renamed; a head is linked to the number
 * after the newest, which fails if somebody else was first. Where a process dies, the value before or the new one is there.
 * The file system must know hard links: FAT does not.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function fileStore(options: FileStoreOptions): Store {
  const { fileSystem: fs = promises, lockStaleMs = 10_000, watchPollMs = 2_000 } = options;
  requireString(options.directory, 'directory');
  if (options.directory === '') refuse('directory is the path of a folder');
  requireWithin('lockStaleMs', lockStaleMs, 500, 600_000);
  requireWithin('watchPollMs', watchPollMs, 20, 3_600_000);
  // Whatever folder the process works in later.
  const directory = resolve(options.directory);
  const pathOf = (file: string): string => join(directory, file);
  const serially = inOrder();
  const listeners = listenersOf((count) => (count > 0 ? poll() : stopPolling()));
  const life = lifecycle(
    () =>
      told('cannot be opened', async () => {
        // A folder that can only be read still gives its lists.
        await makeFolder(fs, directory);
        await removeLeftovers(fs, directory);
      }),
    async () => listeners.clear(),
  );
  const turn = localLock(life);
  const processes = fileLock(fs, directory, lockStaleMs);

  async function told<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw storeFailure(cause, `the folder of the store ${what} (${codeOf(cause)})`);
    }
  }

  async function files(): Promise<string[]> {
    return (await orMissing(fs.readdir(directory))) ?? [];
  }

  /** The newest first. */
  async function sequencesOf(name: string): Promise<number[]> {
    const sequences: number[] = [];
    for (const file of await files()) {
      const head = headOf(file);
      if (head?.name === name) sequences.push(head.sequence);
    }
    return sequences.sort((a, b) => b - a);
  }

  async function readBytes(file: string): Promise<Uint8Array | null> {
    const bytes = await orMissing(fs.readFile(pathOf(file)));
    if (bytes === null) return null;
    // A small file may share its buffer with others.
    if (bytes.length < bytes.buffer.byteLength) return new Uint8Array(bytes);
    return new Uint8Array(bytes.buffer, 0, bytes.length);
  }

  async function readHeads(name: string): Promise<StoreHead[]> {
    for (let reads = 1; ; reads++) {
      const heads: StoreHead[] = [];
      const sequences = (await sequencesOf(name)).slice(0, headsGiven);
      for (const sequence of sequences) {
        const bytes = await readBytes(headFile(name, sequence));
        if (bytes !== null) heads.push({ sequence, bytes });
      }
      if (heads.length === sequences.length || reads === maxHeadReads) return heads;
    }
  }

  async function commit(name: string, bytes: Uint8Array, expectedSequence: number): Promise<boolean> {
    const newest = (await sequencesOf(name))[0] ?? 0;
    if (newest !== expectedSequence) return false;
    const sequence = expectedSequence + 1;
    const path = pathOf(headFile(name, sequence));
    try {
      await writeAside(fs, directory, bytes, (aside) => fs.link(aside, path).finally(() => fs.unlink(aside).catch(() => {})));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
    // At once, before the sync, which takes long: see `headsKept`.
    const sequences = await sequencesOf(name);
    if (sequences[0]! >= sequence + headsKept) {
      await fs.unlink(path).catch(() => {});
      return false;
    }
    await syncFolder(fs, directory);
    for (const old of sequences.slice(headsKept)) await fs.unlink(pathOf(headFile(name, old))).catch(() => {});
    return true;
  }

  let timer: NodeJS.Timeout | undefined;
  /** The newest sequence of each name when it was looked last. */
  let known = new Map<string, number>();

  function poll(): void {
    if (timer !== undefined) return;
    // So the first look tells every name: what was committed since its listener read it is not missed.
    known = new Map();
    let looking = false;
    const look = async (): Promise<void> => {
      if (looking) return;
      looking = true;
      // A folder that cannot be read now is looked at again later.
      const newest = await newestOfAll().catch(() => known);
      looking = false;
      for (const [name, sequence] of newest) if (known.get(name) !== sequence) listeners.tell(name);
      known = newest;
    };
    timer = setInterval(look, watchPollMs);
    timer.unref();
    void look();
  }

  function stopPolling(): void {
    clearInterval(timer);
    timer = undefined;
  }

  async function newestOfAll(): Promise<Map<string, number>> {
    const newest = new Map<string, number>();
    for (const file of await files()) {
      const head = headOf(file);
      if (head !== null && head.sequence > (newest.get(head.name) ?? 0)) newest.set(head.name, head.sequence);
    }
    return newest;
  }

  return {
    atomic: true,
    open: life.open,
    close: life.close,
    watch(listener) {
      life.requireOpen();
      return listeners.add(listener);
    },
    /**
     * A folder that cannot be written, full or read-only, has no lock: nobody else can commit there either, and a list that is fetched
     * serves this process.
     */
    lock: (run, signal) =>
      turn(async () => {
        const ended = new AbortController();
        const abort = (): void => ended.abort();
        const stay = life.atClose(abort);
        signal?.addEventListener('abort', abort);
        let release: Release | undefined;
        try {
          release = await processes.acquire(async (delayMs) => {
            await sleep(delayMs, undefined, { signal: ended.signal }).catch(() => {});
            throwIfAborted(signal);
            if (ended.signal.aborted) throw closed();
          });
        } catch (error) {
          if (isPortcullisError(error)) throw error;
        } finally {
          stay();
          signal?.removeEventListener('abort', abort);
        }
        try {
          if (signal?.aborted) throw abortedBy(signal);
          return await run();
        } finally {
          await release?.();
        }
      }, signal),
    async read(name) {
      requireName(name);
      return life.during(() => told('cannot be read', () => readBytes(valueFile(name))));
    },
    async write(name, bytes) {
      requireName(name);
      const copy = copied(bytes);
      const write = async (): Promise<void> => {
        await writeAside(fs, directory, copy, (aside) => replace(fs, aside, pathOf(valueFile(name))));
        await syncFolder(fs, directory);
      };
      await life.during(() => serially(`value ${name}`, () => told('cannot be written', write)));
    },
    async remove(name) {
      requireName(name);
      const remove = async (): Promise<void> => {
        if ((await orMissing(fs.unlink(pathOf(valueFile(name))))) !== null) await syncFolder(fs, directory);
      };
      await life.during(() => serially(`value ${name}`, () => told('cannot be written', remove)));
    },
    async list(prefix) {
      requireString(prefix, 'prefix');
      return life.during(() =>
        told('cannot be read', async () =>
          (await files()).map(valueNameOf).filter((name): name is string => name?.startsWith(prefix) ?? false),
        ),
      );
    },
    async heads(name) {
      requireName(name);
      return life.during(() => told('cannot be read', () => readHeads(name)));
    },
    async commit(name, bytes, expectedSequence) {
      requireName(name);
      requireSequence(expectedSequence);
      const copy = copied(bytes);
      return life.during(async () => {
        const isFirst = await serially(`head ${name}`, () =>
          told('cannot be written', () => commit(name, copy, expectedSequence)),
        );
        if (isFirst) {
          known.set(name, expectedSequence + 1);
          listeners.tell(name);
        }
        return isFirst;
      });
    },
  };
}
