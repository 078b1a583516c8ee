import { type IDBPDatabase, type IDBPObjectStore, wrap } from 'idb';
import { PortcullisError, requireString } from '../../core/errors.js';
import type { Store, StoreHead } from '../store.js';
import { copied, requireName, requireSequence, requireWithin } from './store-arguments.js';
import { damaged, storeFailure } from './store-failure.js';
import { lifecycle } from './store-lifecycle.js';
import { listenersOf } from './store-listeners.js';
import { webLock } from './web-locks.js';

/** Which database, and how it is opened. */
export interface IndexedDbStoreOptions {
  /** Name of the database; tabs that give the same one share it. @default 'portcullis' */
  readonly name?: string;
  /**
   * Asks the browser, from a page, not to throw the database away when room gets short. Some browsers ask the user. @default false
   */
  readonly persist?: boolean;
  /** Another one, such as a storage bucket has. @default globalThis.indexedDB */
  readonly indexedDB?: IDBFactory;
  /** Longest wait for the database to open, in milliseconds, from 10 to 600,000. @default 5_000 */
  readonly openTimeoutMs?: number;
}

/** A release that lays the database out anew counts on. */
const databaseVersion = 1;

/** A call whose connection was closed under it begins again with a new one; twice in a row somebody keeps closing it. */
const maxAttempts = 3;

type Stores = 'values' | 'heads';
type Mode = 'readonly' | 'readwrite';
type ObjectStore<M extends Mode> = IDBPObjectStore<unknown, [Stores], Stores, M>;

/**
 * Keeps lists in IndexedDB, in pages and workers. A commit is one transaction, so tabs compare against each other; `lock` is there where
 * the browser has Web Locks, which needs a secure context. Another tab may delete the database, or a newer release upgrade it, at any
 * time: the connection gives way, and the next call opens it again.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function indexedDbStore(options: IndexedDbStoreOptions = {}): Store {
  const { name: databaseName = 'portcullis', persist = false, openTimeoutMs = 5_000 } = options;
  requireString(databaseName, 'name');
  requireWithin('openTimeoutMs', openTimeoutMs, 10, 600_000);
  let connection: Promise<IDBPDatabase> | undefined;
  let channel: BroadcastChannel | undefined;
  const listeners = listenersOf();
  const life = lifecycle(
    async () => {
      await connect();
      if (persist) keepForGood();
      channel ??= channelOf(`portcullis:${databaseName}`, listeners.tell);
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
  const lock = webLock(`portcullis:${databaseName}`, life);

  function connect(): Promise<IDBPDatabase> {
    if (connection !== undefined) return connection;
    const opening = openDatabase(options.indexedDB, databaseName, openTimeoutMs, () => forget(opening));
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
        // A request of a transaction that has no room left says only that it was aborted.
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

  return {
    atomic: true,
    open: life.open,
    close: life.close,
    ...(lock === undefined ? {} : { lock }),
    watch(listener) {
      life.requireOpen();
      return listeners.add(listener);
    },
    async read(name) {
      requireName(name);
      return life.during(() => transact('values', 'readonly', async (values) => (await values.get(name)) ?? null));
    },
    async write(name, bytes) {
      requireName(name);
      const copy = copied(bytes);
      await life.during(() => transact('values', 'readwrite', (values) => values.put(copy, name)));
    },
    async remove(name) {
      requireName(name);
      await life.during(() => transact('values', 'readwrite', (values) => values.delete(name)));
    },
    async list(prefix) {
      requireString(prefix, 'prefix');
      // Names are ASCII.
      const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
      return life.during(async () => (await transact('values', 'readonly', (values) => values.getAllKeys(range))) as string[]);
    },
    async heads(name) {
      requireName(name);
      return life.during(() =>
        transact('heads', 'readonly', async (heads) => {
          const range = sequences(name, 1, Number.MAX_SAFE_INTEGER);
          const [keys, values] = await Promise.all([heads.getAllKeys(range), heads.getAll(range)]);
          return (keys as [string, number][]).map(([, sequence], at): StoreHead => ({ sequence, bytes: values[at] })).reverse();
        }),
      );
    },
    async commit(name, bytes, expectedSequence) {
      requireName(name);
      requireSequence(expectedSequence);
      const copy = copied(bytes);
      return life.during(async () => {
        const isFirst = await transact('heads', 'readwrite', async (heads) => {
          const newest = await heads.openKeyCursor(sequences(name, 1, Number.MAX_SAFE_INTEGER), 'prev');
          if (((newest?.key as [string, number] | undefined)?.[1] ?? 0) !== expectedSequence) return false;
          // The one before stays, to go back to.
          await Promise.all([
            heads.add(copy, [name, expectedSequence + 1]),
            heads.delete(sequences(name, 0, Math.max(0, expectedSequence - 1))),
          ]);
          return true;
        });
        if (isFirst) {
          listeners.tell(name);
          channel?.postMessage(name);
        }
        return isFirst;
      });
    },
  };
}

const sequences = (name: string, from: number, to: number): IDBKeyRange => IDBKeyRange.bound([name, from], [name, to]);

/** Bounded in time: a database that another tab is deleting or upgrading may never open. `gone` is told when the connection ends. */
async function openDatabase(
  given: IDBFactory | undefined,
  name: string,
  timeoutMs: number,
  gone: () => void,
): Promise<IDBPDatabase> {
  const factory = given ?? globalThis.indexedDB;
  if (factory === undefined || factory === null) {
    throw new PortcullisError('STORE_UNAVAILABLE', 'there is no IndexedDB here, as in some private windows and frames');
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
          new PortcullisError('STORE_UNAVAILABLE', `the database did not open within ${timeoutMs} ms; another tab may block it`),
        );
      }, timeoutMs);
    });
    opening.then(
      (database) => {
        // Nobody waits for it any more, and open it would block others.
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
      throw new PortcullisError('STORE_UNAVAILABLE', 'the database was made by a newer release; reload the page', { cause });
    }
    throw storeFailure(cause, 'the database cannot be opened');
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The connection was closing before the transaction began, or was closed under it, which Safari calls `UnknownError` when its database
 * process has ended. What was aborted has changed nothing; a commit that was done all the same finds itself, and counts as lost.
 */
function wasClosed(cause: unknown): boolean {
  return /^(InvalidStateError|AbortError|UnknownError)$/.test((cause as DOMException).name);
}

function failed(cause: unknown, mode: Mode): PortcullisError {
  const { name, message } = cause as DOMException;
  // Large values are files beside the database, in Chromium; one that is lost fails so at every reading.
  if (mode === 'readonly' && (/^(DataError|NotReadableError)$/.test(name) || /large IndexedDB value/i.test(message))) {
    return damaged('the database has lost it', cause);
  }
  return storeFailure(cause, mode === 'readonly' ? 'the database cannot be read' : 'the database cannot be written');
}

/** Not waited for: a browser may ask the user. Without it the database works as well. */
function keepForGood(): void {
  if (typeof document === 'undefined') return;
  navigator.storage?.persist?.().catch(() => {});
}

function channelOf(name: string, tell: (name: string) => void): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined;
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') tell(data);
  });
  return channel;
}
