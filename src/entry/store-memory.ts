/**
 * A store for tests, and for processes that may start without a list.
 *
 * @packageDocumentation
 */

export type { Store, StoreHead } from '../blocklist/store.js';
export { memoryStore } from '../blocklist/stores/memory-store.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
