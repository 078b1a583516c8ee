/**
 * A store for Node, Bun, Deno and Electron.
 *
 * @packageDocumentation
 */
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export type { Head, Store } from '../store.js';
export { type FileStoreOptions, fileStore } from '../stores/file.js';
export type { FileSystem } from '../stores/file-system.js';
