/**
 * One list for pages where every kilobyte counts: the verdicts of `createBlocklist`, in half the size.
 *
 * @packageDocumentation
 */

export { createLightBlocklist } from '../blocklist/light/light-blocklist.js';
export type { LightBlocklist, LightEvent, LightOptions, LightStatus } from '../blocklist/light/light-options.js';
export {
  type LightPublishedOptions,
  type LightRelayOptions,
  lightPublishedSource,
  lightRelaySource,
} from '../blocklist/light/light-sources.js';
export type { BlocklistEvents } from '../blocklist/model/blocklist-events.js';
export type { ListResult } from '../blocklist/model/blocklist-interface.js';
export type { CheckOptions, SyncOptions } from '../blocklist/model/blocklist-options.js';
export type { Source, SourceTerms } from '../blocklist/model/source.js';
export type { LightStore } from '../blocklist/model/store.js';
export type { Advisory, Policy, Verdict, VerdictAction, VerdictReason, VerdictStatus } from '../blocklist/model/verdict.js';
export { type LightStoreOptions, lightStore } from '../blocklist/stores/light-store.js';
export type { Family } from '../core/assets/asset.js';
export { evm } from '../core/assets/evm.js';
export { type ErrorCode, isPortcullisError, PortcullisError, type SignalLike } from '../core/errors.js';
