import { fromBase64, toBase64 } from '../../core/base64.js';
import type { PortcullisError } from '../../core/errors.js';
import type { Store, StoreHead } from '../store.js';
import { inOrder, localLock } from './in-order.js';
import { makeStore } from './make-store.js';
import { requireName } from './store-arguments.js';
import { damaged } from './store-failure.js';
import { type Lifecycle, lifecycle } from './store-lifecycle.js';
import { type Listeners, listenersOf } from './store-listeners.js';

/**
 * Rows of text by key, which is all that some platforms have. Each call may fail with a `PortcullisError`; a row is set as a whole or
 * not at all.
 */
export interface Rows {
  get(key: string): Promise<string | null>;
  set(key: string, text: string): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  /** May include the keys of other stores. */
  keys(): Promise<readonly string[]>;
  /** Sets the row if it still is `expected`, on platforms that can compare. */
  compareAndSet?(key: string, expected: string | null, text: string): Promise<boolean>;
}

export interface Chunked {
  readonly store: Store;
  readonly life: Lifecycle;
  readonly listeners: Listeners;
  /** The name whose heads are in this row, or `null` for another row. */
  headNameOf(key: string): string | null;
}

/** The kinds of rows: values and heads. Chunks are the third kind. */
type Kind = 'v' | 'h';

/** Older chunks without a row that points at them were left by a writer that died. Longer than any write takes. */
const leftoverMs = 60 * 60 * 1000;

/** Attempts to read a value that a writer keeps replacing. */
const maxReads = 5;

const keptHeads = 2;

/** A row that begins with it is a whole value in base64. */
const inlineMark = '=';

/**
 * A store over rows. A small value is one row. A large one is written as chunks under new keys, then as one row that points at them;
 * then the old chunks are removed. Wherever a writer dies, that row points at a whole value. The heads of a name are one value, so that
 * a commit replaces one row.
 */
export function chunkedStore(rows: Rows, root: string, maxRowLength: number, now: () => number = Date.now): Chunked {
  requireName(root);
  const serially = inOrder();
  const listeners = listenersOf();
  const life = lifecycle(
    // Fails if the platform cannot be read.
    async () => void (await rows.get(indexKey('v', 'probe'))),
    async () => listeners.clear(),
  );

  function indexKey(kind: Kind, name: string): string {
    return `${root}:${kind}:${name}`;
  }

  const chunkKeys = (kind: Kind, name: string, { generation, count }: Pointer): string[] =>
    Array.from({ length: count }, (_, at) => `${root}:c:${kind}:${name}:${generation}:${at}`);

  async function read(kind: Kind, name: string): Promise<{ index: string | null; bytes: Uint8Array | null }> {
    const key = indexKey(kind, name);
    let index = await rows.get(key);
    for (let reads = 1; ; reads++) {
      if (index === null) return { index, bytes: null };
      const text = await textOf(kind, name, index);
      if (text !== null) {
        const bytes = fromBase64(text);
        if (bytes === null) throw damaged('it is not base64');
        return { index, bytes };
      }
      const again = await rows.get(key);
      if (again === index || reads === maxReads) throw damaged('a chunk is missing');
      index = again;
    }
  }

  /** Treats unreadable heads as missing: their list is fetched again, and the next commit replaces them. */
  async function readHeads(name: string): Promise<{ index: string | null; heads: readonly StoreHead[] }> {
    try {
      const { index, bytes } = await read('h', name);
      return { index, heads: decodeHeads(bytes) };
    } catch (error) {
      if ((error as PortcullisError).code !== 'INVALID_ARTIFACT') throw error;
      return { index: await rows.get(indexKey('h', name)), heads: [] };
    }
  }

  /** `null` if a chunk is missing. */
  async function textOf(kind: Kind, name: string, index: string): Promise<string | null> {
    if (index.startsWith(inlineMark)) return index.slice(inlineMark.length);
    const pointer = pointerOf(index);
    if (pointer === null) throw damaged('its row is neither a value nor a pointer to one');
    const chunks: string[] = [];
    for (const key of chunkKeys(kind, name, pointer)) {
      const chunk = await rows.get(key);
      if (chunk === null) return null;
      chunks.push(chunk);
    }
    const text = chunks.join('');
    if (text.length !== pointer.length) throw damaged('its chunks have the wrong length');
    return text;
  }

  /** @returns `false` if the row was no longer `expected` */
  async function write(kind: Kind, name: string, bytes: Uint8Array, expected?: string | null): Promise<boolean> {
    const key = indexKey(kind, name);
    const before = expected === undefined ? await rows.get(key) : expected;
    const text = toBase64(bytes);
    const inline = text.length + inlineMark.length <= maxRowLength;
    const pointer: Pointer = {
      generation: generationAt(now()),
      count: inline ? 0 : Math.ceil(text.length / maxRowLength),
      length: text.length,
    };
    const chunks = chunkKeys(kind, name, pointer);
    const index = inline ? inlineMark + text : `${pointer.generation} ${pointer.count} ${pointer.length}`;
    try {
      for (const [at, chunk] of chunks.entries()) await rows.set(chunk, text.slice(at * maxRowLength, (at + 1) * maxRowLength));
      if (expected === undefined || rows.compareAndSet === undefined) await rows.set(key, index);
      else if (!(await rows.compareAndSet(key, expected, index))) {
        await discard(chunks);
        return false;
      }
    } catch (error) {
      // Setting the row may have succeeded despite the error: then its chunks stay.
      if ((await rows.get(key).catch(() => index)) !== index) await discard(chunks);
      throw error;
    }
    const old = before === null ? null : pointerOf(before);
    if (old !== null) await discard(chunkKeys(kind, name, old));
    if (!inline) await sweep().catch(() => {});
    return true;
  }

  /** Chunks that cannot be removed now are removed later. */
  async function discard(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await rows.remove(keys).catch(() => {});
  }

  /** Removes chunks of writers that died before they set the row, or before they removed the old chunks. */
  async function sweep(): Promise<void> {
    const start = `${root}:c:`;
    const all = (await rows.keys()).filter((key) => key.startsWith(start));
    const leftovers: string[] = [];
    const inUse = new Map<string, string | undefined>();
    for (const key of all) {
      const [kind = '', name = '', generation = ''] = key.slice(start.length).split(':');
      if (now() - Number.parseInt(generation, 36) < leftoverMs) continue;
      const owner = `${root}:${kind}:${name}`;
      if (!inUse.has(owner)) inUse.set(owner, pointerOf((await rows.get(owner)) ?? '')?.generation);
      if (inUse.get(owner) !== generation) leftovers.push(key);
    }
    await discard(leftovers);
  }

  const store = makeStore({
    atomic: rows.compareAndSet !== undefined,
    life,
    listeners,
    lock: localLock(life),
    read: (name) => serially(`v:${name}`, async () => (await read('v', name)).bytes),
    write: (name, bytes) => serially(`v:${name}`, () => write('v', name, bytes)),
    remove: (name) =>
      serially(`v:${name}`, async () => {
        const key = indexKey('v', name);
        const pointer = pointerOf((await rows.get(key)) ?? '');
        await rows.remove([key]);
        if (pointer !== null) await discard(chunkKeys('v', name, pointer));
      }),
    async list(prefix) {
      const start = indexKey('v', '');
      return (await rows.keys()).filter((key) => key.startsWith(start + prefix)).map((key) => key.slice(start.length));
    },
    heads: (name) => serially(`h:${name}`, async () => (await readHeads(name)).heads),
    commit: (name, bytes, expectedSequence) =>
      serially(`h:${name}`, async () => {
        const { index, heads } = await readHeads(name);
        if ((heads[0]?.sequence ?? 0) !== expectedSequence) return false;
        const next = [{ sequence: expectedSequence + 1, bytes }, ...heads].slice(0, keptHeads);
        return write('h', name, encodeHeads(next), index);
      }),
  });

  return {
    store,
    life,
    listeners,
    headNameOf: (key) => (key.startsWith(indexKey('h', '')) ? key.slice(indexKey('h', '').length) : null),
  };
}

/** The chunks of a value, and their total length in characters. */
interface Pointer {
  readonly generation: string;
  readonly count: number;
  readonly length: number;
}

const pointerPattern = /^([0-9a-z]+-[0-9a-z]+) (\d{1,6}) (\d{1,12})$/;

function pointerOf(index: string): Pointer | null {
  const [, generation, count, length] = pointerPattern.exec(index) ?? [];
  return generation === undefined ? null : { generation, count: Number(count), length: Number(length) };
}

/**
 * Unique, and contains its creation time. `Math.random` is enough: only two writes of one name in one millisecond could collide, with 1 in
 * 2^52.
 */
function generationAt(timeMs: number): string {
  return `${Math.max(0, Math.floor(timeMs)).toString(36)}-${Math.floor(Math.random() * 2 ** 52).toString(36)}`;
}

/** Before the bytes of each head: its sequence and its length, eight bytes each. */
const headHeaderBytes = 16;

function encodeHeads(heads: readonly StoreHead[]): Uint8Array {
  const bytes = new Uint8Array(heads.reduce((sum, head) => sum + headHeaderBytes + head.bytes.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const head of heads) {
    view.setFloat64(at, head.sequence);
    view.setFloat64(at + 8, head.bytes.length);
    bytes.set(head.bytes, at + headHeaderBytes);
    at += headHeaderBytes + head.bytes.length;
  }
  return bytes;
}

function decodeHeads(bytes: Uint8Array | null): StoreHead[] {
  const heads: StoreHead[] = [];
  if (bytes === null) return heads;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < headHeaderBytes) throw damaged('a head is truncated');
    const [sequence, length] = [view.getFloat64(at), view.getFloat64(at + 8)];
    if (!Number.isSafeInteger(sequence) || !(length >= 0 && length <= bytes.length - at - headHeaderBytes)) {
      throw damaged('a head is truncated');
    }
    heads.push({ sequence, bytes: bytes.slice(at + headHeaderBytes, at + headHeaderBytes + length) });
    at += headHeaderBytes + length;
  }
  return heads;
}
