import { requireString } from '../../core/errors.js';
import type { Store, StoreHead } from '../model/store.js';
import type { Lock } from './local-lock.js';
import { copied, requireName, requireSequence } from './store-arguments.js';
import type { Lifecycle } from './store-lifecycle.js';
import type { Listeners } from './store-listeners.js';

/** What differs from store to store. It is called with valid arguments, with bytes of its own, and only while the store is open. */
export interface Backend {
  readonly isAtomic: boolean;
  readonly life: Lifecycle;
  readonly listeners: Listeners;
  readonly lock?: Lock | undefined;
  readonly now?: (() => Promise<number>) | undefined;
  read(name: string): Promise<Uint8Array | null>;
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<unknown>;
  remove(name: string): Promise<unknown>;
  list(prefix: string): Promise<readonly string[]>;
  heads(name: string): Promise<readonly StoreHead[]>;
  commit(name: string, bytes: Uint8Array<ArrayBuffer>, expectedSequence: number): Promise<boolean>;
}

export function makeStore(backend: Backend): Store {
  const { isAtomic, life, listeners, lock, now } = backend;
  return {
    isAtomic,
    open: life.open,
    close: life.close,
    ...(lock !== undefined && { lock }),
    ...(now !== undefined && { now: () => life.during(now) }),
    watch(listener) {
      life.requireOpen();
      return listeners.add(listener);
    },
    async read(name) {
      requireName(name);
      return life.during(() => backend.read(name));
    },
    async write(name, bytes) {
      requireName(name);
      const copy = copied(bytes);
      await life.during(() => backend.write(name, copy));
    },
    async remove(name) {
      requireName(name);
      await life.during(() => backend.remove(name));
    },
    async list(prefix) {
      requireString(prefix, 'prefix');
      return life.during(() => backend.list(prefix));
    },
    async heads(name) {
      requireName(name);
      return life.during(() => backend.heads(name));
    },
    async commit(name, bytes, expectedSequence) {
      requireName(name);
      requireSequence(expectedSequence);
      const copy = copied(bytes);
      return life.during(async () => {
        const isFirst = await backend.commit(name, copy, expectedSequence);
        if (isFirst) listeners.notify(name);
        return isFirst;
      });
    },
  };
}
