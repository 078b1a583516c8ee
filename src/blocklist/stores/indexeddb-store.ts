import { type IDBPDatabase, type IDBPObjectStore, wrap } from 'idb';
import { PortcullisError } from '../../core/errors.js';
import {
  boolean,
  type Filled,
  having,
  type KindsOf,
  optional,
  readOptions,
  text,
  whole,
} from '../../core/options/read-options.js';
import type { Store, StoreHead } from '../model/store.js';
import { makeStore } from './make-store.js';
import { damaged, storeFailure } from './store-failure.js';
import { lifecycle } from './store-lifecycle.js';
import { listenersOf } from './store-listeners.js';
import { webLock } from './web-locks.js';

/** Options of `indexedDbStore`. */
export interface IndexedDbStoreOptions {
  /** Name of the database. Tabs that use the same name share it. @default 'portcullis' */
  readonly name?: string;
  /**
   * Asks the browser, from a page, not to evict the database when storage runs low. Some browsers ask the user. @default false
   */
  readonly persist?: boolean;
  /** Another `IDBFactory`, such as the one of a storage bucket. @default globalThis.indexedDB */
  // By its shape, so that these types need no DOM library.
  readonly indexedDB?: {
    /** As of an `IDBFactory`. */
    open(name: string, version?: number): object;
  };
  /** Longest wait for the database to open, in milliseconds: 10 to 600,000. @default 5_000 */
  readonly openTimeoutMs?: number;
}

export const indexedDbKinds = (): KindsOf<Filled<IndexedDbStoreOptions, 'indexedDB'>> => ({
  name: optional(text(), 'portcullis'),
  persist: optional(boolean, false),
  indexedDB: optional(having<NonNullable<IndexedDbStoreOptions['indexedDB']>>('an IDBFactory', 'open')),
  openTimeoutMs: optional(whole(10, 600_000), 5_000),
});

/** Incremented by a release that changes the layout of the database. */
const databaseVersion = 1;

/** Attempts of one call, each with a new connection, if connections are closed during it. */
const maxAttempts = 3;

type Stores = 'values' | 'heads';
type Mode = 'readonly' | 'readwrite';
type ObjectStore<M extends Mode> = IDBPObjectStore<unknown, [Stores], Stores, M>;

/**
 * Keeps lists in IndexedDB, in pages and workers. A commit is one transaction, so it compares with every tab. The store has `lock`
 * if the browser has Web Locks, which need a secure context. If another tab deletes the database, or a newer release upgrades it,
 * the connection closes, and the next call opens it again.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function indexedDbStore(options?: IndexedDbStoreOptions): Store {
  const settings = readOptions('indexedDbStore', indexedDbKinds(), options);
  const { name: databaseName, persist, openTimeoutMs } = settings;
  let connection: Promise<IDBPDatabase> | undefined;
  let channel: BroadcastChannel | undefined;
  const listeners = listenersOf();
  const life = lifecycle(
    async () => {
      await connect();
      if (persist) keepForGood();
      channel ??= channelOf(`portcullis:${databaseName}`, listeners.notify);
    },
    async () => {
      channel?.close();
      channel = undefined;
      listeners.clear();
      const last = connection;
      connection = undefined;
      (await last?.catch(() => undefined))?.close();
    },
  );

  function connect(): Promise<IDBPDatabase> {
    if (connection !== undefined) return connection;
    const opening = openDatabase(settings.indexedDB, databaseName, openTimeoutMs, () => forget(opening));
    opening.catch(() => forget(opening));
    connection = opening;
    return opening;
  }

  function forget(opened: Promise<IDBPDatabase>): void {
    if (connection === opened) connection = undefined;
  }

  async function transact<T, M extends Mode>(stores: Stores, mode: M, work: (store: ObjectStore<M>) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const opened = connect();
      const database = await opened;
      let failure: () => unknown = () => null;
      try {
        const transaction = database.transaction<[Stores], M>([stores], mode, { durability: 'strict' });
        // If storage is full, the request reports only an abort; the transaction has the reason.
        failure = () => transaction.error;
        const [result] = await Promise.all([work(transaction.objectStore(stores)), transaction.done]);
        return result;
      } catch (error) {
        const cause = failure() ?? error;
        if (attempt === maxAttempts || !wasClosed(cause)) throw failed(cause, mode);
        forget(opened);
        database.close();
      }
    }
  }

  return makeStore({
    isAtomic: true,
    life,
    listeners,
    lock: webLock(`portcullis:${databaseName}`, life),
    read: (name) => transact('values', 'readonly', async (values) => (await values.get(name)) ?? null),
    write: (name, bytes) => transact('values', 'readwrite', (values) => values.put(bytes, name)),
    remove: (name) => transact('values', 'readwrite', (values) => values.delete(name)),
    list: async (prefix) => {
      // Names are ASCII.
      const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
      return (await transact('values', 'readonly', (values) => values.getAllKeys(range))) as string[];
    },
    heads: (name) =>
      transact('heads', 'readonly', async (heads) => {
        const range = sequences(name, 1, Number.MAX_SAFE_INTEGER);
        const [keys, values] = await Promise.all([heads.getAllKeys(range), heads.getAll(range)]);
        return (keys as [string, number][]).map(([, sequence], at): StoreHead => ({ sequence, bytes: values[at] })).reverse();
      }),
    async commit(name, bytes, expectedSequence) {
      const isFirst = await transact('heads', 'readwrite', async (heads) => {
        const newest = await heads.openKeyCursor(sequences(name, 1, Number.MAX_SAFE_INTEGER), 'prev');
        if (((newest?.key as [string, number] | undefined)?.[1] ?? 0) !== expectedSequence) return false;
        // The previous head stays, in case the newest one is damaged.
        await Promise.all([
          heads.add(bytes, [name, expectedSequence + 1]),
          heads.delete(sequences(name, 0, Math.max(0, expectedSequence - 1))),
        ]);
        return true;
      });
      if (isFirst) channel?.postMessage(name);
      return isFirst;
    },
  });
}

const sequences = (name: string, from: number, to: number): IDBKeyRange => IDBKeyRange.bound([name, from], [name, to]);

/**
 * Limited in time: a database that another tab is deleting or upgrading may never open. Calls `gone` when the connection closes.
 */
async function openDatabase(
  given: IndexedDbStoreOptions['indexedDB'],
  name: string,
  timeoutMs: number,
  gone: () => void,
): Promise<IDBPDatabase> {
  const factory = (given as IDBFactory | undefined) ?? globalThis.indexedDB;
  if (factory === undefined || factory === null) {
    throw new PortcullisError(
      'STORE_UNAVAILABLE',
      'IndexedDB is not available, as in some private windows and frames; use another store',
    );
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const request = factory.open(name, databaseVersion);
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore('values' satisfies Stores);
      request.result.createObjectStore('heads' satisfies Stores);
    });
    const opening = wrap(request) as Promise<IDBPDatabase>;
    let late = false;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        late = true;
        reject(
          new PortcullisError(
            'STORE_UNAVAILABLE',
            `the database did not open within ${timeoutMs} ms; another tab may be blocking it`,
          ),
        );
      }, timeoutMs);
    });
    opening.then(
      (database) => {
        // If left open, it would block other tabs.
        if (late) return database.close();
        database.addEventListener('versionchange', () => {
          gone();
          database.close();
        });
        database.addEventListener('close', gone);
      },
      () => {},
    );
    return await Promise.race([opening, timeout]);
  } catch (cause) {
    if ((cause as DOMException).name === 'VersionError') {
      throw new PortcullisError('STORE_UNAVAILABLE', 'the database was created by a newer release; reload the page', { cause });
    }
    throw storeFailure(cause, 'the database cannot be opened');
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether the connection was closing before the transaction began, or closed during it. Safari reports `UnknownError` if its
 * database process ended. An aborted transaction changed nothing; a commit that succeeded all the same finds its own head, and
 * counts as lost.
 */
function wasClosed(cause: unknown): boolean {
  return /^(InvalidStateError|AbortError|UnknownError)$/.test((cause as DOMException).name);
}

function failed(cause: unknown, mode: Mode): PortcullisError {
  const { name, message } = cause as DOMException;
  // Chromium keeps large values in files beside the database. If such a file is lost, every read fails like this.
  if (mode === 'readonly' && (/^(DataError|NotReadableError)$/.test(name) || /large IndexedDB value/i.test(message))) {
    return damaged('the database lost the file that contains it', cause);
  }
  return storeFailure(cause, mode === 'readonly' ? 'the database cannot be read' : 'the database cannot be written');
}

/** Not awaited: a browser may ask the user. The database also works without it. */
function keepForGood(): void {
  if (typeof document === 'undefined') return;
  navigator.storage?.persist?.().catch(() => {});
}

function channelOf(name: string, notify: (name: string) => void): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined;
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') notify(data);
  });
  return channel;
}
