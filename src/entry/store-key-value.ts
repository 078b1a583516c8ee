/**
 * A store over rows of text: React Native and others.
 *
 * @packageDocumentation
 */
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export type { Head, Store } from '../store.js';
export { type KeyValueAdapter, type KeyValueStoreOptions, keyValueStore } from '../stores/key-value.js';
