/**
 * A store for tests, and for processes that may start without a list.
 *
 * @packageDocumentation
 */
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export type { Head, Store } from '../store.js';
export { memoryStore } from '../stores/memory.js';
