/**
 * A store for browser extensions.
 *
 * @packageDocumentation
 */
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export type { Head, Store } from '../store.js';
export { type ExtensionStoreOptions, extensionStore, type StorageAreaLike } from '../stores/extension.js';
