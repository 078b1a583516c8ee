// Runs in the browser: `load-browser.ts` opens this page and calls the functions that it puts on the global object.
import { createCoreBlocklist, PrefixSet, prefixOf } from 'portcullis/core';
import { indexedDbStore } from 'portcullis/stores/indexeddb';
import { distinctPrefixes } from './inputs.js';

const database = 'bench';
const listedHost = 'listed.example';

/** Each function returns its duration in milliseconds. */
export interface BenchPage {
  fill(count: number): Promise<number>;
  verdict(): Promise<number>;
  digest(): Promise<number>;
}

const open = (entries: () => PrefixSet) =>
  createCoreBlocklist({
    sources: [
      {
        id: 'bench',
        version: async () => ({ algoVersion: 'portcullis-1', snapshot: { token: 's' } }),
        artifact: async () => ({ entries: entries(), isProven: true }),
        confirm: async () => ({ hashes: new Map() }),
      },
    ],
    store: indexedDbStore({ name: database }),
    pollMs: 0,
  });

const page: BenchPage = {
  async fill(count) {
    const startMs = performance.now();
    const blocklist = open(() => PrefixSet.from(distinctPrefixes(count).fill(prefixOf(listedHost), 0, 1)));
    await blocklist.ready();
    if (blocklist.status().sources[0]?.isStored !== true) throw new Error('the list was not stored');
    await blocklist.close();
    return performance.now() - startMs;
  },
  async verdict() {
    const startMs = performance.now();
    const blocklist = open(() => {
      throw new Error('the list was fetched');
    });
    await blocklist.ready();
    const listed = blocklist.test(`https://login.${listedHost}/a`);
    const ms = performance.now() - startMs;
    if (listed.status !== 'unconfirmed') throw new Error(`read as ${listed.status}`);
    await blocklist.close();
    return ms;
  },
  /** Reads every value of the database, whatever it contains. */
  async digest() {
    const startMs = performance.now();
    const db = await settled(indexedDB.open(database));
    const transaction = db.transaction(['values', 'heads'], 'readonly');
    const stored = await Promise.all(
      ['values', 'heads'].map((name) => settled<Uint8Array<ArrayBuffer>[]>(transaction.objectStore(name).getAll())),
    );
    for (const bytes of stored.flat()) await crypto.subtle.digest('SHA-256', bytes);
    const ms = performance.now() - startMs;
    db.close();
    return ms;
  },
};

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

Object.assign(globalThis, { page });
