/**
 * One list for pages where every kilobyte counts: the verdicts of `createBlocklist`, in half the size.
 *
 * @packageDocumentation
 */

export type { BlocklistEvents } from '../blocklist/checks/blocklist-events.js';
export type { CheckOptions, SyncOptions } from '../blocklist/checks/blocklist-interface.js';
export { createLightBlocklist } from '../blocklist/light/light-blocklist.js';
export type { LightBlocklist, LightEvent, LightOptions, LightStatus } from '../blocklist/light/light-options.js';
export {
  type LightPublishedOptions,
  type LightRelayOptions,
  lightPublishedSource,
  lightRelaySource,
} from '../blocklist/light/light-sources.js';
export type { Source } from '../blocklist/source.js';
export type { LightStore } from '../blocklist/store.js';
export { type LightStoreOptions, lightStore } from '../blocklist/stores/light-store.js';
export type { ListResult } from '../blocklist/sync/list-sync.js';
export type { Policy, Verdict, VerdictAction, VerdictReason, VerdictStatus } from '../blocklist/verdict.js';
export type { Family } from '../core/assets/asset.js';
export { evm } from '../core/assets/evm.js';
export { type ErrorCode, isPortcullisError, PortcullisError, type SignalLike } from '../core/errors.js';
