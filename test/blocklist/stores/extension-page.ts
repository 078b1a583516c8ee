import type { Store } from '../../../src/blocklist/model/store.js';
import { extensionStore, type StorageAreaLike } from '../../../src/blocklist/stores/extension-store.js';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';
import { overPlaces } from './rows.js';

/** The actions that a page or the worker of a real extension runs for a test. */
const area = (globalThis as unknown as { chrome: { storage: { local: StorageAreaLike } } }).chrome.storage.local;

const { over, again } = overPlaces((name: string) => extensionStore({ area, name }));
let count = 0;

async function opened(name: string): Promise<Store> {
  const store = over(name);
  await store.open();
  return store;
}

let heard: Promise<string> | undefined;

const actions = {
  /** Runs every `step`-th test. Returns names and messages of what failed, and how many ran. */
  async contract(step: number) {
    const tests: [name: string, run: () => Promise<void>][] = [];
    storeContract({
      test: (name, run) => tests.push([name, run]),
      make: () => over(`contract-${++count}`),
      again,
      isAtomic: false,
      lock: 'everybody',
      watch: 'everybody',
    });
    const failures: string[] = [];
    const chosen = tests.filter((_, at) => at % step === 0);
    for (const [name, run] of chosen) {
      await run().catch((error: unknown) => failures.push(`${name}: ${error}`));
      // Clears the storage, so that leftovers of one test do not fill the quota for the next.
      await area.remove(Object.keys(await area.get(null)));
    }
    return { count: chosen.length, failures };
  },
  async write(byte: number) {
    const store = await opened('shared');
    await store.write('value', Uint8Array.of(byte));
    const committed = await store.commit('head', Uint8Array.of(byte), (await store.heads('head'))[0]?.sequence ?? 0);
    await store.close();
    return committed;
  },
  async read() {
    const store = await opened('shared');
    const bytes = await store.read('value');
    await store.close();
    return bytes === null ? null : [...bytes];
  },
  async listen() {
    const store = await opened('shared');
    heard = new Promise((resolve) => {
      store.watch!(resolve);
    });
  },
  heard: () => heard,
  /** The error for a list past the quota of 10 MB, and what is stored afterwards. */
  async fill() {
    const store = await opened('full');
    await store.write('value', Uint8Array.of(1));
    const code = await store.write('value', new Uint8Array(9_000_000)).then(
      () => 'written',
      (error: { code: string }) => error.code,
    );
    const left = Object.keys(await area.get(null)).filter((key) => key.startsWith('full:'));
    return { code, value: [...(await store.read('value'))!], left };
  },
};

export type Actions = typeof actions;

Object.assign(globalThis, { actions });
