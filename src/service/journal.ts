import { createHash, randomInt } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PortcullisError } from '../errors.js';
import { lock, orMissing, type Release } from './lock.js';
import type { Journal } from './service.js';
import type { Edit, Snapshot, State } from './state.js';

/** Bytes of the journal past which it is folded into the base. */
const journalBytesMax = 4 * 1024 * 1024;

interface Base {
  /** The journal of another base does not follow this one. */
  readonly generation: number;
  readonly snapshot: Snapshot;
}

/**
 * The state in two files: a base, replaced as a whole, and a journal of what changed since, one line a request. A line is synced before
 * its request is answered, so what was acknowledged is there whenever the process dies; a line that was cut by that was not
 * acknowledged, and ends the journal. A third file, the lock, keeps everybody else away from the two.
 */
export function fileJournal(path: string): Journal {
  const journalPath = `${path}.journal`;
  let release: Release | undefined;
  let journal: FileHandle | undefined;
  /** Whether the journal is the base's, and ends with a whole line. If not, only a fold is safe. */
  let sound = false;
  /** Any number at first, so that the journal of a base that was moved away never follows the next one. */
  let generation = randomInt(2 ** 32);
  let bytes = 0;

  async function fold(state: State): Promise<void> {
    if (release === undefined) throw new PortcullisError('CLOSED', `the state in ${path} is closed`);
    const base: Base = { generation: generation + 1, snapshot: state.snapshot() };
    await writeSynced(`${path}.new`, lineOf(JSON.stringify(base)));
    // From here on either base may be the one that is read.
    sound = false;
    generation++;
    await rename(`${path}.new`, path);
    await syncFolder(dirname(path));
    await journal?.close();
    const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
    journal = await open(journalPath, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600);
    bytes = 0;
    await append(journal, String(generation));
    sound = true;
  }

  async function append(to: FileHandle, text: string): Promise<void> {
    const line = lineOf(text);
    try {
      await to.appendFile(line);
      await to.datasync();
    } catch (error) {
      // What is refused must not be read, and half a line would end the journal before the next one.
      await to.truncate(bytes).catch(() => {
        sound = false;
      });
      throw error;
    }
    bytes += Buffer.byteLength(line);
  }

  async function close(): Promise<void> {
    const [file, unlock] = [journal, release];
    journal = undefined;
    release = undefined;
    sound = false;
    try {
      await file?.close();
    } finally {
      await unlock?.();
    }
  }

  return {
    async read(state) {
      try {
        await mkdir(dirname(path), { recursive: true });
        release = await lock(`${path}.lock`, path);
        const base = await readBase(path);
        // Folded by the first write: a death before it leaves nothing, and the next start begins anew.
        if (base === null) return false;
        const edits = await readJournal(journalPath, base.generation);
        generation = base.generation;
        state.restore(base.snapshot);
        for (const some of edits) state.apply(some);
        await fold(state);
        return true;
      } catch (error) {
        await close().catch(() => {});
        throw told(error, path);
      }
    },
    async write(edits, state) {
      if (!sound || journal === undefined) return fold(state);
      await append(journal, JSON.stringify(edits));
      // What was appended is safe whatever becomes of the fold, which is tried again with the next write.
      if (bytes > journalBytesMax) await fold(state).catch(() => {});
    },
    fold,
    close,
  };
}

/** A line carries its own checksum, because a disk may keep the end of a cut line and lose its middle. */
function lineOf(text: string): string {
  return `${checksum(text)} ${text}\n`;
}

function payloadOf(line: string): string | null {
  const payload = line.slice(17);
  return line.slice(0, 16) === checksum(payload) ? payload : null;
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

async function readBase(path: string): Promise<Base | null> {
  const text = await readFile(path, 'utf8').catch(orMissing);
  if (text === null) return null;
  const payload = payloadOf(text.split('\n', 1)[0]!);
  if (payload === null)
    throw new PortcullisError('INVALID_ARTIFACT', `the state in ${path} is damaged; move it away to begin anew`);
  return JSON.parse(payload) as Base;
}

/** What changed since the base of this generation. */
async function readJournal(path: string, generation: number): Promise<Edit[][]> {
  const lines = ((await readFile(path, 'utf8').catch(orMissing)) ?? '').split('\n');
  const payloads = lines.map(payloadOf);
  const [header] = payloads;
  // A journal of an older base is what a death between the two writes leaves; all of it is in the base.
  if (header !== null && header !== String(generation)) return [];
  const end = payloads.indexOf(null);
  // Only the last line can have been cut by a death. What follows an earlier one was acknowledged.
  if (end !== -1 && lines.slice(end + 1).some((line) => line !== '')) {
    const what = `the state's journal in ${path} is damaged in line ${end + 1}`;
    throw new PortcullisError('INVALID_ARTIFACT', `${what}; move it away to go on without the changes in it`);
  }
  return payloads.slice(1, end === -1 ? undefined : end).map((payload) => JSON.parse(payload!) as Edit[]);
}

/** Aside, to be renamed: whoever reads finds the old file or the new one. */
async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A renamed file is there for certain once its folder is synced. Windows opens no folder, and needs none. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (process.platform !== 'win32' || !['EPERM', 'EISDIR', 'EINVAL'].includes(code)) throw error;
  } finally {
    await folder?.close();
  }
}

/** What the system refuses is told as a path that cannot be used. */
function told(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  return new PortcullisError('INVALID_INPUT', `the state cannot be kept in ${path}: ${error.message}`, { cause: error });
}
