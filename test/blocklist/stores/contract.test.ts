import { expect, test } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { memoryStore } from '../../../src/blocklist/stores/memory-store.js';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';

const newest = async (store: Store, name: string): Promise<number> => (await store.heads(name))[0]?.sequence ?? 0;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Longer than any test of the suite takes over memory. Some faults hang. */
const hangsAfterMs = 2_000;

/** A test of the suite, with stores from `make`. */
function testOf(name: string, make: () => Store): () => Promise<void> {
  const tests = new Map<string, () => Promise<void>>();
  storeContract({
    test: (each, run) => tests.set(each, run),
    make,
    again: (store) => store,
    isAtomic: true,
    lock: 'everybody',
    watch: 'everybody',
  });
  return tests.get(name)!;
}

/** By test title: faults that test has to find, and a store with each. The memory store passes all tests. */
const faults: Record<string, Record<string, (store: Store) => Partial<Store>>> = {
  'declares what it supports': {
    'claims not to be atomic': () => ({ isAtomic: false }),
    'has no lock': () => ({ lock: undefined as never }),
    'has no watch': () => ({ watch: undefined as never }),
  },
  'returns 1 bytes, even after a restart': {
    'loses the last byte': (store) => ({ write: (name, bytes) => store.write(name, bytes.subarray(0, bytes.length - 1)) }),
  },
  'replaces a value with a longer and a shorter one': {
    'writes only longer values': (store) => ({
      write: async (name, bytes) => {
        if (((await store.read(name))?.length ?? -1) < bytes.length) await store.write(name, bytes);
      },
    }),
    'returns its own bytes': (store) => {
      const given = new Map<string, Uint8Array | null>();
      return {
        async read(name) {
          if (!given.has(name)) given.set(name, await store.read(name));
          return given.get(name) ?? null;
        },
      };
    },
  },
  'copies bytes on the way in and out': {
    'does not copy its arguments': (store) => ({
      async write(name, bytes) {
        await turn();
        await store.write(name, bytes);
      },
    }),
  },
  'removes one value and leaves the others': {
    'removes all names with that prefix': (store) => ({
      async remove(name) {
        for (const each of [name, ...(await store.list(name))]) await store.remove(each);
      },
    }),
  },
  'lists the names with a prefix, without heads': {
    'lists everything': (store) => ({ list: (prefix) => store.list(typeof prefix === 'string' ? '' : prefix) }),
    'lists heads': (store) => ({
      async commit(name, bytes, expected) {
        await store.write(name, bytes);
        return store.commit(name, bytes, expected);
      },
    }),
  },
  'accepts every valid name and keeps them apart': {
    'omits names with a full stop': (store) => ({
      list: async (prefix) => (await store.list(prefix)).filter((name) => !name.includes('.')),
    }),
    'accepts any name': (store) => {
      const safe = (name: string): string => name.replace(/[^a-z0-9/]/g, '-');
      return { read: (name) => store.read(safe(name)), write: (name, bytes) => store.write(safe(name), bytes) };
    },
  },
  'rejects invalid names and arguments of the wrong type': {
    'accepts any sequence': (store) => ({
      commit: (name, bytes, expected) => store.commit(name, bytes, expected < 0 ? 0 : expected),
    }),
    'throws synchronously': (store) => ({
      read(name) {
        if (typeof name !== 'string') throw new TypeError('name');
        return store.read(name);
      },
    }),
  },
  'commits in sequence and rejects an outdated expected sequence': {
    'ignores the expected sequence': (store) => ({
      async commit(name, bytes, expected) {
        const copy = bytes.slice();
        return (await store.commit(name, bytes, expected)) || store.commit(name, copy, await newest(store, name));
      },
    }),
    'keeps only one head': (store) => ({ heads: async (name) => (await store.heads(name)).slice(0, 1) }),
    'returns the oldest head first': (store) => ({ heads: async (name) => [...(await store.heads(name))].reverse() }),
    'mixes up the bytes of heads': (store) => ({
      heads: async (name) => (await store.heads(name)).map(({ sequence }, _, all) => ({ sequence, bytes: all[0]!.bytes })),
    }),
  },
  'lets one of many concurrent commits win': {
    'compares before it waits to commit': (store) => ({
      async commit(name, bytes, expected) {
        const copy = bytes.slice();
        const isNewest = (await newest(store, name)) === expected;
        await turn();
        if (!isNewest) return store.commit(name, bytes, expected);
        return store.commit(name, copy, await newest(store, name));
      },
    }),
  },
  'returns a whole value while another store replaces it': {
    'returns a torn value during a write': (store) => ({
      async write(name, bytes) {
        const copy = bytes.slice();
        await store.write(name, copy.subarray(0, copy.length / 2));
        await turn();
        await store.write(name, copy);
      },
    }),
  },
  'rejects every call after its close': {
    'answers after its close': () => {
      const other = memoryStore();
      void other.open();
      return {
        read: other.read,
        write: other.write,
        remove: other.remove,
        list: other.list,
        heads: other.heads,
        commit: other.commit,
      };
    },
  },
  'keeps values and heads after a close': {
    'loses everything at a close': (store) => ({
      async close() {
        for (const name of await store.list('')) await store.remove(name);
        await store.close();
      },
    }),
  },
  'lock: runs one at a time, in order, and returns the results': {
    'excludes no other holder': (store) => ({
      async lock(run, signal) {
        await store.lock!(async () => {}, signal);
        return run();
      },
    }),
  },
  'lock: is released after a failure, which it passes on': {
    'is not released after a failure': (store) => {
      let last: Promise<unknown> = Promise.resolve();
      return {
        lock<T>(run: () => Promise<T>) {
          const result = last.then(() => store.lock!(run));
          last = result;
          return result;
        },
      };
    },
  },
  'lock: a signal aborts the wait, and nothing else': {
    'ignores the signal of a waiter': (store) => ({ lock: (run) => store.lock!(run) }),
    'ends the holder by its signal': (store) => ({
      lock: (run, signal) =>
        store.lock!(
          () =>
            Promise.race([
              run(),
              new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('ended')))),
            ]),
          signal,
        ),
    }),
  },
  'watch: calls every listener until it is removed, and no listener fails a commit': {
    'never calls its listeners': () => ({ watch: () => () => {} }),
    'calls removed listeners': (store) => ({
      watch(listener) {
        store.watch!(listener);
        return () => {};
      },
    }),
    'fails with its listeners': (store) => {
      const listeners = new Set<(name: string) => void>();
      return {
        watch(listener) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        async commit(name, bytes, expected) {
          const done = await store.commit(name, bytes, expected);
          if (done) for (const listener of listeners) listener(name);
          return done;
        },
      };
    },
  },
};

const allFaults = Object.entries(faults).flatMap(([finder, some]) =>
  Object.entries(some).map((fault) => [...fault, finder] as const),
);

// Some of these stores never emit an event that the test waits for.
test.concurrent.each(allFaults)('the suite finds a store that %s', async (_fault, faulty, finder) => {
  const run = testOf(finder, () => {
    const store = memoryStore();
    return { ...store, ...faulty(store) };
  });
  const hangs = new Promise<never>((_, reject) => void setTimeout(reject, hangsAfterMs, new Error('the test hangs')));
  await expect(Promise.race([run(), hangs])).rejects.toThrow();
});
