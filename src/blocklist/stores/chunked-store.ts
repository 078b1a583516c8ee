import { fromBase64, toBase64 } from '../../core/base64.js';
import { type PortcullisError, requireString } from '../../core/errors.js';
import type { Head, Store } from '../store.js';
import { inOrder, localLock } from './in-order.js';
import { copied, requireName, requireSequence } from './store-arguments.js';
import { damaged } from './store-failure.js';
import { type Lifecycle, lifecycle } from './store-lifecycle.js';
import { type Listeners, listenersOf } from './store-listeners.js';

/**
 * Rows of text by key, which is all that some platforms have. Each call may fail; a row that was set is there whole or not at all. What
 * they reject with is an error of ours already.
 */
export interface Rows {
  get(key: string): Promise<string | null>;
  set(key: string, text: string): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  /** Of this store and perhaps of others. */
  keys(): Promise<readonly string[]>;
  /** Sets it if it still is `expected`, where the platform can. */
  compareAndSet?(key: string, expected: string | null, text: string): Promise<boolean>;
}

export interface Chunked {
  readonly store: Store;
  readonly life: Lifecycle;
  readonly listeners: Listeners;
  /** The name whose heads this row is, else `null`. */
  headNameOf(key: string): string | null;
}

/** Values and heads stand in rows of two kinds; the third kind is chunks. */
type Kind = 'v' | 'h';

/** Chunks that nobody points at and that are older were left by a writer who died. Longer than any write takes. */
const leftoverMs = 60 * 60 * 1000;

/** A reader whose chunks were replaced under it begins again; a writer that always comes in between is no writer. */
const readsMax = 5;

const headsKept = 2;

/** `=` and base64: the whole value. */
const inlineMark = '=';

/**
 * A store over rows. A small value is one row. A large one is chunks under keys that were never used before, then one row that points
 * at them, then the removal of the chunks before: wherever a writer dies, that row points at a whole value. The heads of a name are one
 * value, so that a commit replaces one row.
 */
export function chunkedStore(rows: Rows, root: string, rowLengthMax: number, now: () => number = Date.now): Chunked {
  requireName(root);
  const serially = inOrder();
  const listeners = listenersOf();
  const life = lifecycle(
    // A platform that cannot be read says so here.
    async () => void (await rows.get(indexKey('v', 'probe'))),
    async () => listeners.clear(),
  );
  const lock = localLock(life);

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
        if (bytes === null) throw damaged('it is no base64');
        return { index, bytes };
      }
      const again = await rows.get(key);
      if (again === index || reads === readsMax) throw damaged('a chunk is missing');
      index = again;
    }
  }

  /** Heads that cannot be read are none: what they stood for is fetched again, and the next commit replaces them. */
  async function readHeads(name: string): Promise<{ index: string | null; heads: readonly Head[] }> {
    try {
      const { index, bytes } = await read('h', name);
      return { index, heads: decodeHeads(bytes) };
    } catch (error) {
      if ((error as PortcullisError).code !== 'INVALID_ARTIFACT') throw error;
      return { index: await rows.get(indexKey('h', name)), heads: [] };
    }
  }

  /** `null` where a chunk is missing. */
  async function textOf(kind: Kind, name: string, index: string): Promise<string | null> {
    if (index.startsWith(inlineMark)) return index.slice(inlineMark.length);
    const pointer = pointerOf(index);
    if (pointer === null) throw damaged('it is neither a value nor points at one');
    const chunks: string[] = [];
    for (const key of chunkKeys(kind, name, pointer)) {
      const chunk = await rows.get(key);
      if (chunk === null) return null;
      chunks.push(chunk);
    }
    const text = chunks.join('');
    if (text.length !== pointer.length) throw damaged('its chunks have another length');
    return text;
  }

  /** @returns whether the row was still what is expected of it; without an expectation it is. */
  async function write(kind: Kind, name: string, bytes: Uint8Array, expected?: string | null): Promise<boolean> {
    const key = indexKey(kind, name);
    const before = expected === undefined ? await rows.get(key) : expected;
    const text = toBase64(bytes);
    const inline = text.length + inlineMark.length <= rowLengthMax;
    const pointer: Pointer = {
      generation: generationAt(now()),
      count: inline ? 0 : Math.ceil(text.length / rowLengthMax),
      length: text.length,
    };
    const chunks = chunkKeys(kind, name, pointer);
    const index = inline ? inlineMark + text : `${pointer.generation} ${pointer.count} ${pointer.length}`;
    try {
      for (const [at, chunk] of chunks.entries()) await rows.set(chunk, text.slice(at * rowLengthMax, (at + 1) * rowLengthMax));
      if (expected === undefined || rows.compareAndSet === undefined) await rows.set(key, index);
      else if (!(await rows.compareAndSet(key, expected, index))) {
        await discard(chunks);
        return false;
      }
    } catch (error) {
      // A row that failed to be set may be set: what it points at stays, then.
      if ((await rows.get(key).catch(() => index)) !== index) await discard(chunks);
      throw error;
    }
    const old = before === null ? null : pointerOf(before);
    if (old !== null) await discard(chunkKeys(kind, name, old));
    if (!inline) await sweep().catch(() => {});
    return true;
  }

  /** The value is stored or refused already; what cannot be removed now is swept later. */
  async function discard(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await rows.remove(keys).catch(() => {});
  }

  /** Chunks that a writer left who died between the first of them and the row that points at them, or before it removed the old ones. */
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

  const store: Store = {
    atomic: rows.compareAndSet !== undefined,
    open: life.open,
    close: life.close,
    lock,
    watch(listener) {
      life.requireOpen();
      return listeners.add(listener);
    },
    async read(name) {
      requireName(name);
      return life.during(() => serially(`v:${name}`, async () => (await read('v', name)).bytes));
    },
    async write(name, bytes) {
      requireName(name);
      const copy = copied(bytes);
      await life.during(() => serially(`v:${name}`, () => write('v', name, copy)));
    },
    async remove(name) {
      requireName(name);
      await life.during(() =>
        serially(`v:${name}`, async () => {
          const key = indexKey('v', name);
          const pointer = pointerOf((await rows.get(key)) ?? '');
          await rows.remove([key]);
          if (pointer !== null) await discard(chunkKeys('v', name, pointer));
        }),
      );
    },
    async list(prefix) {
      requireString(prefix, 'prefix');
      const start = indexKey('v', '');
      return life.during(async () =>
        (await rows.keys()).filter((key) => key.startsWith(start + prefix)).map((key) => key.slice(start.length)),
      );
    },
    async heads(name) {
      requireName(name);
      return life.during(() => serially(`h:${name}`, async () => (await readHeads(name)).heads));
    },
    async commit(name, bytes, expectedSequence) {
      requireName(name);
      requireSequence(expectedSequence);
      const copy = copied(bytes);
      return life.during(() =>
        serially(`h:${name}`, async () => {
          const { index, heads } = await readHeads(name);
          if ((heads[0]?.sequence ?? 0) !== expectedSequence) return false;
          const next = [{ sequence: expectedSequence + 1, bytes: copy }, ...heads].slice(0, headsKept);
          if (!(await write('h', name, encodeHeads(next), index))) return false;
          listeners.tell(name);
          return true;
        }),
      );
    },
  };

  return {
    store,
    life,
    listeners,
    headNameOf: (key) => (key.startsWith(indexKey('h', '')) ? key.slice(indexKey('h', '').length) : null),
  };
}

/** Where the chunks of a value stand, and how many characters they have together. */
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

/** Never the same twice, and its age can be read. `Math.random` is enough: two writers of one name in one millisecond, and 2^52. */
function generationAt(timeMs: number): string {
  return `${Math.max(0, Math.floor(timeMs)).toString(36)}-${Math.floor(Math.random() * 2 ** 52).toString(36)}`;
}

/** Each head is its sequence and its length, eight bytes each, and its bytes. */
const headHeaderBytes = 16;

function encodeHeads(heads: readonly Head[]): Uint8Array {
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

function decodeHeads(bytes: Uint8Array | null): Head[] {
  const heads: Head[] = [];
  if (bytes === null) return heads;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < headHeaderBytes) throw damaged('a head is cut');
    const [sequence, length] = [view.getFloat64(at), view.getFloat64(at + 8)];
    if (!Number.isSafeInteger(sequence) || !(length >= 0 && length <= bytes.length - at - headHeaderBytes)) {
      throw damaged('a head is cut');
    }
    heads.push({ sequence, bytes: bytes.slice(at + headHeaderBytes, at + headHeaderBytes + length) });
    at += headHeaderBytes + length;
  }
  return heads;
}
