import { createHash } from 'node:crypto';
import * as promises from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileLock } from '../../../blocklist/stores/file-lock.js';
import {
  type FileSystem,
  makeFolder,
  orMissing,
  removeLeftovers,
  replace,
  syncFolder,
  writeAside,
} from '../../../blocklist/stores/file-system.js';
import type { Release } from '../../../blocklist/stores/shared-lock.js';
import { isPortcullisError, PortcullisError } from '../../../core/errors.js';
import type { Storage } from './commits.js';
import type { State } from './state.js';
import type { Snapshot } from './state-tables.js';

/**
 * Every write contains the whole state. 64 MiB take about a second to write, and hold ten of the largest uploads (decision 0023).
 */
const defaultMaxBytes = 64 * 1024 * 1024;

/** A lock holder without a heartbeat for this long counts as dead. */
const defaultLockStaleMs = 2_000;

/** The first line of a file: the format, then the SHA-256 of the rest. */
const headerPattern = /^portcullis-service-2 [0-9a-f]{64}\n$/;
const headerBytes = 'portcullis-service-2 '.length + 64 + 1;

/** For tests. */
export interface StateFileOptions {
  readonly maxBytes?: number;
  readonly lockStaleMs?: number;
  readonly fileSystem?: FileSystem;
}

/**
 * The whole state in one file. A write puts a new file beside it, syncs it and renames it over the old one, so a process that dies
 * at any point leaves the old state or the new one (decision 0023). A folder beside the file holds the lock and the unfinished
 * files.
 */
export function stateFile(path: string, options: StateFileOptions = {}): Storage {
  const { maxBytes = defaultMaxBytes, lockStaleMs = defaultLockStaleMs, fileSystem: fs = promises } = options;
  const lockFolder = `${path}.lock`;
  let release: Release | undefined;
  /** The header that this process read or wrote last; empty before the first write. */
  let header = '';

  /** @throws PortcullisError `CONFLICT` while another process holds the lock */
  function lock(): Promise<Release> {
    let waitedMs = 0;
    return fileLock(
      fs,
      lockFolder,
      lockStaleMs,
    )(async (delayMs) => {
      waitedMs += delayMs;
      // A dead holder would have been replaced by this time.
      if (waitedMs > 1.5 * lockStaleMs) {
        throw new PortcullisError('CONFLICT', `another process uses the state in ${path}; stop it or use another file`);
      }
      await sleep(delayMs);
    });
  }

  /** A process that was suspended for long can lose its lock, and must not overwrite what the next holder stored. */
  async function requireUnchanged(): Promise<void> {
    const file = await orMissing(fs.open(path, 'r'));
    if (file === null) return;
    try {
      const { buffer } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
      if (headerIn(buffer) === header) return;
      throw new PortcullisError('CONFLICT', `the state in ${path} was changed by another process; restart the service`);
    } finally {
      await file.close();
    }
  }

  async function close(): Promise<void> {
    const held = release;
    release = undefined;
    await held?.();
  }

  return {
    async read(state) {
      try {
        await makeFolder(fs, dirname(path));
        await makeFolder(fs, lockFolder);
        release = await lock();
        await removeLeftovers(fs, lockFolder);
        const bytes = await orMissing(fs.readFile(path));
        if (bytes === null) return false;
        restore(state, bytes, path);
        header = headerIn(bytes);
        return true;
      } catch (error) {
        await close();
        throw readable(error, path);
      }
    },
    async write(state) {
      const bytes = stateBytes(state);
      if (bytes.length > maxBytes) {
        throw new PortcullisError('LIMIT_EXCEEDED', `the state would exceed ${maxBytes} bytes; reset the service`);
      }
      try {
        await requireUnchanged();
        await writeAside(fs, lockFolder, bytes, async (aside) => {
          await replace(fs, aside, path);
          header = headerIn(bytes);
        });
        await syncFolder(fs, dirname(path));
      } catch (error) {
        throw readable(error, path);
      }
    },
    close,
  };
}

function stateBytes(state: State): Buffer {
  const text = Buffer.from(JSON.stringify(state));
  return Buffer.concat([Buffer.from(headerOf(text)), text]);
}

function headerIn(file: Buffer): string {
  return file.toString('latin1', 0, headerBytes);
}

function headerOf(text: Uint8Array): string {
  return `portcullis-service-2 ${createHash('sha256').update(text).digest('hex')}\n`;
}

function restore(state: State, bytes: Buffer, path: string): void {
  const header = headerIn(bytes);
  if (!headerPattern.test(header)) refuse(`${path} is not a state file of this version; move it away to start with a new state`);
  const text = bytes.subarray(headerBytes);
  if (headerOf(text) !== header)
    refuse(`the state in ${path} is damaged; restore a copy, or move it away to start with a new state`);
  try {
    state.restore(JSON.parse(text.toString()) as Snapshot);
  } catch (cause) {
    refuse(`the state in ${path} is invalid; restore a copy, or move it away to start with a new state`, cause);
  }
}

function refuse(message: string, cause?: unknown): never {
  throw new PortcullisError('INVALID_ARTIFACT', message, { cause });
}

function readable(error: unknown, path: string): unknown {
  if (isPortcullisError(error) || !(error instanceof Error)) return error;
  return new PortcullisError('INVALID_INPUT', `the state cannot be kept in ${path}: ${error.message}`, { cause: error });
}
