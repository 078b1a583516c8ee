import { fromBase64, toBase64 } from '../../core/base64.js';
import { joined } from '../../core/bytes.js';
import type { PortcullisError } from '../../core/errors.js';
import { hashedBytesPerSlice } from '../../core/limits.js';
import { pause } from '../../core/slices.js';
import type { Store, StoreHead } from '../model/store.js';
import { decodeHeads, encodeHeads, generationAt, inlineTextIn, isRecent, layoutOf, pointerIn } from './chunk-format.js';
import { inTurnByName } from './in-turn-by-name.js';
import { localLock } from './local-lock.js';
import { makeStore } from './make-store.js';
import { damaged } from './store-failure.js';
import { type Lifecycle, lifecycle } from './store-lifecycle.js';
import { type Listeners, listenersOf } from './store-listeners.js';

/**
 * Rows of text by key, which is all that some platforms have. Each call may fail with a `PortcullisError`; a row is set as a whole
 * or not at all.
 */
export interface Rows {
  get(key: string): Promise<string | null>;
  set(key: string, text: string): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  /** May include the keys of other stores. */
  keys(): Promise<readonly string[]>;
  /** Sets the row if it still is `expected`, on platforms that can compare. */
  compareAndSet?(key: string, expected: string | null, text: string): Promise<boolean>;
  /** The time where the rows are, if writers on several machines share them. */
  now?(): Promise<number>;
  /** Fails if the rows cannot be used. By default a row is read. */
  open?(): Promise<void>;
  close?(): Promise<void>;
  /** Called with whether there are listeners, when there may be more or fewer. */
  watch?(isWatched: boolean): void;
}

export interface Chunked {
  readonly store: Store;
  readonly life: Lifecycle;
  readonly listeners: Listeners;
}

/** Attempts to read a value that a writer keeps replacing. */
const maxReads = 5;

const keptHeads = 2;

/**
 * A store over rows. A small value is one row. A large one is written as chunks under new keys, then as one row that points at
 * them; then the old chunks are removed. Wherever a writer dies, that row points at a whole value. The heads of a name are one
 * value, so that a commit replaces one row.
 */
export function chunkedStore(rows: Rows, root: string, maxRowLength: number, now: () => number = Date.now): Chunked {
  const timeMs = async (): Promise<number> => (await rows.now?.().catch(() => undefined)) ?? now();
  const values = valuesIn(rows, root, maxRowLength, timeMs);
  const serially = inTurnByName();
  const listeners = listenersOf((count) => rows.watch?.(count > 0));
  const life = lifecycle(
    async () => (rows.open === undefined ? void (await rows.get(`${root}:v:probe`)) : rows.open()),
    async () => {
      listeners.clear();
      await rows.close?.();
    },
  );

  /** Treats unreadable heads as missing: their list is fetched again, and the next commit replaces them. */
  async function readHeads(path: string): Promise<{ row: string | null; heads: readonly StoreHead[] }> {
    try {
      const { row, bytes } = await values.read(path);
      return { row, heads: decodeHeads(bytes) };
    } catch (error) {
      if ((error as PortcullisError).code !== 'INVALID_ARTIFACT') throw error;
      return { row: await rows.get(`${root}:${path}`), heads: [] };
    }
  }

  /** Runs work on the value or the heads of a name, in call order. */
  function at<T>(kind: 'v' | 'h', name: string, work: (path: string) => Promise<T>): Promise<T> {
    const path = `${kind}:${name}`;
    return serially(path, () => work(path));
  }

  const store = makeStore({
    isAtomic: rows.compareAndSet !== undefined,
    life,
    listeners,
    lock: localLock(life),
    ...(rows.now !== undefined && { now: timeMs }),
    read: (name) => at('v', name, async (path) => (await values.read(path)).bytes),
    write: (name, bytes) => at('v', name, (path) => values.write(path, bytes)),
    remove: (name) => at('v', name, values.remove),
    async list(prefix) {
      const start = `${root}:v:`;
      return (await rows.keys()).filter((key) => key.startsWith(start + prefix)).map((key) => key.slice(start.length));
    },
    heads: (name) => at('h', name, async (path) => (await readHeads(path)).heads),
    commit: (name, bytes, expectedSequence) =>
      at('h', name, async (path) => {
        const { row, heads } = await readHeads(path);
        if ((heads[0]?.sequence ?? 0) !== expectedSequence) return false;
        const next = [{ sequence: expectedSequence + 1, bytes }, ...heads].slice(0, keptHeads);
        return values.write(path, encodeHeads(next), row);
      }),
  });

  return { store, life, listeners };
}

/** Pauses after each slice of coded bytes: not every platform's calls let anything else run. */
function pacer(): (bytes: number) => Promise<void> {
  let coded = 0;
  return async (bytes) => {
    coded += bytes;
    if (coded < hashedBytesPerSlice) return;
    coded = 0;
    await pause();
  };
}

function decoded(text: string, isLast: boolean): Uint8Array {
  const bytes = fromBase64(text);
  // Only the end of a value may be padded.
  if (bytes === null || (!isLast && bytes.length * 4 !== text.length * 3)) throw damaged('it is not base64');
  return bytes;
}

/** The name whose heads are in this row, or `null` for another row. */
export function headNameIn(key: string, root: string): string | null {
  const start = `${root}:h:`;
  return key.startsWith(start) ? key.slice(start.length) : null;
}

/** Values of any length in rows. A path is the kind and the name: `v:` for values, `h:` for heads. */
interface Values {
  read(path: string): Promise<{ row: string | null; bytes: Uint8Array | null }>;
  /** @returns `false` if the row was no longer `expected` */
  write(path: string, bytes: Uint8Array, expected?: string | null): Promise<boolean>;
  remove(path: string): Promise<void>;
}

function valuesIn(rows: Rows, root: string, maxRowLength: number, timeMs: () => Promise<number>): Values {
  /** The keys of the chunks that a row points at. */
  function chunkKeys(path: string, row: string | null): string[] {
    const { generation, count = 0 } = pointerIn(row) ?? {};
    return Array.from({ length: count }, (_, at) => `${root}:c:${path}:${generation}:${at}`);
  }

  /** `null` if a chunk is missing. */
  async function chunkedBytes(path: string, row: string): Promise<Uint8Array | null> {
    const pointer = pointerIn(row);
    if (pointer === null) return decoded(inlineTextIn(row), true);
    const parts: Uint8Array[] = [];
    const paced = pacer();
    let [rest, length, bytes] = ['', 0, 0];
    for (const [at, key] of chunkKeys(path, row).entries()) {
      const chunk = await rows.get(key);
      if (chunk === null) return null;
      length += chunk.length;
      // An earlier release divided the text anywhere.
      const text = rest + chunk;
      const isLast = at === pointer.count - 1;
      const end = isLast ? text.length : text.length - (text.length % 4);
      rest = text.slice(end);
      if (isLast && length !== pointer.length) throw damaged('its chunks have the wrong length');
      const part = decoded(text.slice(0, end), isLast);
      parts.push(part);
      bytes += part.length;
      await paced(part.length);
    }
    return joined(parts, bytes);
  }

  /** Chunks that cannot be removed now are removed later. */
  async function discard(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await rows.remove(keys).catch(() => {});
  }

  /** Removes chunks of writers that died before they set the row, or before they removed the old chunks. */
  async function sweep(): Promise<void> {
    const start = `${root}:c:`;
    const leftovers: string[] = [];
    const inUse = new Map<string, string | undefined>();
    const nowMs = await timeMs();
    for (const key of await rows.keys()) {
      if (!key.startsWith(start)) continue;
      const [kind = '', name = '', generation = ''] = key.slice(start.length).split(':');
      if (isRecent(generation, nowMs)) continue;
      const owner = `${root}:${kind}:${name}`;
      if (!inUse.has(owner)) inUse.set(owner, pointerIn(await rows.get(owner))?.generation);
      if (inUse.get(owner) !== generation) leftovers.push(key);
    }
    await discard(leftovers);
  }

  return {
    async read(path) {
      const key = `${root}:${path}`;
      let row = await rows.get(key);
      for (let reads = 1; ; reads++) {
        if (row === null) return { row, bytes: null };
        const bytes = await chunkedBytes(path, row);
        if (bytes !== null) return { row, bytes };
        const again = await rows.get(key);
        if (again === row || reads === maxReads) throw damaged('a chunk is missing');
        row = again;
      }
    },
    async write(path, bytes, expected) {
      const key = `${root}:${path}`;
      const before = expected === undefined ? await rows.get(key) : expected;
      const { row, chunks } = layoutOf(bytes, maxRowLength, generationAt(await timeMs()));
      const keys = chunkKeys(path, row);
      const paced = pacer();
      try {
        for (const [at, chunk] of chunks.entries()) {
          await rows.set(keys[at]!, toBase64(chunk));
          await paced(chunk.length);
        }
        if (expected === undefined || rows.compareAndSet === undefined) await rows.set(key, row);
        else if (!(await rows.compareAndSet(key, expected, row))) {
          await discard(keys);
          return false;
        }
      } catch (error) {
        // Setting the row may have succeeded despite the error: then its chunks stay.
        if ((await rows.get(key).catch(() => row)) !== row) await discard(keys);
        throw error;
      }
      await discard(chunkKeys(path, before));
      if (chunks.length > 0) await sweep().catch(() => {});
      return true;
    },
    async remove(path) {
      const key = `${root}:${path}`;
      const row = await rows.get(key);
      await rows.remove([key]);
      await discard(chunkKeys(path, row));
    },
  };
}
