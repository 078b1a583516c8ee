/**
 * A store over rows of text: React Native and others.
 *
 * @packageDocumentation
 */

export type { Store, StoreHead } from '../blocklist/store.js';
export { type KeyValueAdapter, type KeyValueStoreOptions, keyValueStore } from '../blocklist/stores/key-value-store.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
