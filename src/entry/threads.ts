/**
 * One blocklist for many threads, which check in shared memory.
 *
 * @packageDocumentation
 */

export { type AttachedBlocklist, attachBlocklist } from '../blocklist/extras/attach-blocklist.js';
export type { ScreenPool } from '../blocklist/extras/screen.js';
export { type SharedBlocklist, shareBlocklist } from '../blocklist/extras/share-blocklist.js';
export type { MessagePortLike, PortListener } from '../blocklist/extras/thread-messages.js';
export type { Blocklist } from '../blocklist/model/blocklist-interface.js';
export type { CheckOptions, LoadingOptions } from '../blocklist/model/blocklist-options.js';
export type { CheckedAsset, CheckInput } from '../blocklist/model/question.js';
export type { Advisory, Verdict } from '../blocklist/model/verdict.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
