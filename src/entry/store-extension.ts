/**
 * A store for browser extensions.
 *
 * @packageDocumentation
 */

export type { Store, StoreHead } from '../blocklist/store.js';
export { type ExtensionStoreOptions, extensionStore, type StorageAreaLike } from '../blocklist/stores/extension-store.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
