import type { PortcullisError } from '../../core/errors.js';
import type { BlocklistEvent, BlocklistEvents } from './blocklist-events.js';
import type { CheckOptions, LoadingOptions, SyncOptions } from './blocklist-options.js';
import type { BlocklistStatus } from './blocklist-status.js';
import type { Override, OverrideOptions } from './override-set.js';
import type { CheckInput } from './question.js';
import type { Verdict } from './verdict.js';

/** The result of one source's round. */
export interface ListResult {
  readonly source: string;
  /** `deferred`: the source asked for a pause until `untilMs`. */
  readonly outcome: 'updated' | 'unchanged' | 'deferred' | 'failed';
  readonly untilMs?: number | undefined;
  readonly error?: PortcullisError | undefined;
}

/** The result of one round of all sources. */
export interface SyncResult {
  /** `failed` if any source failed, else `updated` if any list changed; `deferred` if every source asked for a pause. */
  readonly outcome: ListResult['outcome'];
  /** Epoch time in milliseconds at which the first deferred source may be asked again. */
  readonly untilMs?: number | undefined;
  readonly sources: readonly ListResult[];
}

/** Keeps lists up to date and checks inputs against them. */
export interface Blocklist {
  /**
   * Loads the stored lists, fetches those that are missing, and starts polling unless `pollMs` is 0. Also resolves if the network is
   * down; `status()` shows that.
   */
  ready(options?: SyncOptions): Promise<void>;
  /**
   * Answers from memory, without a request: for code that cannot wait. A hit stays `unconfirmed`; use `check` where you can. If nothing has
   * loaded the lists yet, it starts that and answers `loading`. Throws for a wrong JavaScript type, and `CLOSED` after `close()`.
   */
  test(input: CheckInput, options?: LoadingOptions): Verdict;
  /**
   * Asks the source to confirm hits. If nothing has loaded the lists yet, it starts that as `ready` does, and waits for it within its
   * deadline. Rejects with `ABORTED` and `CLOSED`, and for a wrong JavaScript type.
   */
  check(input: CheckInput, options?: CheckOptions): Promise<Verdict>;
  /** Checks many inputs with one request for all their hits. Verdicts are in input order. For inputs that do not fit in memory, use `screen`. */
  checkMany(inputs: Iterable<CheckInput>, options?: CheckOptions): Promise<Verdict[]>;
  /** Runs one round of every source, or joins the one that is running. Rejects with `ABORTED` and `CLOSED` only. */
  sync(options?: SyncOptions): Promise<SyncResult>;
  /** Runs the rounds that are due. Call it from an alarm. */
  syncDue(options?: SyncOptions): Promise<SyncResult>;
  /** Epoch time in milliseconds at which the next round is due. Set an alarm for it. */
  readonly nextSyncAtMs: number;
  /** Starts polling, without waiting for a list. `ready` does it too; call this after `stop`. */
  start(): void;
  /** Stops polling. The lists in memory still answer, and `sync` still works. Called first, it keeps checks from starting rounds. */
  stop(): void;
  /**
   * Allows an asset, whatever the lists say. Takes effect at once; resolves when it is stored. If it cannot be stored it rejects, and the
   * override applies until the process exits. An input that names several targets gets an override for each; the first is returned.
   */
  allow(input: CheckInput, options?: OverrideOptions): Promise<Override>;
  /** Blocks an asset in the same way. */
  block(input: CheckInput, options?: OverrideOptions): Promise<Override>;
  /** Removes an override. Resolves to `false` if there is none for this expression. */
  removeOverride(expression: string): Promise<boolean>;
  /** All overrides. */
  overrides(): readonly Override[];
  /** The state of every list: age, size, last failure, next round. */
  status(): BlocklistStatus;
  /** Adds a listener. @returns a function that removes it */
  on<Type extends BlocklistEvent>(type: Type, listener: (event: BlocklistEvents[Type]) => void): () => void;
  /** Stops rounds and timers, and closes the store and the sources. */
  close(): Promise<void>;
}
