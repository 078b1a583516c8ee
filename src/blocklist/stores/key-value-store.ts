import type { Store } from '../store.js';
import { chunkedStore } from './chunked-store.js';
import { requireChunkBytes } from './store-arguments.js';
import { storeFailure } from './store-failure.js';

type Eventually<T> = T | PromiseLike<T>;

/** Rows of text by key: AsyncStorage, MMKV, Redis and the like in four or five functions. */
export interface KeyValueAdapter {
  /** Nothing, or `null`, where there is none. */
  get(key: string): Eventually<string | null | undefined>;
  /** The row is whole afterwards, or as it was; it outlives a crash if the platform can promise that. */
  set(key: string, text: string): Eventually<unknown>;
  /** Nothing happens where there is none. */
  remove(key: string): Eventually<unknown>;
  /** All keys; those of others are left alone. */
  keys(): Eventually<Iterable<string>>;
  /**
   * Sets the row if it still is `expected` (`null`: not there), in one step against every writer. With it the store is atomic.
   *
   * @returns whether it was
   */
  compareAndSet?(key: string, expected: string | null, text: string): Eventually<boolean>;
}

/** Under which keys, and in rows of which size. */
export interface KeyValueStoreOptions {
  /** What the keys begin with, so that two stores stand side by side. @default 'portcullis' */
  readonly name?: string;
  /** Longest text in one row, from 1,024. @default 262_144 */
  readonly maxChunkBytes?: number;
}

/**
 * A row of AsyncStorage past 2 MB cannot be read on Android: it has to fit the window of a cursor, with its key. An eighth of that
 * leaves room for an engine that counts two bytes a character and for several rows read at once.
 */
const defaultChunkBytes: number = 256 * 1024;

/**
 * Keeps lists in whatever keeps rows of text. `lock` and `watch` reach those who share this object alone.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function keyValueStore(
  adapter: KeyValueAdapter,
  { name = 'portcullis', maxChunkBytes = defaultChunkBytes }: KeyValueStoreOptions = {},
): Store {
  const told = async <T>(what: string, call: () => Eventually<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      throw storeFailure(cause, `the key-value storage ${what}`);
    }
  };
  const { compareAndSet } = adapter;
  return chunkedStore(
    {
      get: async (key) => (await told('cannot be read', () => adapter.get(key))) ?? null,
      set: async (key, text) => void (await told('cannot be written', () => adapter.set(key, text))),
      remove: async (keys) => {
        for (const key of keys) await told('cannot be written', () => adapter.remove(key));
      },
      keys: async () => [...(await told('cannot be read', () => adapter.keys()))],
      ...(compareAndSet === undefined
        ? {}
        : {
            compareAndSet: (key: string, expected: string | null, text: string) =>
              told('cannot be written', () => compareAndSet.call(adapter, key, expected, text)),
          }),
    },
    name,
    requireChunkBytes(maxChunkBytes),
  ).store;
}
