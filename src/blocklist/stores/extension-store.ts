import type { Store } from '../store.js';
import { chunkedStore } from './chunked-store.js';
import { requireChunkBytes } from './store-arguments.js';
import { storeFailure } from './store-failure.js';
import { webLock } from './web-locks.js';

/** The part of `chrome.storage.local` and `browser.storage.local` that is used: the promise form, as Manifest V3 and Firefox have it. */
export interface StorageAreaLike {
  /** The items under these keys; all of them for `null`. */
  get(keys: string | readonly string[] | null): Promise<Record<string, unknown>>;
  /** Sets items, and leaves all others. */
  set(items: Record<string, string>): Promise<void>;
  /** Removes items; nothing happens where there are none. */
  remove(keys: string | string[]): Promise<void>;
  /** Newer browsers have it; in older ones listing reads every value. */
  getKeys?(): Promise<string[]>;
  readonly onChanged?: {
    /** Calls when items change. */
    addListener(listener: (changes: Record<string, unknown>) => void): void;
    /** Ends that. */
    removeListener(listener: (changes: Record<string, unknown>) => void): void;
  };
}

/** Which storage area, and under which keys. */
export interface ExtensionStoreOptions {
  /** `chrome.storage.local` or `browser.storage.local`. Its quota is 10 MB unless the extension asks for `unlimitedStorage`. */
  readonly area: StorageAreaLike;
  /** What the keys begin with, so that two stores stand side by side. @default 'portcullis' */
  readonly name?: string;
  /** Longest text in one row. @default 524_288 */
  readonly maxChunkBytes?: number;
}

/** A worker that reads one row gets it in one message; half a megabyte goes through without a pause. */
const defaultChunkBytes: number = 512 * 1024;

/**
 * Keeps lists in the storage of a browser extension, which its workers and pages share. It knows JSON only, so bytes are base64, and
 * cannot compare, so `atomic` is `false`.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function extensionStore({ area, name = 'portcullis', maxChunkBytes = defaultChunkBytes }: ExtensionStoreOptions): Store {
  const told = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      throw storeFailure(cause, `the extension's storage ${what}`);
    }
  };
  const { store, life, listeners, headNameOf } = chunkedStore(
    {
      get: async (key) => {
        const text = (await told('cannot be read', () => area.get([key])))[key];
        return typeof text === 'string' ? text : null;
      },
      set: (key, text) => told('cannot be written', () => area.set({ [key]: text })),
      remove: (keys) => told('cannot be written', () => area.remove([...keys])),
      keys: () => told('cannot be read', async () => (await area.getKeys?.()) ?? Object.keys(await area.get(null))),
    },
    name,
    requireChunkBytes(maxChunkBytes),
  );

  let heard = 0;
  const changed = (changes: Record<string, unknown>): void => {
    for (const key of Object.keys(changes)) {
      const head = headNameOf(key);
      if (head !== null) listeners.tell(head);
    }
  };
  const lock = webLock(`portcullis:extension:${name}`, life);
  return {
    ...store,
    ...(lock === undefined ? {} : { lock }),
    watch(listener) {
      life.requireOpen();
      const end = listeners.add(listener);
      if (heard++ === 0) area.onChanged?.addListener(changed);
      let over = false;
      const stop = (): void => {
        if (over) return;
        over = true;
        stay();
        end();
        if (--heard === 0) area.onChanged?.removeListener(changed);
      };
      const stay = life.atClose(stop);
      return stop;
    },
  };
}
