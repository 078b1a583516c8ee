import { describe, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { type IndexedDbStoreOptions, indexedDbStore } from '../../../src/blocklist/stores/indexeddb-store.js';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';
import { clearStorage, liftQuota, limitQuota, newName, opens, settled, workers } from './browser-storage.js';
import type { Task } from './indexeddb-worker.js';
import { overPlaces } from './rows.js';

async function opened(name: string, options: IndexedDbStoreOptions = {}): Promise<Store> {
  const store = indexedDbStore({ name, ...options });
  opens.push(store);
  await store.open();
  return store;
}

function workerWith(task: Task): Worker {
  const worker = new Worker(new URL('./indexeddb-worker.ts', import.meta.url), { type: 'module' });
  workers.push(worker);
  worker.postMessage(task);
  return worker;
}

function messageOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(message)), { once: true });
    worker.addEventListener('message', ({ data }) => ('error' in Object(data) ? reject(new Error(data.error)) : resolve(data)), {
      once: true,
    });
  });
}

const resultOf = async (task: Task): Promise<unknown> => ((await messageOf(workerWith(task))) as { result: unknown }).result;

describe('the IndexedDB store', () => {
  const { over, again } = overPlaces((name: string) => indexedDbStore({ name }));
  storeContract({ test, make: () => over(newName()), again, isAtomic: true, lock: 'everybody', watch: 'everybody' });
});

test('keeps only the last two heads', async () => {
  const name = newName();
  const store = await opened(name);
  for (let sequence = 0; sequence < 10; sequence++) await store.commit('head', new Uint8Array(sequence), sequence);
  expect((await store.heads('head')).map(({ sequence }) => sequence)).toEqual([10, 9]);
  const database = await settled(indexedDB.open(name));
  expect(await settled(database.transaction('heads').objectStore('heads').count())).toBe(2);
  database.close();
});

test('requests strict durability, and persistent storage only with persist, from a page', async () => {
  const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction');
  const persist = vi.spyOn(navigator.storage, 'persist');
  const store = await opened(newName());
  await store.write('value', Uint8Array.of(1));
  await store.commit('head', Uint8Array.of(1), 0);
  expect(transaction.mock.calls.map(([, mode, options]) => [mode, options])).toEqual([
    ['readwrite', { durability: 'strict' }],
    ['readwrite', { durability: 'strict' }],
  ]);
  expect(persist).not.toHaveBeenCalled();
  await opened(newName(), { persist: true });
  expect(persist).toHaveBeenCalledOnce();
  persist.mockRejectedValueOnce(new Error('no'));
  await opened(newName(), { persist: true });
  expect(await resultOf({ kind: 'persist', database: newName() })).toBe('opened');
  vi.restoreAllMocks();
});

describe('a database blocked by another tab', () => {
  test('fails in time, and opens once it is unblocked', async () => {
    const name = newName();
    // Like a tab of another program, it does not close for upgrades.
    const stubborn = await settled(indexedDB.open(name));
    const deleting = settled(indexedDB.deleteDatabase(name));
    const store = indexedDbStore({ name, openTimeoutMs: 100 });
    const began = performance.now();
    await expect(store.open()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('100 ms') });
    expect(performance.now() - began).toBeLessThan(2000);
    await expect(store.read('value')).rejects.toMatchObject({ code: 'CLOSED' });
    stubborn.close();
    await deleting;
    const later = await opened(name);
    await later.write('value', Uint8Array.of(1));
    // The connection that opened too late was closed.
    await later.close();
    let blocked = false;
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('blocked', () => {
      blocked = true;
    });
    await settled(request);
    expect(blocked).toBe(false);
  });

  test('fails a call in time if it is blocked after opening', async () => {
    const name = newName();
    const store = await opened(name, { openTimeoutMs: 100 });
    const stubborn = await settled(indexedDB.open(name));
    const deleting = settled(indexedDB.deleteDatabase(name));
    await expect.poll(() => store.read('value').catch((error) => error.code)).toBe('STORE_UNAVAILABLE');
    stubborn.close();
    await deleting;
    await expect.poll(() => store.write('value', Uint8Array.of(1)).then(() => 'written', String)).toBe('written');
    expect(await store.read('value')).toEqual(Uint8Array.of(1));
  });
});

describe('a database lost during use', () => {
  test('by deletion, which the store does not block: the store continues with no data', async () => {
    const name = newName();
    const store = await opened(name);
    await store.write('value', Uint8Array.of(1));
    await store.commit('head', Uint8Array.of(1), 0);
    await settled(indexedDB.deleteDatabase(name));
    expect(await store.read('value')).toBe(null);
    expect(await store.heads('head')).toEqual([]);
    expect(await store.commit('head', Uint8Array.of(2), 1)).toBe(false);
    expect(await store.commit('head', Uint8Array.of(2), 0)).toBe(true);
    await store.write('value', Uint8Array.of(2));
    expect(await store.read('value')).toEqual(Uint8Array.of(2));
  });

  test('by repeated deletions: every call succeeds', async () => {
    const name = newName();
    const store = await opened(name);
    let deleting = true;
    const deletions = (async () => {
      for (let round = 0; round < 20; round++) await settled(indexedDB.deleteDatabase(name));
      deleting = false;
    })();
    let calls = 0;
    while (deleting) {
      await store.write('value', Uint8Array.of(1));
      const value = await store.read('value');
      if (value !== null) expect(value).toEqual(Uint8Array.of(1));
      const newest = (await store.heads('head'))[0]?.sequence ?? 0;
      await store.commit('head', Uint8Array.of(1), newest);
      calls++;
    }
    await deletions;
    expect(calls).toBeGreaterThan(0);
    await store.write('value', Uint8Array.of(3));
    expect(await store.read('value')).toEqual(Uint8Array.of(3));
  });

  test('together with all site data: the store continues with no data', async () => {
    const store = await opened(newName());
    await store.write('value', Uint8Array.of(1));
    await clearStorage();
    await expect.poll(() => store.read('value')).toBe(null);
    await store.write('value', Uint8Array.of(2));
    expect(await store.read('value')).toEqual(Uint8Array.of(2));
  });

  test('by an aborted transaction: the call is repeated', async () => {
    const store = await opened(newName());
    const original = IDBDatabase.prototype.transaction;
    let aborts = 2;
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...parameters) {
      const transaction = original.apply(this, parameters);
      if (aborts-- > 0) queueMicrotask(() => transaction.abort());
      return transaction;
    });
    await store.write('value', Uint8Array.of(1));
    expect(aborts).toBeLessThan(0);
    aborts = 3;
    await expect(store.commit('head', Uint8Array.of(1), 0)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    vi.restoreAllMocks();
    expect(await store.heads('head')).toEqual([]);
    expect(await store.read('value')).toEqual(Uint8Array.of(1));
  });

  test('by the end of the browser’s database process: the call is repeated with a new connection', async () => {
    const store = await opened(newName());
    await store.write('value', Uint8Array.of(1));
    const opening = vi.spyOn(indexedDB, 'open');
    vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementationOnce(() => {
      throw new DOMException('Connection to Indexed Database server lost. Refresh the page to try again', 'UnknownError');
    });
    expect(await store.read('value')).toEqual(Uint8Array.of(1));
    expect(opening).toHaveBeenCalledOnce();
    vi.restoreAllMocks();
  });
});

describe('a newer release', () => {
  const upgrade = async (name: string): Promise<void> => {
    const database = await settled(indexedDB.open(name, 2));
    database.close();
  };

  test('before the start: the store does not open, and reports the reason', async () => {
    const name = newName();
    await upgrade(name);
    await expect(opened(name)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('newer release'),
    });
    await upgrade(name);
  });

  test('during use: the upgrade succeeds, and the store reports the reason', async () => {
    const name = newName();
    const store = await opened(name);
    await store.write('value', Uint8Array.of(1));
    await upgrade(name);
    for (const call of [() => store.read('value'), () => store.commit('head', Uint8Array.of(1), 0)]) {
      await expect(call()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('newer release'),
        cause: { name: 'VersionError' },
      });
    }
  });
});

test('past the quota: reports STORE_FULL, keeps the old value, and recovers', async () => {
  await limitQuota(1_000_000);
  const store = await opened(newName());
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  await store.write('value', bytes);
  await store.commit('head', bytes, 0);
  try {
    const large = new Uint8Array(8_000_000);
    await expect(store.write('value', large)).rejects.toMatchObject({ code: 'STORE_FULL' });
    await expect(store.commit('head', large, 1)).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(await store.read('value')).toEqual(bytes);
    expect((await store.heads('head')).map(({ sequence }) => sequence)).toEqual([1]);
  } finally {
    await liftQuota();
  }
  await store.write('value', new Uint8Array(8_000_000));
  expect(await store.read('value')).toHaveLength(8_000_000);
  expect(await store.commit('head', Uint8Array.of(1), 1)).toBe(true);
});

test('reports a browser without IndexedDB at opening', async () => {
  const factory = (error: DOMException) =>
    ({
      open: () => {
        throw error;
      },
    }) as unknown as IDBFactory;
  for (const cause of [new DOMException('denied', 'SecurityError'), new DOMException('private', 'InvalidStateError')]) {
    await expect(opened('x', { indexedDB: factory(cause) })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', cause });
  }
});

test('a large value whose file the browser lost is reported as damaged, and can be replaced', async () => {
  const store = await opened(newName());
  await store.write('value', Uint8Array.of(1));
  vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementationOnce(() => {
    throw new DOMException('Failed to read large IndexedDB value', 'DataError');
  });
  await expect(store.read('value')).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
  vi.restoreAllMocks();
  await store.write('value', Uint8Array.of(2));
  expect(await store.read('value')).toEqual(Uint8Array.of(2));
});

describe('several tabs', () => {
  test('race: each sequence has one winner', async () => {
    const database = newName();
    const commits = 40;
    const won = (await Promise.all([1, 2, 3].map(() => resultOf({ kind: 'race', database, commits })))) as number[][];
    const all = won.flat().sort((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: 3 * commits }, (_, at) => at + 1));
    const [newest] = await (await opened(database)).heads('head');
    expect(newest).toEqual({ sequence: 3 * commits, bytes: new Uint8Array(3 * commits) });
  });

  test('see another tab’s writes, and are notified of its commits', async () => {
    const database = newName();
    const store = await opened(database);
    const told: string[] = [];
    store.watch!((name) => told.push(name));
    expect(await resultOf({ kind: 'write', database, byte: 7 })).toBe(true);
    await expect.poll(() => told).toEqual(['head']);
    expect(await store.read('value')).toEqual(Uint8Array.of(7));
    expect(await store.heads('head')).toEqual([{ sequence: 1, bytes: Uint8Array.of(7) }]);
  });

  test('wait for the lock of another, and get it when that tab dies', async () => {
    const database = newName();
    const worker = workerWith({ kind: 'hold', database });
    expect(await messageOf(worker)).toBe('held');
    const store = await opened(database);
    let ran = false;
    const locked = store.lock!(async () => {
      ran = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(ran).toBe(false);
    worker.terminate();
    await locked;
    expect(ran).toBe(true);
  });

  test('a frame counts as a tab', async () => {
    const database = newName();
    const store = await opened(database);
    const frame = document.createElement('iframe');
    const loaded = new Promise((resolve) => {
      frame.addEventListener('load', resolve);
    });
    frame.src = new URL('/favicon.ico', location.href).href;
    document.body.append(frame);
    await loaded;
    const script = frame.contentDocument!.createElement('script');
    script.type = 'module';
    script.textContent = `
      import { indexedDbStore } from ${JSON.stringify(new URL('../../../src/blocklist/stores/indexeddb-store.ts', import.meta.url).href)};
      const store = indexedDbStore({ name: ${JSON.stringify(database)} });
      await store.open();
      await store.commit('head', Uint8Array.of(9), 0);
      await store.close();
    `;
    const told: string[] = [];
    store.watch!((name) => told.push(name));
    frame.contentDocument!.documentElement.append(script);
    await expect.poll(() => told, { timeout: 10_000 }).toEqual(['head']);
    expect(await store.heads('head')).toEqual([{ sequence: 1, bytes: Uint8Array.of(9) }]);
    frame.remove();
  });
});

test('a store without BroadcastChannel and Web Locks has no lock, but its commits and watchers work', async () => {
  vi.stubGlobal('BroadcastChannel', undefined);
  vi.spyOn(Navigator.prototype, 'locks', 'get').mockReturnValue(undefined as unknown as LockManager);
  const store = await opened(newName());
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  expect(store.lock).toBe(undefined);
  const told: string[] = [];
  store.watch!((name) => told.push(name));
  expect(await store.commit('head', Uint8Array.of(1), 0)).toBe(true);
  await expect.poll(() => told).toEqual(['head']);
});

test.each([0, 9, 1.5, Number.NaN, 600_001])('rejects an openTimeoutMs of %d', (openTimeoutMs) => {
  expect(() => indexedDbStore({ openTimeoutMs })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
});
