import { type Filled, having, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import type { Store } from '../model/store.js';
import { chunkedStore } from './chunked-store.js';
import { chunkBytes, storeName } from './store-arguments.js';
import { storeFailure } from './store-failure.js';

type Eventually<T> = T | PromiseLike<T>;

/** Access to rows of text by key, such as AsyncStorage or MMKV. */
export interface KeyValueAdapter {
  /** The row, or `null` or `undefined` if there is none. */
  get(key: string): Eventually<string | null | undefined>;
  /** Sets the row as a whole or not at all. It should survive a crash if the platform can guarantee that. */
  set(key: string, text: string): Eventually<unknown>;
  /** Removes the row, if it exists. */
  remove(key: string): Eventually<unknown>;
  /** All keys. The store ignores those of others. */
  keys(): Eventually<Iterable<string>>;
  /**
   * Atomically sets the row if it still is `expected` (`null`: missing). With it the store is atomic.
   *
   * @returns `false` if the row was something else
   */
  compareAndSet?(key: string, expected: string | null, text: string): Eventually<boolean>;
}

/** Options of `keyValueStore`. */
export interface KeyValueStoreOptions {
  /** Prefix of the keys. Stores with different names are separate. @default 'portcullis' */
  readonly name?: string;
  /** Length of the longest row, in characters, from 1,024. @default 262_144 */
  readonly maxChunkBytes?: number;
}

/**
 * On Android, AsyncStorage cannot read rows over 2 MB, because a row and its key must fit a cursor window. An eighth of that leaves room
 * for engines with two bytes per character and for several rows in one read.
 */
const defaultChunkBytes: number = 256 * 1024;

/**
 * Keeps lists in any storage of text rows. `lock` and `watch` work only between users of this object.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function keyValueStore(adapter: KeyValueAdapter, options?: KeyValueStoreOptions): Store {
  having<KeyValueAdapter>(
    'an object with get, set, remove and keys',
    'get',
    'set',
    'remove',
    'keys',
  )(adapter, 'keyValueStore: adapter');
  const { name, maxChunkBytes } = readOptions('keyValueStore', keyValueKinds(), options);
  const failing = async <T>(what: string, call: () => Eventually<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      throw storeFailure(cause, `the key-value storage ${what}`);
    }
  };
  return chunkedStore(
    {
      get: async (key) => (await failing('cannot be read', () => adapter.get(key))) ?? null,
      set: async (key, text) => void (await failing('cannot be written', () => adapter.set(key, text))),
      remove: async (keys) => {
        for (const key of keys) await failing('cannot be written', () => adapter.remove(key));
      },
      keys: async () => [...(await failing('cannot be read', () => adapter.keys()))],
      ...(adapter.compareAndSet !== undefined && {
        compareAndSet: (key: string, expected: string | null, text: string) =>
          failing('cannot be written', () => adapter.compareAndSet!(key, expected, text)),
      }),
    },
    name,
    maxChunkBytes,
  ).store;
}

export const keyValueKinds = (): KindsOf<Filled<KeyValueStoreOptions>> => ({
  name: optional(storeName, 'portcullis'),
  maxChunkBytes: chunkBytes(defaultChunkBytes),
});
