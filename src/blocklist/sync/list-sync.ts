import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { abortable, bounded } from '../../core/http/bounded.js';
import { host } from '../../core/http/fetch.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import type { Generation } from '../generation.js';
import type { Source } from '../source.js';
import { alone } from './alone.js';
import { isHeld } from './backoff.js';
import { calibrateAgainMs } from './calibrate.js';
import { notAfter } from './combine.js';
import { createHeldList, type HeldEvent, type HeldList } from './held-list.js';
import type { OpenStore } from './open-store.js';
import type { PlanLimits } from './plan.js';
import { addRecents } from './recents.js';
import { type RoundResult, runRound, type SyncStep } from './round.js';
import { SavedList } from './saved.js';
import * as states from './sync-state.js';

/** The events of one source's list. */
export type ListEvent =
  | HeldEvent
  | states.AgeEvent
  | { readonly type: 'progress'; readonly step: SyncStep; readonly bytes: number; readonly total: number | undefined }
  | { readonly type: 'error'; readonly where: 'sync'; readonly error: PortcullisError }
  | { readonly type: 'damaged'; readonly name: string; readonly error: PortcullisError }
  /** Known entries are not in the list. */
  | { readonly type: 'mismatch'; readonly samples: number; readonly found: number };

export interface ListSettings {
  readonly source: Source;
  readonly algorithms: ReadonlyMap<string, Algorithm>;
  readonly assets: Assets;
  readonly now: () => number;
  readonly random: () => number;
  readonly limits: PlanLimits;
  readonly pollMs: number;
  readonly maxAgeMs: number;
  readonly frozenMs: number;
  /** Longest time of one round, in milliseconds. */
  readonly roundTimeoutMs: number;
  readonly emit: (event: ListEvent) => void;
}

/** The result of one source's round. */
export interface ListResult {
  readonly source: string;
  /** `deferred`: the source asked for a pause until `untilMs`. */
  readonly outcome: 'updated' | 'unchanged' | 'deferred' | 'failed';
  readonly untilMs?: number | undefined;
  readonly error?: PortcullisError | undefined;
}

/**
 * One source's list: runs its rounds, one at a time. `sync-state.ts` decides what an outcome means, `round.ts` what a round fetches, and
 * `held-list.ts` holds the result.
 */
export class ListSync {
  readonly settings: ListSettings;
  /** Determines which decoys accompany a prefix on this device. */
  secret: string;
  private readonly store: OpenStore;
  private readonly saved: SavedList;
  private readonly held: HeldList;
  private readonly controller = host.AbortController === undefined ? undefined : new host.AbortController();
  state: states.SyncState = states.initialState;
  private running: Promise<ListResult> | null = null;
  private isClosed = false;

  constructor(settings: ListSettings, store: OpenStore) {
    const { source, random, emit } = settings;
    this.settings = settings;
    this.secret = Array.from({ length: 4 }, () => Math.floor(random() * 2 ** 32).toString(36)).join('-');
    this.store = store;
    this.saved = new SavedList(store, source.id, settings, (name, error) => emit({ type: 'damaged', name, error }));
    this.held = createHeldList(this.saved, emit);
  }

  get id(): string {
    return this.settings.source.id;
  }

  get generation(): Generation | null {
    return this.held.generation();
  }

  /** Whether the newest generation survives the process. */
  get isStored(): boolean {
    return this.held.isKept() && this.store.keeps;
  }

  /** Reads everything that is stored. Values that cannot be read are reported, and fetched again. */
  async load(): Promise<void> {
    const memo = this.saved.readMemo().then(({ retry, suspicion, secret }) => {
      if (secret !== null) this.secret = secret;
      this.state = { ...this.state, retry, suspicion };
    });
    let isReported = false;
    const report = (error: unknown): void => {
      // If the store fails both reads, report one failure.
      if (!isReported) this.held.fail(error);
      isReported = true;
    };
    await Promise.all([memo.catch(report), this.held.read().catch(report)]);
  }

  /** Takes over what another writer has stored since. */
  async reload(): Promise<void> {
    if (this.isClosed) return;
    try {
      await this.held.read();
    } catch (error) {
      this.held.fail(error);
    }
  }

  /** Finds damage that the 32-bit checksum of a stored value missed. */
  async verify(): Promise<void> {
    const { generation } = this;
    if (generation === null || this.isClosed) return;
    try {
      if (await this.saved.isIntact(generation, this.signal)) return;
      const error = new PortcullisError('INVALID_ARTIFACT', 'the stored list is damaged; it is fetched again');
      this.settings.emit({ type: 'damaged', name: `${this.id}/base`, error });
      // It still blocks. Its age makes the next round fetch the snapshot, and keep what came after it.
      const held = this.generation;
      if (held?.base === generation.base) this.held.amend({ ...held, snapshotAtMs: 0, currentAtMs: 0 });
      this.state = states.dueNow(this.state);
    } catch {
      // Closed meanwhile.
    }
  }

  readConfirmed(): Promise<Uint8Array | null> {
    return this.saved.readConfirmed();
  }

  writeConfirmed(payload: Uint8Array): Promise<void> {
    return this.saved.writeConfirmed(payload);
  }

  ageMs(nowMs: number): number {
    return states.ageOf(this.generation, nowMs);
  }

  isStale(nowMs: number): boolean {
    return states.isStale(this.generation, nowMs, this.settings.maxAgeMs);
  }

  nextSyncAtMs(): number {
    return states.nextSyncAtMs(this.state, this.generation, this.settings.now());
  }

  wake(): void {
    this.state = states.afterWake(this.state, this.settings.now());
  }

  /**
   * Runs one round, or joins the one that is running. Rejects only with `ABORTED` and `CLOSED`.
   *
   * @param isAsked The app requested it, not a timer: a recent poll of another tab does not replace the round.
   */
  async sync(isAsked: boolean, signal?: SignalLike): Promise<ListResult> {
    if (this.isClosed) throw closed();
    const { retry } = this.state;
    if (this.running === null && isHeld(retry, this.settings.now())) {
      return { source: this.id, outcome: 'deferred', untilMs: retry.heldUntilMs };
    }
    this.running ??= this.round(isAsked).finally(() => {
      this.running = null;
    });
    return abortable(this.running, signal);
  }

  /** Adds a blocked asset that a webhook named before the list has it. */
  async addRecent(expressionOf: (algorithm: Algorithm) => string | undefined): Promise<void> {
    const held = this.generation;
    const algorithm = held === null ? undefined : this.settings.algorithms.get(held.algorithm);
    const expression = algorithm === undefined ? undefined : expressionOf(algorithm);
    if (held === null || expression === undefined) return;
    const entries = held.base instanceof PrefixSet ? PrefixSet.from([prefixOf(expression)]) : HashSet.from([hashOf(expression)]);
    const after = await addRecents(held, { entries, isProven: false }, {});
    if (this.isClosed) throw closed();
    if (this.generation !== held) return this.addRecent(expressionOf);
    this.held.push(entries, { ...held, ...after });
    await this.held.store();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.controller?.abort(closed());
    await this.running?.catch(() => {});
    await this.held.settled();
  }

  private get signal(): SignalLike | undefined {
    return this.controller?.signal as SignalLike | undefined;
  }

  private async round(isAsked: boolean): Promise<ListResult> {
    const { source, now, random, pollMs, emit } = this.settings;
    const moment = (): states.Moment => ({ pollMs, nowMs: now(), random: random() });
    this.held.beginRound();
    const { generation } = this;
    // After a failure, or a clock that was set back, another tab's poll does not replace this one.
    const mayBeFresh = !isAsked && this.state.retry.failures === 0 && !states.isFromTheFuture(this.state, generation, now());
    // The clock was ahead when the list came, so its age is unknown: it counts as new, once.
    if (generation !== null && generation.currentAtMs > now()) this.held.amend(notAfter(generation, now()));
    try {
      const result = await alone(
        this.store,
        async () => {
          const askedAtMs = now();
          await this.reload();
          if (mayBeFresh && states.isFresh(this.generation, askedAtMs, pollMs)) return null;
          return this.runRound(!isAsked);
        },
        this.signal,
      );
      this.state = states.afterSuccess(this.state, result?.version.minWaitMs, moment());
      await this.remember();
      this.reportAge();
      return { source: source.id, outcome: result === null || result.changed === 'nothing' ? 'unchanged' : 'updated' };
    } catch (cause) {
      if (this.isClosed) throw closed();
      const error = isPortcullisError(cause)
        ? cause
        : new PortcullisError('NETWORK', `the source ${source.id} failed`, { cause });
      this.state = states.afterFailure(this.state, error, moment());
      await this.remember();
      emit({ type: 'error', where: 'sync', error });
      this.reportAge();
      return { source: source.id, outcome: 'failed', error };
    }
  }

  private async runRound(isBackground: boolean): Promise<RoundResult> {
    const { source, algorithms, assets, now, limits, emit, roundTimeoutMs } = this.settings;
    const onProgress = (step: SyncStep, bytes: number, total: number | undefined): void =>
      emit({ type: 'progress', step, bytes, total });
    const tools = { source, algorithms, assets, now, limits, onProgress };
    const before = this.generation;
    const { suspicion, calibratedAtMs } = this.state;
    const start = { held: before, suspicion, mayAskAgain: !states.isWithin(now() - calibratedAtMs, calibrateAgainMs) };
    const result = await bounded(roundTimeoutMs, this.signal, (ended) => runRound(tools, start, ended), isBackground);
    if (result.hasCalibrated) this.state = { ...this.state, calibratedAtMs: now() };
    const generation = await this.held.withNews(result.generation, before);
    if (result.changed !== 'nothing') onProgress('store', 0, undefined);
    this.held.put(generation);
    await this.held.store();
    const { calibration } = generation;
    if (calibration.outcome === 'failed' && calibration !== before?.calibration) {
      emit({ type: 'mismatch', samples: calibration.samples, found: calibration.found });
    }
    return result;
  }

  private async remember(): Promise<void> {
    const { retry, suspicion } = this.state;
    await this.saved.writeMemo({ retry, suspicion, secret: this.secret }).catch((error: unknown) => this.held.fail(error, false));
  }

  private reportAge(): void {
    const { settings } = this;
    const { state, events } = states.afterAgeing(this.state, this.generation, settings, settings.now());
    this.state = state;
    for (const event of events) settings.emit(event);
  }
}

function closed(): PortcullisError {
  return new PortcullisError('CLOSED', 'the blocklist is closed');
}
