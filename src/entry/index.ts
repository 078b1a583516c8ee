/**
 * `createBlocklist` with every asset type, and all of `portcullis/assets`.
 *
 * @packageDocumentation
 */
export { checkText } from '../blocklist/checks/check-text.js';
export { type BlocklistOptions, createBlocklist, type ServiceBlocklistOptions } from '../blocklist/checks/create-blocklist.js';
export { explain } from '../blocklist/checks/explain.js';
export { handleWebhook } from '../blocklist/checks/handle-webhook.js';
export { screen } from '../blocklist/checks/screen.js';
export * from './assets.js';
export * from './blocklist-types.js';
