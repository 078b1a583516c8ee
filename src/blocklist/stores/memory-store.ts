import type { Store, StoreHead } from '../model/store.js';
import { localLock } from './local-lock.js';
import { makeStore } from './make-store.js';
import { copied } from './store-arguments.js';
import { lifecycle } from './store-lifecycle.js';
import { listenersOf } from './store-listeners.js';

/** Heads kept per name: the newest, and the one before in case the newest is damaged. */
const keptHeads = 2;

/**
 * Keeps everything in memory, as long as the object exists: for tests, and for processes that may start without a list. Several
 * blocklists may share one.
 */
export function memoryStore(): Store {
  const values = new Map<string, Uint8Array>();
  const headsOf = new Map<string, readonly StoreHead[]>();
  const listeners = listenersOf();
  const life = lifecycle(
    async () => {},
    async () => listeners.clear(),
  );
  return makeStore({
    isAtomic: true,
    life,
    listeners,
    lock: localLock(life),
    async read(name) {
      const bytes = values.get(name);
      return bytes === undefined ? null : copied(bytes);
    },
    write: async (name, bytes) => values.set(name, bytes),
    remove: async (name) => values.delete(name),
    list: async (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
    heads: async (name) => (headsOf.get(name) ?? []).map(({ sequence, bytes }) => ({ sequence, bytes: copied(bytes) })),
    async commit(name, bytes, expectedSequence) {
      const heads = headsOf.get(name) ?? [];
      if ((heads[0]?.sequence ?? 0) !== expectedSequence) return false;
      headsOf.set(name, [{ sequence: expectedSequence + 1, bytes }, ...heads].slice(0, keptHeads));
      return true;
    },
  });
}
