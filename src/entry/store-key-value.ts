export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export type { Head, Store } from '../store.js';
export { type KeyValueAdapter, type KeyValueStoreOptions, keyValueStore } from '../stores/key-value.js';
