import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { abortable, bounded } from '../../core/http/bounded.js';
import { host } from '../../core/http/fetch.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import type { EntrySet, Generation } from '../generation.js';
import type { Source } from '../source.js';
import { alone } from './alone.js';
import { isHeld, noRetry, type Retry, retryAfterFailure, retryAfterSuccess } from './backoff.js';
import { calibrateAgainMs } from './calibrate.js';
import type { OpenStore } from './open-store.js';
import type { PlanLimits } from './plan.js';
import { addRecents } from './recents.js';
import { type RoundResult, runRound, type SyncStep } from './round.js';
import { SavedList } from './saved.js';
import { type Suspicion, SuspiciousListError } from './shrink.js';

/** What happens to one source's list. */
export type ListEvent =
  | { readonly type: 'progress'; readonly step: SyncStep; readonly bytes: number; readonly total: number | undefined }
  /** Another generation answers from now on. `before` is what answered until now. */
  | { readonly type: 'changed'; readonly generation: Generation; readonly before: Generation | null }
  | { readonly type: 'error'; readonly where: 'sync' | 'store'; readonly error: PortcullisError }
  | { readonly type: 'damaged'; readonly name: string; readonly error: PortcullisError }
  /** Known entries are not in the list. */
  | { readonly type: 'mismatch'; readonly samples: number; readonly found: number }
  /** The list became too old to say what is not on it. */
  | { readonly type: 'stale'; readonly ageMs: number }
  /** No token has moved for a day. */
  | { readonly type: 'frozen'; readonly sinceMs: number };

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

/** How a round of one source ended. */
export interface ListResult {
  readonly source: string;
  /** `deferred`: the source asked to be left alone until `untilMs`. */
  readonly outcome: 'updated' | 'unchanged' | 'deferred' | 'failed';
  readonly untilMs?: number | undefined;
  readonly error?: PortcullisError | undefined;
}

/** Longest time of storing one list; a disk that answers later than that is as good as none. */
const storeTimeoutMs = 60_000;

/** Writers that come first so often write in a circle. */
const maxAttempts = 8;

/** A poll in another tab so short ago is as good as an own. */
const freshShare = 0.5;

/** One source's list: the generation that answers, and how the next one comes. */
export class ListSync {
  readonly settings: ListSettings;
  generation: Generation | null = null;
  retry: Retry = noRetry;
  lastError: PortcullisError | null = null;
  /** Which decoys go with a prefix here follows from it. */
  secret: string;
  /** Whether the store has the newest generation, or there is none. */
  private isKept = true;
  private readonly store: OpenStore;
  private readonly saved: SavedList;
  private suspicion: Suspicion | null = null;
  private running: Promise<ListResult> | null = null;
  /** The newest head whose list is in the generation: what is stored next is made from it. */
  private seen = 0;
  /** The generation has something that no head has yet. */
  private isAhead = false;
  /** What was told of while a round runs. */
  private pushed: EntrySet[] = [];
  /** Reads and writes of heads, one after the other. */
  private turn: Promise<void> = Promise.resolve();
  private readonly controller = host.AbortController === undefined ? undefined : new host.AbortController();
  private isClosed = false;
  /** When samples were asked for last. */
  private calibratedAtMs = Number.NEGATIVE_INFINITY;
  /** What was told already, so that it is told once. */
  private told: 'nothing' | 'stale' = 'nothing';
  private isFrozenTold = false;

  constructor(settings: ListSettings, store: OpenStore) {
    this.settings = settings;
    this.secret = Array.from({ length: 4 }, () => Math.floor(settings.random() * 2 ** 32).toString(36)).join('-');
    this.store = store;
    this.saved = new SavedList(store, settings.source.id, settings, (name, error) =>
      settings.emit({ type: 'damaged', name, error }),
    );
  }

  /** Whether the newest generation outlives the process. */
  get isStored(): boolean {
    return this.isKept && this.store.keeps;
  }

  get id(): string {
    return this.settings.source.id;
  }

  /** Reads what is stored, all at once. What cannot be read is told, and begins anew. */
  async load(): Promise<void> {
    const memo = this.saved.readMemo().then(({ retry, suspicion, secret }) => {
      if (secret !== null) this.secret = secret;
      this.retry = retry;
      this.suspicion = suspicion;
    });
    let isTold = false;
    const tell = (error: unknown): void => {
      // One store that fails twice is one failure.
      if (!isTold) this.tellStore(error);
      isTold = true;
    };
    await Promise.all([memo.catch(tell), this.inTurn(() => this.takeIn()).catch(tell)]);
  }

  /** Takes over what another writer has stored since. */
  async reload(): Promise<void> {
    if (this.isClosed) return;
    try {
      await this.inTurn(() => this.takeIn());
    } catch (error) {
      this.tellStore(error);
    }
  }

  /** What 32 bits of a frame may have missed. It takes longer than loading, so verdicts come first. */
  async verify(): Promise<void> {
    const { generation } = this;
    if (generation === null || this.isClosed) return;
    try {
      if (await this.saved.isIntact(generation, this.controller?.signal as SignalLike | undefined)) return;
      const error = new PortcullisError('INVALID_ARTIFACT', 'the stored list is damaged; it is fetched again');
      this.settings.emit({ type: 'damaged', name: `${this.id}/base`, error });
      // It still blocks what it blocks; as old as this the next round fetches everything, and keeps what came after it.
      const held = this.generation;
      if (held?.base === generation.base) this.generation = { ...held, snapshotAtMs: 0, currentAtMs: 0 };
      this.retry = { ...this.retry, dueAtMs: 0 };
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

  /** How old the list is, and whether it is too old to say what is not on it. */
  ageMs(nowMs: number): number {
    return this.generation === null ? 0 : Math.max(0, nowMs - this.generation.currentAtMs);
  }

  isStale(nowMs: number): boolean {
    return this.generation === null || nowMs - this.generation.currentAtMs > this.settings.maxAgeMs;
  }

  /** Epoch time of the next poll. A clock before the stored time means now. */
  nextSyncAtMs(): number {
    const nowMs = this.settings.now();
    return this.isFromTheFuture() && !isHeld(this.retry, nowMs) ? nowMs : this.retry.dueAtMs;
  }

  private isFromTheFuture(): boolean {
    const nowMs = this.settings.now();
    return this.retry.atMs > nowMs || (this.generation !== null && this.generation.currentAtMs > nowMs);
  }

  /** The network is back: what failed for want of it is due. */
  wake(): void {
    if (this.retry.failures > 0 && !isHeld(this.retry, this.settings.now())) this.retry = { ...this.retry, dueAtMs: 0 };
  }

  /**
   * One round, shared by all who ask for one meanwhile. Rejects only with ABORTED and CLOSED.
   *
   * @param isAsked The app asks, not a timer: another tab's poll does not do.
   */
  async sync(isAsked: boolean, signal?: SignalLike): Promise<ListResult> {
    if (this.isClosed) throw closed();
    const nowMs = this.settings.now();
    const until = this.retry.heldUntilMs;
    if (this.running === null && isHeld(this.retry, nowMs)) return { source: this.id, outcome: 'deferred', untilMs: until };
    this.running ??= this.round(isAsked).finally(() => {
      this.running = null;
    });
    return abortable(this.running, signal);
  }

  /** A blocked asset that somebody was told of before the list has it counts as a recent. */
  async addRecent(expressionOf: (algorithm: Algorithm) => string | undefined): Promise<void> {
    const held = this.generation;
    const algorithm = held === null ? undefined : this.settings.algorithms.get(held.algorithm);
    const expression = algorithm === undefined ? undefined : expressionOf(algorithm);
    if (held === null || expression === undefined) return;
    const entries = held.base instanceof PrefixSet ? PrefixSet.from([prefixOf(expression)]) : HashSet.from([hashOf(expression)]);
    const after = await addRecents(held, { entries, isProven: false }, {});
    if (this.isClosed) throw closed();
    if (this.generation !== held) return this.addRecent(expressionOf);
    // A round that is running began without it, and takes it in when it ends.
    this.pushed.push(entries);
    this.put({ ...held, ...after });
    await this.keep();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.controller?.abort(closed());
    await this.running?.catch(() => {});
    await this.turn;
  }

  private async round(isAsked: boolean): Promise<ListResult> {
    const signal = this.controller?.signal as SignalLike | undefined;
    const { source, now, random, pollMs } = this.settings;
    this.pushed = [];
    // What another tab has fetched a moment ago does; not where something failed since, or the clock went back.
    const mayBeFresh = !isAsked && this.retry.failures === 0 && !this.isFromTheFuture();
    // A clock that was ahead when the list came: nobody knows how old it is, so it counts as new now, once.
    if (this.generation !== null && this.generation.currentAtMs > now()) this.generation = notAfter(this.generation, now());
    try {
      const result = await alone(
        this.store,
        async () => {
          const askedAtMs = now();
          await this.reload();
          const ageMs = this.generation === null ? -1 : askedAtMs - this.generation.currentAtMs;
          if (mayBeFresh && isWithin(ageMs, pollMs * freshShare)) return null;
          return this.runRound(signal, !isAsked);
        },
        signal,
      );
      this.retry = retryAfterSuccess(pollMs, result?.version.minWaitMs, now(), random());
      this.suspicion = null;
      this.lastError = null;
      await this.remember();
      this.tellAge();
      return { source: source.id, outcome: result === null || result.changed === 'nothing' ? 'unchanged' : 'updated' };
    } catch (cause) {
      if (this.isClosed) throw closed();
      const error = isPortcullisError(cause)
        ? cause
        : new PortcullisError('NETWORK', `the source ${source.id} failed`, { cause });
      if (error instanceof SuspiciousListError) this.suspicion = error.suspicion;
      this.retry = retryAfterFailure(this.retry, error, pollMs, now(), random());
      this.lastError = error;
      await this.remember();
      this.settings.emit({ type: 'error', where: 'sync', error });
      this.tellAge();
      return { source: source.id, outcome: 'failed', error };
    }
  }

  private async runRound(signal: SignalLike | undefined, isBackground: boolean): Promise<RoundResult> {
    const { source, algorithms, assets, now, limits, emit, roundTimeoutMs } = this.settings;
    const onProgress = (step: SyncStep, bytes: number, total: number | undefined): void =>
      emit({ type: 'progress', step, bytes, total });
    const tools = { source, algorithms, assets, now, limits, onProgress };
    const before = this.generation;
    const mayAskAgain = !isWithin(now() - this.calibratedAtMs, calibrateAgainMs);
    const state = { held: before, suspicion: this.suspicion, mayAskAgain };
    const result = await bounded(roundTimeoutMs, signal, (ended) => runRound(tools, state, ended), isBackground);
    if (result.hasCalibrated) this.calibratedAtMs = now();
    const generation = await this.withNews(result.generation, before);
    if (result.changed !== 'nothing') onProgress('store', 0, undefined);
    this.put(generation);
    await this.keep();
    const { calibration } = generation;
    if (calibration.outcome === 'failed' && calibration !== before?.calibration) {
      emit({ type: 'mismatch', samples: calibration.samples, found: calibration.found });
    }
    return result;
  }

  /** What this and other clients were told of while a round ran, which began with `before`. */
  private async withNews(result: Generation, before: Generation | null): Promise<Generation> {
    let generation = result;
    let seen = before;
    for (;;) {
      const entries = this.pushed.shift();
      if (entries !== undefined) {
        const isAlike = entries instanceof PrefixSet === generation.base instanceof PrefixSet;
        if (isAlike) generation = { ...generation, ...(await addRecents(generation, { entries, isProven: false }, {})) };
      } else if (this.generation !== seen) {
        seen = this.generation;
        if (seen !== null && isSameSnapshot(seen, generation)) generation = await together(seen, generation);
      } else return generation;
    }
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.turn.then(work);
    this.turn = turn.catch(() => {});
    return turn;
  }

  /** Stores the generation. A store that fails keeps nobody from being protected by it now. */
  private keep(): Promise<void> {
    return this.inTurn(async () => {
      try {
        await bounded(storeTimeoutMs, undefined, () => this.save());
        this.isKept = true;
        await this.saved.clean();
      } catch (error) {
        this.tellStore(error);
      }
    });
  }

  /** Where another writer was first, what both know is kept. */
  private async save(): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts && this.isAhead; attempt++) {
      const next = { ...this.generation!, sequence: this.seen + 1 };
      this.generation = next;
      if (await this.saved.save(next)) {
        this.seen = Math.max(this.seen, next.sequence);
        // What came while it was written is stored in its own turn.
        if (this.generation === next) this.isAhead = false;
        return;
      }
      await this.takeIn();
    }
    if (this.isAhead) throw new PortcullisError('CONFLICT', 'others write the list all the time; it is kept in memory');
  }

  /** Takes in what others have stored, beside what no head has yet. */
  private async takeIn(): Promise<void> {
    const stored = await this.saved.load(this.seen);
    // Heads that cannot be read, and a store that was emptied, are followed all the same.
    this.seen = stored?.sequence ?? this.saved.sequence;
    if (stored === null) return;
    for (;;) {
      const held = this.generation;
      const next = this.isAhead && held !== null ? await together(stored, held) : stored;
      // An event may have come meanwhile.
      if (this.generation !== held) continue;
      if (next !== stored) return this.put(next);
      this.isAhead = false;
      this.isKept = true;
      return this.swap(stored);
    }
  }

  /** Something new that has to be stored. */
  private put(generation: Generation): void {
    this.isAhead = true;
    this.swap({ ...generation, sequence: this.seen + 1 });
  }

  private swap(generation: Generation): void {
    const before = this.generation;
    this.generation = generation;
    const isSame =
      before !== null &&
      before.base === generation.base &&
      before.recent === generation.recent &&
      before.removed === generation.removed &&
      before.allowed === generation.allowed;
    if (!isSame) this.settings.emit({ type: 'changed', generation, before });
  }

  private async remember(): Promise<void> {
    await this.saved
      .writeMemo({ retry: this.retry, suspicion: this.suspicion, secret: this.secret })
      .catch((error: unknown) => this.tellStore(error, false));
  }

  private tellStore(cause: unknown, isList = true): void {
    if (isList) this.isKept = false;
    const error = isPortcullisError(cause)
      ? cause
      : new PortcullisError('STORE_UNAVAILABLE', 'the store failed; the list is kept in memory', { cause });
    this.settings.emit({ type: 'error', where: 'store', error });
  }

  private tellAge(): void {
    const { now, frozenMs, source, emit } = this.settings;
    const nowMs = now();
    const isStale = this.generation !== null && this.isStale(nowMs);
    if (isStale && this.told !== 'stale') emit({ type: 'stale', ageMs: this.ageMs(nowMs) });
    this.told = isStale ? 'stale' : 'nothing';
    const sinceMs = this.generation === null ? nowMs : this.generation.movedAtMs;
    const isFrozen = source.moves !== false && nowMs - sinceMs > frozenMs;
    if (isFrozen && !this.isFrozenTold) emit({ type: 'frozen', sinceMs });
    this.isFrozenTold = isFrozen;
  }
}

/** What two writers know: of one snapshot all that came after it, else the list that was fetched later. */
async function together(stored: Generation, own: Generation): Promise<Generation> {
  if (!isSameSnapshot(stored, own)) return stored.snapshotAtMs > own.snapshotAtMs ? stored : own;
  const { recent: entries, removed, allowed } = own;
  const later = { entries, isProven: false, remove: removed ?? undefined, allow: allowed ?? undefined };
  const younger = stored.currentAtMs > own.currentAtMs ? stored : own;
  return { ...younger, ...(await addRecents(stored, later, {})) };
}

/** None of its times is in the future. */
function notAfter(generation: Generation, nowMs: number): Generation {
  const { snapshotAtMs, currentAtMs, movedAtMs } = generation;
  return {
    ...generation,
    snapshotAtMs: Math.min(snapshotAtMs, nowMs),
    currentAtMs: Math.min(currentAtMs, nowMs),
    movedAtMs: Math.min(movedAtMs, nowMs),
  };
}

function isSameSnapshot(a: Generation, b: Generation): boolean {
  return a.algoVersion === b.algoVersion && a.snapshotToken === b.snapshotToken;
}

function isWithin(ageMs: number, mostMs: number): boolean {
  return ageMs >= 0 && ageMs < mostMs;
}

function closed(): PortcullisError {
  return new PortcullisError('CLOSED', 'the blocklist is closed');
}
