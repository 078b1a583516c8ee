import { describe, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { extensionStore } from '../../../src/blocklist/stores/extension-store.js';
import { keyValueStore } from '../../../src/blocklist/stores/key-value-store.js';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';
import { isDeep } from '../../support/setup.js';
import { adapterOf, areaOf, bytesOf, type Device, newDevice, overPlaces, shown } from './rows.js';

const kinds: readonly { name: string; make: (device: Device) => Store; isAtomic: boolean }[] = [
  { name: 'the key-value store', make: (device) => keyValueStore(adapterOf(device, false)), isAtomic: false },
  { name: 'the key-value store that compares', make: (device) => keyValueStore(adapterOf(device, true)), isAtomic: true },
  {
    name: 'the key-value store with small rows',
    make: (device) => keyValueStore(adapterOf(device, true), { maxChunkBytes: 4096 }),
    isAtomic: true,
  },
];

// The key-value store with small rows can also compare and set.
describe.each(kinds.filter(({ name }) => isDeep || !name.endsWith('compares')))('$name', ({ make, isAtomic }) => {
  const { over, again } = overPlaces(make);
  storeContract({ test, make: () => over(newDevice()), again, isAtomic, lock: 'object', watch: 'object' });
});

// Older browsers list keys by reading every value, which takes long.
describe.each(isDeep ? [true, false] : [true])('the extension store, with getKeys: %s', (withKeys) => {
  const { over, again } = overPlaces((device: Device) => extensionStore({ area: areaOf(device, withKeys) }));
  storeContract({
    test,
    make: () => over(newDevice()),
    again,
    isAtomic: false,
    // Node 20 has no Web Locks; newer ones have.
    lock: 'navigator' in globalThis && 'locks' in (globalThis as { navigator: object }).navigator ? 'everybody' : 'object',
    watch: 'everybody',
  });
});

const large = 30_000;
const stores: Record<string, (device: Device) => Store> = {
  'key-value': (device) => keyValueStore(adapterOf(device, false), { maxChunkBytes: 8192 }),
  'key-value that compares': (device) => keyValueStore(adapterOf(device, true), { maxChunkBytes: 8192 }),
  extension: (device) => extensionStore({ area: areaOf(device), maxChunkBytes: 8192 }),
};

async function opened(make: (device: Device) => Store, device: Device): Promise<Store> {
  const store = make(device);
  await store.open();
  return store;
}

test.each(Object.entries(stores))(
  '%s: replaces a large value while neither the clock nor Math.random changes',
  async (_, make) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
    try {
      const device = newDevice();
      const store = await opened(make, device);
      for (const seed of [1, 2, 3]) await store.write('value', bytesOf(large, seed));
      const other = await opened(make, device);
      expect(shown(await other.read('value'))).toBe(shown(bytesOf(large, 3)));
    } finally {
      vi.restoreAllMocks();
    }
  },
);

test.each(Object.entries(stores))(
  '%s: a writer that dies leaves unused chunks, which are removed after an hour',
  async (_, make) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const device = newDevice();
      const store = await opened(make, device);
      await store.write('kept', bytesOf(large, 1));
      let changes = 0;
      const { around } = device;
      device.around = (name, run) => (name === 'get' || name === 'keys' || changes++ < 2 ? run() : new Promise(() => {}));
      void store.write('value', bytesOf(large, 2));
      await vi.waitFor(() => expect(changes).toBeGreaterThan(2));
      device.around = around;
      const leftBehind = [...device.rows.keys()].filter((key) => key.includes('value'));
      expect(leftBehind).toHaveLength(2);
      const next = await opened(make, device);
      await next.write('other', bytesOf(large, 3));
      expect([...device.rows.keys()]).toEqual(expect.arrayContaining(leftBehind));
      vi.setSystemTime(Date.now() + 3_700_000);
      await next.write('other', bytesOf(large, 4));
      expect([...device.rows.keys()].filter((key) => key.includes('value'))).toEqual([]);
      expect(shown(await next.read('kept'))).toBe(`${large} of 1`);
      expect(shown(await next.read('other'))).toBe(`${large} of 4`);
    } finally {
      vi.useRealTimers();
    }
  },
);

test('no row is longer than maxChunkBytes, and the default fits into a row on Android', async () => {
  for (const [make, maxLength] of [
    [(device: Device) => keyValueStore(adapterOf(device, false)), 262_144],
    [(device: Device) => extensionStore({ area: areaOf(device) }), 524_288],
  ] as const) {
    const device = newDevice();
    device.maxRowLength = maxLength;
    const store = await opened(make, device);
    for (const length of [196_605, 196_606, 196_607, 196_608, 393_213, 393_216, 2_300_000]) {
      await store.write('value', bytesOf(length, 1));
      expect(shown(await store.read('value'))).toBe(`${length} of 1`);
    }
    expect(Math.max(...[...device.rows.values()].map((row) => row.length))).toBeLessThanOrEqual(maxLength + 2);
  }
});

test('rejects a value with a lost or changed chunk, treats such heads as missing, and recovers', async () => {
  const device = newDevice();
  const store = await opened(stores['key-value']!, device);
  for (const spoil of [
    (key: string) => device.rows.delete(key),
    (key: string) => device.rows.set(key, '!!!!'),
    (key: string) => device.rows.set(key, `${device.rows.get(key)!.slice(1)}!`),
    (key: string) => device.rows.set(key, device.rows.get(key)!.slice(4)),
  ]) {
    await store.write('value', bytesOf(large, 1));
    const sequence = (await store.heads('head'))[0]?.sequence ?? 0;
    await store.commit('head', bytesOf(large, 1), sequence);
    for (const key of [...device.rows.keys()].filter((name) => /:c:.*:1$/.test(name))) spoil(key);
    await expect(store.read('value')).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
    expect(await store.heads('head')).toEqual([]);
    expect(await store.commit('head', bytesOf(large, 2), 0)).toBe(true);
    const heads = await store.heads('head');
    expect(heads.map(({ sequence, bytes }) => [sequence, shown(bytes)])).toEqual([[1, `${large} of 2`]]);
  }
  device.rows.set('portcullis:v:value', 'another program was here');
  await expect(store.read('value')).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
  await store.write('value', bytesOf(1, 1));
  expect(await store.read('value')).toEqual(bytesOf(1, 1));
});

test('leaves other rows alone, and stores with different names are separate', async () => {
  const device = newDevice();
  device.rows.set('theirs', 'x').set('portcullis:', 'y').set('portcullis2:v:a', '=AA==');
  const one = keyValueStore(adapterOf(device, false));
  const two = keyValueStore(adapterOf(device, false), { name: 'two' });
  await one.open();
  await two.open();
  await one.write('a', bytesOf(1, 1));
  await two.write('a', bytesOf(1, 2));
  await two.remove('a');
  expect(await one.list('')).toEqual(['a']);
  expect(await one.read('a')).toEqual(bytesOf(1, 1));
  await one.remove('a');
  expect([...device.rows.keys()]).toEqual(['theirs', 'portcullis:', 'portcullis2:v:a']);
});

test('accepts a synchronous adapter, and reports its failure', async () => {
  const rows = new Map<string, string>();
  const store = keyValueStore({
    get: (key) => rows.get(key),
    set: (key, text) => void rows.set(key, text),
    remove: (key) => void rows.delete(key),
    keys: () => rows.keys(),
  });
  await store.open();
  await store.write('a', bytesOf(3, 7));
  expect(await store.read('a')).toEqual(bytesOf(3, 7));
  const cause = new Error('no such module');
  const broken = keyValueStore({
    get: () => {
      throw cause;
    },
    set: () => {},
    remove: () => {},
    keys: () => [],
  });
  await expect(broken.open()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', cause });
  await expect(broken.read('a')).rejects.toMatchObject({ code: 'CLOSED' });
});

test.each([0, 1023, 1024.5, 2 ** 25, Number.NaN])('rejects a maxChunkBytes of %d', (maxChunkBytes) => {
  const device = newDevice();
  expect(() => keyValueStore(adapterOf(device, false), { maxChunkBytes })).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
  expect(() => extensionStore({ area: areaOf(device), maxChunkBytes })).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
});

test('rejects a store name with a colon, which separates the parts of keys', () => {
  expect(() => keyValueStore(adapterOf(newDevice(), false), { name: 'a:v' })).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
});

test('the extension store stops listening after its last watcher, and when it is closed', async () => {
  const device = newDevice();
  const { heard } = device;
  const store = extensionStore({ area: areaOf(device) });
  await store.open();
  const ends = [store.watch!(() => {}), store.watch!(() => {})];
  expect(heard.size).toBe(1);
  for (const end of ends) end();
  ends[0]!();
  expect(heard.size).toBe(0);
  store.watch!(() => {});
  await store.close();
  expect(heard.size).toBe(0);
});

test('reads a value whose text an earlier release divided anywhere', async () => {
  const device = newDevice();
  const store = await opened((place) => keyValueStore(adapterOf(place, true), { maxChunkBytes: 1024 }), device);
  const value = Uint8Array.from({ length: 3_000 }, (_, at) => at * 7);
  await store.write('list', value);
  const keys = [...device.rows.keys()].filter((key) => key.startsWith('portcullis:c:'));
  const text = keys.map((key) => device.rows.get(key)).join('');
  expect(keys).toHaveLength(4);
  for (const [at, key] of keys.entries()) device.rows.set(key, text.slice(at * 1_021, at < 3 ? (at + 1) * 1_021 : undefined));
  expect(await store.read('list')).toEqual(value);
});
