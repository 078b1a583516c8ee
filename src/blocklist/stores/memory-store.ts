import { requireString } from '../../core/errors.js';
import type { Store, StoreHead } from '../store.js';
import { localLock } from './in-order.js';
import { copied, requireName, requireSequence } from './store-arguments.js';
import { lifecycle } from './store-lifecycle.js';
import { listenersOf } from './store-listeners.js';

/** Heads kept of a name: the newest, and the one to go back to where it is damaged. */
const headsKept = 2;

/**
 * Keeps everything in memory, for as long as the object lives: for tests, and for processes that may start without a list. Several
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
  const lock = localLock(life);

  return {
    atomic: true,
    open: life.open,
    close: life.close,
    lock,
    watch(listener) {
      life.requireOpen();
      return listeners.add(listener);
    },
    async read(name) {
      requireName(name);
      life.requireOpen();
      const bytes = values.get(name);
      return bytes === undefined ? null : copied(bytes);
    },
    async write(name, bytes) {
      requireName(name);
      const copy = copied(bytes);
      life.requireOpen();
      values.set(name, copy);
    },
    async remove(name) {
      requireName(name);
      life.requireOpen();
      values.delete(name);
    },
    async list(prefix) {
      requireString(prefix, 'prefix');
      life.requireOpen();
      return [...values.keys()].filter((name) => name.startsWith(prefix));
    },
    async heads(name) {
      requireName(name);
      life.requireOpen();
      return (headsOf.get(name) ?? []).map(({ sequence, bytes }) => ({ sequence, bytes: copied(bytes) }));
    },
    async commit(name, bytes, expectedSequence) {
      requireName(name);
      requireSequence(expectedSequence);
      const copy = copied(bytes);
      life.requireOpen();
      const heads = headsOf.get(name) ?? [];
      if ((heads[0]?.sequence ?? 0) !== expectedSequence) return false;
      headsOf.set(name, [{ sequence: expectedSequence + 1, bytes: copy }, ...heads].slice(0, headsKept));
      listeners.tell(name);
      return true;
    },
  };
}
