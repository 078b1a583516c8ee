/**
 * Blocks listed pages in a Manifest V3 extension, before they receive a request, and keeps lists in its storage.
 *
 * @packageDocumentation
 */

export type { Store, StoreHead } from '../blocklist/model/store.js';
export type { Advisory } from '../blocklist/model/verdict.js';
export { type ExtensionStoreOptions, extensionStore, type StorageAreaLike } from '../blocklist/stores/extension-store.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type {
  BrowserEvent,
  BrowserRequest,
  ExtensionBrowser,
  GateRule,
  MessageSender,
  Navigation,
  RuleUpdate,
} from '../guards/extension/extension-browser.js';
export { createExtensionGuard } from '../guards/extension/extension-guard.js';
export { type GatePageOptions, type GateWarning, startGatePage } from '../guards/extension/gate-page.js';
export type { GateRequest, GateScope } from '../guards/extension/gate-redirect.js';
export type {
  ExtensionGuard,
  ExtensionGuardOptions,
  GuardedBlocklist,
  GuardMode,
  GuardSettings,
  GuardStatus,
} from '../guards/extension/guard-options.js';
export type { LastBlock } from '../guards/extension/guard-state.js';
