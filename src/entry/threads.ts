/**
 * One blocklist for many threads, which check in shared memory.
 *
 * @packageDocumentation
 */

export { type AttachedBlocklist, attachBlocklist } from '../blocklist/checks/attach-blocklist.js';
export type { Blocklist, CheckOptions } from '../blocklist/checks/blocklist-interface.js';
export type { CheckedAsset, CheckInput, LoadingOptions } from '../blocklist/checks/question.js';
export type { ScreenPool } from '../blocklist/checks/screen.js';
export { type SharedBlocklist, shareBlocklist } from '../blocklist/checks/share-blocklist.js';
export type { MessagePortLike, PortListener } from '../blocklist/checks/thread-messages.js';
export type { Verdict } from '../blocklist/verdict.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
