import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/blocklist/stores/memory-store.js';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';

describe('the memory store', () => {
  storeContract({ test, make: memoryStore, again: (store) => store, isAtomic: true, lock: 'everybody', watch: 'everybody' });

  test('serves several users until the last one closes it', async () => {
    const store = memoryStore();
    await store.open();
    await store.open();
    await store.write('value', Uint8Array.of(1));
    await store.close();
    expect(await store.read('value')).toEqual(Uint8Array.of(1));
    await store.close();
    await expect(store.read('value')).rejects.toMatchObject({ code: 'CLOSED' });
    await store.open();
    expect(await store.read('value')).toEqual(Uint8Array.of(1));
  });
});
