import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile, lockNumberOf } from './file-names.js';
import { codeOf, type FileSystem, openAside, orMissing } from './file-system.js';
import type { Acquire, Release } from './shared-lock.js';

/** Heartbeats of a holder within `staleMs`. */
const beatsPerLife = 5;

/** Polls of a waiter within `staleMs`. */
const looksPerLife = 50;

const released = 'released';

/**
 * A lock between processes. Lock files are numbered. A process that creates the file after the newest one, which fails if that file
 * exists, holds the lock; it may do so once the newest file says `released` or its heartbeat has stopped. The newest file is never
 * removed, so of two processes that find it dead only one creates the next. A process that slept between reading and creating finds
 * newer files, and gives up.
 *
 * Only the heartbeat tells whether a holder is alive: a process id means nothing in a container or on a shared disk. Waiters count
 * how often they see an unchanged heartbeat, so clocks are never compared, and a computer that slept takes no lock away.
 */
export function fileLock(fs: FileSystem, directory: string, staleMs: number): Acquire {
  const beatMs = staleMs / beatsPerLife;
  const lookMs = staleMs / looksPerLife;

  async function numbers(): Promise<number[]> {
    const files = (await orMissing(fs.readdir(directory))) ?? [];
    return files.map(lockNumberOf).filter((number) => number > 0);
  }

  /** `null` if another process was first. */
  async function make(number: number): Promise<Release | null> {
    const token = randomBytes(16).toString('hex');
    const path = join(directory, lockFile(number));
    const { path: aside, handle } = await openAside(fs, directory);
    try {
      await writeState(handle, token, '0');
      await fs.link(aside, path);
    } catch (error) {
      await handle.close().catch(() => {});
      if (codeOf(error) === 'EEXIST') return null;
      throw error;
    } finally {
      await fs.unlink(aside).catch(() => {});
    }
    const all = await numbers().catch(() => [number]);
    if (all.some((other) => other > number)) {
      await handle.close().catch(() => {});
      await fs.unlink(path).catch(() => {});
      return null;
    }
    for (const old of all) if (old < number) await fs.unlink(join(directory, lockFile(old))).catch(() => {});
    return beating(handle, token);
  }

  function beating(handle: FileHandle, token: string): Release {
    let beats = 0;
    let last: Promise<unknown> = Promise.resolve();
    const timer = setInterval(() => {
      // A failed heartbeat counts as a missed one.
      last = last.then(() => writeState(handle, token, String(++beats))).catch(() => {});
    }, beatMs);
    timer.unref();
    return async () => {
      clearInterval(timer);
      await last;
      // If this fails, the heartbeat has stopped anyway, and others wait a little longer.
      await writeState(handle, token, released).catch(() => {});
      await handle.close().catch(() => {});
    };
  }

  return async (pause) => {
    let seen = '';
    let unchanged = 0;
    for (;;) {
      const newest = Math.max(0, ...(await numbers()));
      // If it is missing, a newer one has replaced it.
      const text = newest === 0 ? released : await orMissing(fs.readFile(join(directory, lockFile(newest)), 'latin1'));
      const look = `${newest} ${text}`;
      unchanged = look === seen ? unchanged + 1 : 0;
      seen = look;
      if (text?.includes(released) || unchanged >= looksPerLife) {
        const release = await make(newest + 1);
        if (release !== null) return release;
        unchanged = 0;
      }
      await pause(lookMs);
    }
  };
}

/** Writes in place and with the same length, so that no reader finds an empty file. */
async function writeState(handle: FileHandle, token: string, state: string): Promise<void> {
  await handle.write(`${token} ${state.padStart(16)}\n`, 0);
}
