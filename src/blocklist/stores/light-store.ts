import { type Filled, type KindsOf, optional, readOptions, text } from '../../core/options/read-options.js';
import type { LightStore } from '../model/store.js';

/** Options of `lightStore`. */
export interface LightStoreOptions {
  /** Name of the database. Tabs that use the same name share it. @default 'portcullis-light' */
  readonly name?: string | undefined;
}

/**
 * The smallest store for a light list: IndexedDB, in pages and workers. A write is one transaction, so it compares with what every other
 * tab has written, and no value is torn.
 */
export function lightStore(options?: LightStoreOptions): LightStore {
  const { name } = readOptions('lightStore', lightStoreKinds(), options);
  let opening: Promise<IDBDatabase> | undefined;

  function open(): Promise<IDBDatabase> {
    const gone = (): void => {
      opening = undefined;
    };
    opening ??= new Promise<IDBDatabase>((resolve, reject) => {
      // Throws where there is none, as in some frames.
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore('values');
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const database = request.result;
        database.onclose = gone;
        // Left open, it would block a tab that deletes the database.
        database.onversionchange = () => {
          gone();
          database.close();
        };
        resolve(database);
      };
    });
    opening.catch(gone);
    return opening;
  }

  /** Resolves to the value of a key. With `then`, once the transaction has ended: until then nothing is stored. */
  async function transact(
    key: string,
    then?: (found: Uint8Array | undefined, values: IDBObjectStore) => void,
  ): Promise<Uint8Array | undefined> {
    const transaction = (await open()).transaction('values', then === undefined ? 'readonly' : 'readwrite');
    const values = transaction.objectStore('values');
    return new Promise((resolve, reject) => {
      transaction.onabort = () => reject(transaction.error);
      const request = values.get(key);
      transaction.oncomplete = () => resolve(request.result);
      request.onsuccess = () => {
        then?.(request.result, values);
        // In Chromium a transaction that has read a list of 800 kB takes 15 ms more to end.
        if (then === undefined) resolve(request.result);
      };
    });
  }

  return {
    open: async () => void (await transact('')),
    read: async (key) => (await transact(key)) ?? null,
    write: async (key, bytes, keeps) => {
      await transact(key, (found, values) => {
        if (found === undefined || !keeps?.(found)) values.put(bytes, key);
      });
    },
    async close() {
      const database = await opening?.catch(() => undefined);
      opening = undefined;
      database?.close();
    },
  };
}

export const lightStoreKinds = (): KindsOf<Filled<LightStoreOptions>> => ({ name: optional(text(), 'portcullis-light') });
