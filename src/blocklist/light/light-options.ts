import { families } from '../../core/algorithms/registry.js';
import type { Family } from '../../core/assets/asset.js';
import { boolean, type Filled, having, type KindsOf, optional } from '../../core/options/read-options.js';
import type { BlocklistEvents } from '../model/blocklist-events.js';
import type { ListResult } from '../model/blocklist-interface.js';
import type { CheckOptions, LoadingOptions, SyncOptions } from '../model/blocklist-options.js';
import { type CommonOptions, sharedKinds } from '../model/blocklist-options.js';
import type { ListStatus, SourceStatus } from '../model/blocklist-status.js';
import type { Source } from '../model/source.js';
import type { LightStore } from '../model/store.js';
import type { Verdict } from '../model/verdict.js';

/** Options of `createLightBlocklist`. Times are in milliseconds. */
export interface LightOptions extends Pick<CommonOptions, 'policy' | 'maxAgeMs' | 'deadlineMs' | 'now' | 'random'> {
  /** Where the list comes from: `lightPublishedSource` or `lightRelaySource`, or a source of your own with entries of 4 bytes. */
  readonly source: Source;
  /** Asset families to read besides links. @default none */
  readonly families?: readonly Family[] | undefined;
  /** Keeps the list across restarts: `lightStore`, or any other store. @default memory */
  readonly store?: LightStore | undefined;
  /**
   * Whether the store also keeps the hashes of confirmed hits, so that these block after a restart without a request. They show which listed
   * addresses the device has met: `false` where private windows share the store.
   *
   * @default true
   */
  readonly storesAnswers?: boolean | undefined;
  /** Polling interval, varied by up to a fifth. With 0 no timer polls: call `sync` yourself. @default 300_000 */
  readonly pollMs?: number | undefined;
}

/** The events of a light list: those of `createBlocklist` with the same names. */
export type LightEvent = 'changed' | 'damaged' | 'error' | 'log';

/** The state of a light list. */
export interface LightStatus extends Pick<SourceStatus, 'source' | 'lastError' | 'failures' | 'nextSyncAtMs' | 'heldUntilMs'> {
  /** `null` until the first list is loaded. */
  readonly list: Pick<
    ListStatus,
    'count' | 'recentCount' | 'listName' | 'sequence' | 'expiresAtMs' | 'signedBy' | 'ageMs' | 'isStale'
  > | null;
}

/** Keeps one list up to date and checks texts against it. Each method does what the one of `Blocklist` with the same name does. */
export interface LightBlocklist {
  /** Loads the stored list, fetches it if there is none, and starts polling unless `pollMs` is 0. Also resolves if the network is down. */
  ready(options?: SyncOptions): Promise<void>;
  /**
   * Answers from memory, without a request: for code that cannot wait. A hit stays `unconfirmed`; use `check` where you can. If nothing has
   * loaded the lists yet, it starts that and answers `loading`. Throws for anything but a string, and `CLOSED` after `close()`.
   */
  test(text: string, options?: LoadingOptions): Verdict;
  /**
   * Asks the source to confirm hits. If nothing has loaded the lists yet, it starts that as `ready` does, and waits for it within its
   * deadline. Rejects with `ABORTED` and `CLOSED`, and for anything but a string.
   */
  check(text: string, options?: CheckOptions): Promise<Verdict>;
  /** Runs one round, or joins the one that is running. Rejects with `ABORTED` and `CLOSED` only. */
  sync(options?: SyncOptions): Promise<ListResult>;
  /** The state of the list: age, size, last failure, next round. */
  status(): LightStatus;
  /** Adds a listener. @returns a function that removes it */
  on<Type extends LightEvent>(type: Type, listener: (event: BlocklistEvents[Type]) => void): () => void;
  /** Stops the timer, and closes the store and the source. */
  close(): Promise<void>;
}

export const lightKinds = (): KindsOf<Filled<LightOptions, 'store'>> => ({
  ...sharedKinds(),
  source: having<Source>('a source, such as lightPublishedSource({ url })', 'version', 'artifact'),
  families: families(),
  store: optional(having<LightStore>('a store, such as lightStore()', 'open', 'read', 'write')),
  storesAnswers: optional(boolean, true),
});
