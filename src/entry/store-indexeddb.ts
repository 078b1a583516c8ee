/**
 * A store for web pages and their workers.
 *
 * @packageDocumentation
 */
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export type { Head, Store } from '../store.js';
export { type IndexedDbStoreOptions, indexedDbStore } from '../stores/indexeddb.js';
