export type { Head, Store } from '../store.js';
export { type Reach, type StoreContract, storeContract } from '../stores/contract.js';
