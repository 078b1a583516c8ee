/**
 * A store for Node, Bun, Deno and Electron.
 *
 * @packageDocumentation
 */

export type { Store, StoreHead } from '../blocklist/model/store.js';
export { type FileStoreOptions, fileStore } from '../blocklist/stores/file-store.js';
export { findDamagedValues } from '../blocklist/stores/file-store-damage.js';
export type { FileSystem } from '../blocklist/stores/file-system.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
