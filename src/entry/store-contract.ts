/**
 * The suite that every store passes, for a store of your own.
 *
 * @packageDocumentation
 */
export type { Head, Store } from '../store.js';
export { type Reach, type StoreContract, storeContract } from '../stores/contract.js';
