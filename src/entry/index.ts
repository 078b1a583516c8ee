/**
 * `createBlocklist` with every asset type, and all of `portcullis/assets`.
 *
 * @packageDocumentation
 */

export { type BlocklistOptions, createBlocklist, type ServiceBlocklistOptions } from '../blocklist/engine/create-blocklist.js';
export { checkText } from '../blocklist/extras/check-text.js';
export { explain } from '../blocklist/extras/explain.js';
export { handleWebhook } from '../blocklist/extras/handle-webhook.js';
export { screen } from '../blocklist/extras/screen.js';
export * from './assets.js';
export * from './blocklist-types.js';
