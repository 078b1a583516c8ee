import type { Store } from '../store.js';
import { testClosing, testHeads } from './store-contract-heads.js';
import { testLocks, testWatches } from './store-contract-locks.js';
import { opened, type StoreContract } from './store-contract-support.js';
import { testValues } from './store-contract-values.js';
import { testRandomCalls, testWriters } from './store-contract-writers.js';

export type { Reach, StoreContract } from './store-contract-support.js';

/**
 * Registers a test for every promise of `Store`. Every store must pass it.
 *
 * @example
 * storeContract({ test, make: () => myStore(newFolder()), again: (store) => store, isAtomic: true, lock: 'none', watch: 'none' });
 */
export function storeContract(contract: StoreContract): void {
  const { test, make, again, seed = 1 } = contract;
  const withStore = (name: string, run: (store: Store) => Promise<void>): unknown =>
    test(name, async () => opened(await make(), run));
  const withTwo = (name: string, run: (one: Store, other: Store) => Promise<void>): unknown =>
    withStore(name, async (one) => opened(await again(one), (other) => run(one, other)));
  const tools = { ...contract, seed, withStore, withTwo };
  for (const testSome of [testValues, testHeads, testWriters, testRandomCalls, testClosing, testLocks, testWatches])
    testSome(tools);
}
