/**
 * A store for web pages and their workers.
 *
 * @packageDocumentation
 */

export type { Store, StoreHead } from '../blocklist/model/store.js';
export { type IndexedDbStoreOptions, indexedDbStore } from '../blocklist/stores/indexeddb-store.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
