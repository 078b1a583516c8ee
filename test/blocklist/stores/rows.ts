import type { Store } from '../../../src/blocklist/model/store.js';
import type { StorageAreaLike } from '../../../src/blocklist/stores/extension-store.js';
import type { KeyValueAdapter } from '../../../src/blocklist/stores/key-value-store.js';

/** Stores from `make`, and others over the place of a store, as in another page, worker or restart. */
export function overPlaces<Place>(make: (place: Place) => Store) {
  const places = new Map<Store, Place>();
  const over = (place: Place): Store => {
    const store = make(place);
    places.set(store, place);
    return store;
  };
  return { over, again: (store: Store): Store => over(places.get(store)!) };
}

/** Rows of a device; each context accesses them through its own adapter. */
export interface Device {
  readonly rows: Map<string, string>;
  /** The listeners of an extension’s storage area. */
  readonly heard: Set<Changed>;
  /** The maximum length of a row. */
  maxRowLength: number;
  /** Runs a call, or fails or dies like the device. */
  around(name: string, run: () => Promise<unknown>): Promise<unknown>;
}

export function newDevice(): Device {
  return {
    rows: new Map(),
    heard: new Set(),
    maxRowLength: Number.POSITIVE_INFINITY,
    around: (_, run) => run(),
  };
}

/** Every call takes a turn of the event loop, as a real one does, so that calls overlap. */
async function call<T>(device: Device, name: string, run: () => T): Promise<T> {
  await new Promise((resolve) => setImmediate(resolve));
  return device.around(name, async () => run()) as Promise<T>;
}

export function adapterOf(device: Device, compares: boolean): KeyValueAdapter {
  const put = (key: string, text: string): void => {
    if (text.length > device.maxRowLength) throw new Error('Row too big to fit into CursorWindow');
    device.rows.set(key, text);
  };
  const adapter: KeyValueAdapter = {
    get: (key) => call(device, 'get', () => device.rows.get(key) ?? null),
    set: (key, text) => call(device, 'set', () => put(key, text)),
    remove: (key) => call(device, 'remove', () => device.rows.delete(key)),
    keys: () => call(device, 'keys', () => [...device.rows.keys()]),
  };
  if (!compares) return adapter;
  return {
    ...adapter,
    compareAndSet: (key, expected, text) =>
      call(device, 'set', () => {
        if ((device.rows.get(key) ?? null) !== expected) return false;
        put(key, text);
        return true;
      }),
  };
}

type Changed = (changes: Record<string, unknown>) => void;

/** `chrome.storage.local` as far as it is documented: JSON, one change event to every context, and its error message when it is full. */
export function areaOf(device: Device, withKeys = true): StorageAreaLike {
  const { heard } = device;
  const tell = (keys: string[]): void => {
    for (const listener of heard) setImmediate(listener, Object.fromEntries(keys.map((key) => [key, {}])));
  };
  return {
    get: (keys) =>
      call(device, 'get', () => {
        const wanted = keys === null ? [...device.rows.keys()] : typeof keys === 'string' ? [keys] : keys;
        const found = wanted.filter((key) => device.rows.has(key));
        return Object.fromEntries(found.map((key) => [key, JSON.parse(device.rows.get(key)!)]));
      }),
    set: (items) =>
      call(device, 'set', () => {
        for (const [key, text] of Object.entries(items)) {
          if (text.length > device.maxRowLength) throw new Error('QUOTA_BYTES quota exceeded');
          device.rows.set(key, JSON.stringify(text));
        }
        tell(Object.keys(items));
      }),
    remove: (keys) =>
      call(device, 'remove', () => {
        const all = typeof keys === 'string' ? [keys] : keys;
        for (const key of all) device.rows.delete(key);
        tell(all);
      }),
    ...(withKeys ? { getKeys: () => call(device, 'keys', () => [...device.rows.keys()]) } : {}),
    onChanged: { addListener: (listener) => void heard.add(listener), removeListener: (listener) => void heard.delete(listener) },
  };
}

export const bytesOf = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill);

/** The arguments of `bytesOf`, because the runner's own comparison takes milliseconds per kilobyte. */
export const shown = (bytes: Uint8Array | null | undefined): string =>
  bytes?.every((byte) => byte === bytes[0]) ? `${bytes.length} of ${bytes[0]}` : String(bytes);
