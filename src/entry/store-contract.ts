/**
 * The suite that every store passes, for a store of your own.
 *
 * @packageDocumentation
 */
export type { Store, StoreHead } from '../blocklist/store.js';
export { type Reach, type StoreContract, storeContract } from '../blocklist/stores/store-contract.js';
