export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export type { Head, Store } from '../store.js';
export { memoryStore } from '../stores/memory.js';
