import type { Store } from 'portcullis';
import type { StoreHead } from '../../../src/blocklist/model/store.js';

/** The content of a store, to be copied and damaged. */
export interface Contents {
  readonly values: Map<string, Uint8Array>;
  readonly heads: Map<string, readonly StoreHead[]>;
}

export const noContents = (): Contents => ({ values: new Map(), heads: new Map() });

/** Bytes are never changed in place. */
export const copied = ({ values, heads }: Contents): Contents => ({ values: new Map(values), heads: new Map(heads) });

export function storeOver({ values, heads }: Contents): Store {
  return {
    isAtomic: true,
    open: async () => {},
    close: async () => {},
    read: async (name) => values.get(name)?.slice() ?? null,
    write: async (name, bytes) => void values.set(name, bytes.slice()),
    remove: async (name) => void values.delete(name),
    list: async (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
    heads: async (name) => (heads.get(name) ?? []).map(({ sequence, bytes }) => ({ sequence, bytes: bytes.slice() })),
    commit: async (name, bytes, expected) => {
      const before = heads.get(name) ?? [];
      if ((before[0]?.sequence ?? 0) !== expected) return false;
      heads.set(name, [{ sequence: expected + 1, bytes: bytes.slice() }, ...before].slice(0, 2));
      return true;
    },
  };
}

/** Every call of a source or a store goes through `call`, apart from those that run or register a callback. */
export function around<T extends object>(target: T, call: (name: string, run: () => Promise<unknown>) => Promise<unknown>): T {
  return new Proxy(target, {
    get(_, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function' || key === 'lock' || key === 'watch') return member;
      return (...parameters: unknown[]) => call(String(key), async () => Reflect.apply(member, target, parameters));
    },
  });
}

/** A store with such calls, and a wait until none of them is running. */
export function awaited(store: Store, call: (name: string, run: () => Promise<unknown>) => Promise<unknown>) {
  let pending = 0;
  const counted = async (name: string, run: () => Promise<unknown>): Promise<unknown> => {
    pending++;
    try {
      return await call(name, run);
    } finally {
      pending--;
    }
  };
  const settled = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; quiet = pending === 0 ? quiet + 1 : 0) await new Promise(setImmediate);
  };
  return { store: around(store, counted), settled };
}
