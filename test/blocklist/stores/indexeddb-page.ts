import { openDB } from 'idb';
import { decodeRecord, encodeRecord } from '../../../src/blocklist/formats/record.js';
import { indexedDbStore } from '../../../src/blocklist/stores/indexeddb-store.js';

/** Runs in a page of a browser that gets killed. List n is a value in which every byte is n, and a head that contains n. */
const size = 60_000;

const store = indexedDbStore();

const actions = {
  /** Runs forever; every write that the console shows is acknowledged. */
  async saveOn() {
    await store.open();
    for (let sequence = (await store.heads('list/head'))[0]?.sequence ?? 0; ; sequence++) {
      const fill = (sequence + 1) % 256;
      await store.write(`list/base/${fill}`, encodeRecord('set', new Uint8Array(size).fill(fill)));
      await store.commit('list/head', encodeRecord('head', Uint8Array.of(fill)), sequence);
      console.log(`head ${sequence + 1}`);
    }
  },
  /** The newest sequence, once its values have been verified as complete. */
  async newest() {
    await store.open();
    const [head] = await store.heads('list/head');
    if (head === undefined) return 0;
    const fill = decodeRecord('head', head.bytes)[0]!;
    const payload = decodeRecord('set', (await store.read(`list/base/${fill}`))!);
    if (fill !== head.sequence % 256 || payload.length !== size || payload.some((byte) => byte !== fill)) throw new Error('torn');
    return head.sequence;
  },
  /** Whether another database of this origin exists, which uses the same files; creates it if it does not. */
  async hasWitness() {
    let isThere = true;
    const database = await openDB('witness', 1, {
      upgrade() {
        isThere = false;
      },
    });
    database.close();
    return isThere;
  },
};

Object.assign(globalThis, { actions });
