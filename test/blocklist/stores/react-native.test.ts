import { expect, test } from 'vitest';
import { asyncStorageStores, mmkvStores } from './guide-stores.js';

const [mmkv, asyncStorage] = [await mmkvStores(), await asyncStorageStores()];

test.each([
  { title: 'MMKV', make: mmkv.make, isAtomic: true },
  { title: 'AsyncStorage', make: asyncStorage.make, isAtomic: false },
])('the store of the guide over $title reads a list of a million entries after a restart', async ({ make, isAtomic }) => {
  const bytes = Uint8Array.from({ length: 2_300_000 }, (_, at) => at * 31);
  const store = make('lists');
  await store.open();
  await store.write('list', bytes);
  await store.close();
  const next = make('lists');
  await next.open();
  const read = await next.read('list');
  await next.close();
  expect(Buffer.compare(read!, bytes)).toBe(0);
  expect(next.isAtomic).toBe(isAtomic);
});

test('reports a full AsyncStorage as STORE_FULL and keeps what was stored before', async () => {
  const store = asyncStorage.make('others');
  await store.open();
  await store.write('list', Uint8Array.of(1, 2, 3));
  await expect(store.write('list', new Uint8Array(4_600_000))).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(await store.read('list')).toEqual(Uint8Array.of(1, 2, 3));
  await store.close();
});
