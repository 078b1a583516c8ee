import { describe, test } from 'vitest';
import { storeContract } from '../../../src/blocklist/stores/store-contract.js';
import { asyncStorageStores, mmkvStores } from './guide-stores.js';
import { overPlaces } from './rows.js';

const [mmkv, asyncStorage] = [await mmkvStores(), await asyncStorageStores()];

// The suite lets writers race without a comparison; the chunks of those that lose stay for an hour.
asyncStorage.standIn.asyncStorageSize.maxMegabytes = 200;

describe.each([
  { title: 'MMKV', make: mmkv.make, isAtomic: true },
  { title: 'AsyncStorage', make: asyncStorage.make, isAtomic: false },
])('the store of the guide over $title', ({ make, isAtomic }) => {
  let count = 0;
  const { over, again } = overPlaces(make);
  storeContract({ test, make: () => over(`store-${++count}`), again, isAtomic, lock: 'object', watch: 'object' });
});
