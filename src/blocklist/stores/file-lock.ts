import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile, lockNumberOf } from './file-names.js';
import { codeOf, type FileSystem, openAside, orMissing } from './file-system.js';

/** How often a holder says that it is alive within the time after which it counts as dead. */
const beatsPerLife = 5;

/** How often a waiter looks within that time. */
const looksPerLife = 50;

const released = 'released';

export type Release = () => Promise<void>;

export interface FileLock {
  /** Waits until nobody holds the lock. `pause` waits between two looks, and throws to end the waiting. */
  acquire(pause: (delayMs: number) => Promise<void>): Promise<Release>;
}

/**
 * A lock among processes. Lock files are numbered; who makes the file after the newest, which fails if it exists, holds the lock, once
 * the newest says `released` or has stopped beating. The newest is never removed, so of two who find it dead one makes the next, and no
 * look is older than what it leads to. Who sleeps between looking and making finds newer files, and gives up.
 *
 * Whether a holder lives is told by its beat alone: a process number says nothing in a container or on a shared disk. Waiters count
 * their own looks at a beat that does not change, so no clock is compared with another, and a computer that slept took nobody's lock.
 */
export function fileLock(fs: FileSystem, directory: string, staleMs: number): FileLock {
  const beatMs = staleMs / beatsPerLife;
  const lookMs = staleMs / looksPerLife;

  async function numbers(): Promise<number[]> {
    const files = (await orMissing(fs.readdir(directory))) ?? [];
    return files.map(lockNumberOf).filter((number) => number > 0);
  }

  /** `null` where somebody else was first. */
  async function make(number: number): Promise<Release | null> {
    const token = randomBytes(16).toString('hex');
    const path = join(directory, lockFile(number));
    const { path: aside, handle } = await openAside(fs, directory);
    try {
      await say(handle, token, '0');
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
      // A beat that fails is a beat that is missed.
      last = last.then(() => say(handle, token, String(++beats))).catch(() => {});
    }, beatMs);
    timer.unref();
    return async () => {
      clearInterval(timer);
      await last;
      // If this fails, the beat has stopped, and others wait a little longer.
      await say(handle, token, released).catch(() => {});
      await handle.close().catch(() => {});
    };
  }

  return {
    async acquire(pause) {
      let seen = '';
      let unchanged = 0;
      for (;;) {
        const newest = Math.max(0, ...(await numbers()));
        // Missing, it was replaced by a newer one since.
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
    },
  };
}

/** In place and always as long as before, so that no reader meets an empty file. */
async function say(handle: FileHandle, token: string, state: string): Promise<void> {
  await handle.write(`${token} ${state.padStart(16)}\n`, 0);
}
