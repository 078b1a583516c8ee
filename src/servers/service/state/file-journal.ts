import { createHash, randomInt } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PortcullisError } from '../../../core/errors.js';
import type { Journal } from '../service.js';
import { lock, orMissing, type Release } from './journal-lock.js';
import type { State } from './state.js';
import { type Line, readBase, Sizes, textsOfBase } from './state-base.js';
import { type JournalHeader, readChanges, textOfChanges } from './state-changes.js';

/**
 * Characters of all records as JSON. All of it is in memory, a snapshot is a second copy, and written as one JSON text that must be
 * shorter than the longest text of an engine, which is twice as much.
 */
const lengthMax = 256 * 1024 * 1024;

/** Bytes of a journal that is not folded yet; one of a larger base may become as large as that, so that all is rewritten seldom. */
const journalBytesMin = 4 * 1024 * 1024;

/** How often larger than that a journal may become while its fold fails; from then on writes fail with the reason. */
const overdueMax = 4;

/** Bytes read or written at once. */
const chunkBytes = 1024 * 1024;

/**
 * The state in two files: a base, replaced as a whole, and a journal of what changed since, one line a request. A line is synced before
 * its request is answered, so what was acknowledged is there whenever the process dies; a line that was cut by that was not
 * acknowledged, and ends the journal. From the first start on both are always there: a new one takes the place of the old one by its
 * name. A third file, the lock, keeps everybody else away from the two.
 */
export function fileJournal(path: string, limits: { readonly lengthMax?: number } = {}): Journal {
  const journalPath = `${path}.journal`;
  let release: Release | undefined;
  let journal: FileHandle | undefined;
  /** Whether the journal is the base's, and ends with a whole line. If not, only a fold is safe. */
  let sound = false;
  /** Whether there is a base. */
  let begun = false;
  /** Any number at first, so that the journal of one file is never taken for that of another. */
  let generation = randomInt(2 ** 32);
  /** The oldest journal that may lie beside the base. */
  let since = generation;
  let sizes = new Sizes();
  let bytes = 0;
  let baseBytes = 0;
  /** Bytes of the journal past which the next fold is tried. */
  let foldFrom = 0;

  async function fold(state: State): Promise<void> {
    if (release === undefined) throw new PortcullisError('CLOSED', `the state in ${path} is closed`);
    const counted = new Sizes();
    if (!begun) since = generation + 1;
    const written = await writeSynced(`${path}.new`, textsOfBase(state, { generation: generation + 1, since }, counted), () =>
      requireRoom(counted, sizes.total),
    );
    // From here on either base may be the one that is read.
    sound = false;
    generation++;
    // The first journal comes before its base: a base without one has lost it.
    if (!begun) await replaceJournal(true);
    await rename(`${path}.new`, path);
    await syncFolder(dirname(path));
    if (begun) await replaceJournal(false);
    begun = true;
    [sizes, baseBytes] = [counted, written];
    foldFrom = journalMax();
    sound = true;
  }

  /** A journal without changes, for the base of this generation. */
  async function replaceJournal(first: boolean): Promise<void> {
    const header: JournalHeader = { generation, first };
    bytes = await writeSynced(`${journalPath}.new`, [JSON.stringify(header)]);
    await journal?.close();
    journal = undefined;
    await rename(`${journalPath}.new`, journalPath);
    journal = await open(journalPath, constants.O_WRONLY | constants.O_APPEND);
    await syncFolder(dirname(path));
    since = generation;
  }

  /** Goes on behind the last whole line of the journal that was read, or with a new one where that one is in the base already. */
  async function goOn(found: { readonly generation: number; readonly bytes: number }): Promise<void> {
    since = found.generation;
    if (found.generation !== generation) return replaceJournal(false);
    bytes = found.bytes;
    journal = await open(journalPath, constants.O_WRONLY | constants.O_APPEND);
    if ((await journal.stat()).size === bytes) return;
    await journal.truncate(bytes);
    await journal.datasync();
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

  /** What is appended is safe whatever becomes of a fold; one that fails is tried again, and at last it is the write that fails. */
  async function keep(text: string, state: State): Promise<void> {
    if (!sound || journal === undefined || bytes > overdueMax * journalMax()) return fold(state);
    await append(journal, text);
    if (bytes <= foldFrom) return;
    await fold(state).catch(() => {
      foldFrom = 2 * bytes;
    });
  }

  function journalMax(): number {
    return Math.max(journalBytesMin, baseBytes);
  }

  function requireRoom({ total }: Sizes, before: number): void {
    const most = limits.lengthMax ?? lengthMax;
    if (total <= most || total <= before) return;
    throw new PortcullisError('LIMIT_EXCEEDED', `The state would have more than ${most} characters; reset the service`);
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
        const base = await readBase(await linesIn(path), path, state);
        const found = await readChanges(await linesIn(journalPath), base, { path, journalPath }, state);
        for (const rest of [`${path}.new`, `${journalPath}.new`]) await rm(rest, { force: true });
        // Folded by the caller: a death before it leaves nothing, and the next start begins anew.
        if (base === null || found === null) return false;
        begun = true;
        generation = base.generation;
        baseBytes = base.bytes;
        foldFrom = journalMax();
        for (const edit of state.records()) sizes.set(edit[1], JSON.stringify(edit).length);
        // Where nothing can be written what was read is there all the same. The first write folds, and tells the reason.
        sound = await goOn(found).then(
          () => true,
          () => false,
        );
        return true;
      } catch (error) {
        state.clear();
        await close().catch(() => {});
        throw told(error, path);
      }
    },
    async write(edits, state) {
      const before = sizes.total;
      const texts = edits.map((edit) => JSON.stringify(edit));
      const back = edits.map(([, id, record], at) => sizes.set(id, record === null ? 0 : texts[at]!.length));
      try {
        requireRoom(sizes, before);
        await keep(textOfChanges(texts, state), state);
      } catch (error) {
        for (const undo of back.reverse()) undo();
        throw error;
      }
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
  const payload = line.slice(17, -1);
  return line.endsWith('\n') && line[16] === ' ' && line.slice(0, 16) === checksum(payload) ? payload : null;
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The lines of a file; `null` where there is none. */
async function linesIn(path: string): Promise<AsyncIterable<Line> | null> {
  const file = await open(path, 'r').catch(orMissing);
  return file && linesOf(file, path);
}

async function* linesOf(file: FileHandle, path: string): AsyncGenerator<Line> {
  const lineOfBytes = (bytes: Buffer): Line => ({ payload: payloadOf(bytes.toString()), bytes: bytes.length });
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let begun: Buffer[] = [];
    let begunBytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length);
      if (bytesRead === 0) break;
      const read = chunk.subarray(0, bytesRead);
      let from = 0;
      for (let at = read.indexOf(0x0a); at >= 0; at = read.indexOf(0x0a, from)) {
        yield lineOfBytes(Buffer.concat([...begun, read.subarray(from, at + 1)]));
        [begun, begunBytes, from] = [[], 0, at + 1];
      }
      if (from === bytesRead) continue;
      begun.push(Buffer.from(read.subarray(from)));
      begunBytes += bytesRead - from;
      // No write has so long a line, and no text can be made of a much longer one.
      if (begunBytes > lengthMax) throw new PortcullisError('INVALID_ARTIFACT', `${path} is no state of a service`);
    }
    if (begunBytes > 0) yield lineOfBytes(Buffer.concat(begun));
  } finally {
    await file.close();
  }
}

/** Aside, to be renamed: whoever reads finds the old file or the new one. Gives the bytes; what fails leaves nothing. */
async function writeSynced(path: string, texts: Iterable<string>, check: () => void = () => {}): Promise<number> {
  const file = await open(path, 'w', 0o600);
  try {
    let bytes = 0;
    let chunk: string[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      check();
      const data = Buffer.from(chunk.join(''));
      await file.writeFile(data);
      bytes += data.length;
      [chunk, length] = [[], 0];
    };
    for (const text of texts) {
      const line = lineOf(text);
      chunk.push(line);
      length += line.length;
      if (length >= chunkBytes) await flush();
    }
    await flush();
    await file.sync();
    return bytes;
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
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
