import { type Filled, having, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import type { Store } from '../model/store.js';
import { chunkedStore, headNameIn } from './chunked-store.js';
import { chunkBytes, storeName } from './store-arguments.js';
import { storeFailure } from './store-failure.js';
import { webLock } from './web-locks.js';

/**
 * The part of `chrome.storage.local` and `browser.storage.local` the store uses, in the promise form of Manifest V3 and Firefox.
 */
export interface StorageAreaLike {
  /** The items with these keys; all items for `null`. */
  get(keys: string | string[] | null): Promise<Record<string, unknown>>;
  /** Sets these items. */
  set(items: Record<string, string>): Promise<void>;
  /** Removes items, if they exist. */
  remove(keys: string | string[]): Promise<void>;
  /** Only in newer browsers. Without it, listing reads every value. */
  getKeys?(): Promise<string[]>;
  readonly onChanged?: {
    /** Adds a listener for changes. */
    addListener(listener: (changes: Record<string, unknown>) => void): void;
    /** Removes it. */
    removeListener(listener: (changes: Record<string, unknown>) => void): void;
  };
}

/** Options of `extensionStore`. */
export interface ExtensionStoreOptions {
  /** `chrome.storage.local` or `browser.storage.local`. Its quota is 10 MB unless the extension asks for `unlimitedStorage`. */
  readonly area: StorageAreaLike;
  /** Prefix of the keys. Stores with different names are separate. @default 'portcullis' */
  readonly name?: string;
  /** Length of the longest row, in characters. @default 524_288 */
  readonly maxChunkBytes?: number;
}

/** A row is read in one message between processes; half a megabyte causes no noticeable pause. */
const defaultChunkBytes: number = 512 * 1024;

/**
 * Keeps lists in the storage of a browser extension, which its workers and pages share. That storage holds only JSON, so bytes are
 * stored as base64; and it cannot compare, so `isAtomic` is `false`.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function extensionStore(options: ExtensionStoreOptions): Store {
  const { area, name, maxChunkBytes } = readOptions('extensionStore', extensionStoreKinds(), options);
  const failing = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      throw storeFailure(cause, `the extension's storage ${what}`);
    }
  };
  let isWatching = false;
  const { store, life, listeners } = chunkedStore(
    {
      get: async (key) => {
        const text = (await failing('cannot be read', () => area.get([key])))[key];
        return typeof text === 'string' ? text : null;
      },
      set: (key, text) => failing('cannot be written', () => area.set({ [key]: text })),
      remove: (keys) => failing('cannot be written', () => area.remove([...keys])),
      keys: () => failing('cannot be read', async () => (await area.getKeys?.()) ?? Object.keys(await area.get(null))),
      watch(isWatched) {
        if (isWatched === isWatching) return;
        isWatching = isWatched;
        if (isWatched) area.onChanged?.addListener(changed);
        else area.onChanged?.removeListener(changed);
      },
    },
    name,
    maxChunkBytes,
  );

  const changed = (changes: Record<string, unknown>): void => {
    for (const key of Object.keys(changes)) {
      const head = headNameIn(key, name);
      if (head !== null) listeners.notify(head);
    }
  };
  const lock = webLock(`portcullis:extension:${name}`, life);
  return lock === undefined ? store : { ...store, lock };
}

export const extensionStoreKinds = (): KindsOf<Filled<ExtensionStoreOptions>> => ({
  area: having<StorageAreaLike>('browser.storage.local, or chrome.storage.local of Manifest V3', 'get', 'set', 'remove'),
  name: optional(storeName, 'portcullis'),
  maxChunkBytes: chunkBytes(defaultChunkBytes),
});
