import type { Algorithm } from '../../core/algorithms/algorithm.js';
import { readU32 } from '../../core/bytes.js';
import { PortcullisError, type SignalLike, wrapError } from '../../core/errors.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { abortable, bounded } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { globals } from '../../core/http/fetch.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { coveredHost, coverOf } from '../../core/sure-miss/covers.js';
import type { SyncStep } from '../model/blocklist-events.js';
import type { ListResult } from '../model/blocklist-interface.js';
import { type Generation, ofUnknownAge, type VersionOrder } from '../model/generation.js';
import { isHeld } from '../rules/next-round.js';
import { credible, laterCheckpoint, laterTime, newerOf, sequenceIn } from '../rules/version-order.js';
import { calibrateAgainMs } from './calibrate.js';
import { createHeldList, type HeldEvent, type HeldList } from './held-list.js';
import type { OpenStore } from './open-store.js';
import { addRecents } from './recents.js';
import { type RoundResult, type RoundTools, runRound } from './round.js';
import { createSavedList, type SavedList } from './saved.js';
import * as states from './sync-state.js';

/** The events of one source's list. */
export type ListEvent =
  | HeldEvent
  | states.AgeEvent
  | { readonly type: 'progress'; readonly step: SyncStep; readonly bytes: number; readonly total: number | undefined }
  | { readonly type: 'error'; readonly where: 'sync'; readonly error: PortcullisError }
  | { readonly type: 'damaged'; readonly name: string; readonly error: PortcullisError }
  /** The source offered an older version. */
  | { readonly type: 'rollback' }
  /** Known entries are not in the list. */
  | { readonly type: 'mismatch'; readonly samples: number; readonly found: number };

export interface ListSettings extends Omit<RoundTools, 'onProgress' | 'spare'> {
  readonly random: () => number;
  readonly pollMs: number;
  readonly maxAgeMs: number;
  readonly frozenMs: number;
  /** Longest time of one round, in milliseconds. */
  readonly roundTimeoutMs: number;
  readonly emit: (event: ListEvent) => void;
}

type ExpressionOf = (algorithm: Algorithm) => string | undefined;

/**
 * One source's list: runs its rounds, one at a time. `sync-state.ts` decides what an outcome means, `round.ts` what a round
 * fetches, and `held-list.ts` holds the result.
 */
export interface ListSync {
  readonly id: string;
  readonly settings: ListSettings;
  readonly held: HeldList;
  /** The confirmed blocks are stored beside the list. */
  readonly saved: SavedList;
  readonly state: states.SyncState;
  /** Whether everything that is stored was read, or could not be read. */
  readonly isLoaded: boolean;
  isLoading(): boolean;
  readonly spare: RoundTools['spare'];
  /** Determines which decoys accompany a prefix on this device. */
  readonly secret: string;
  /** Reads everything that is stored. Values that cannot be read are reported, and fetched again. */
  load(): Promise<void>;
  /** Takes over what another writer has stored since. */
  reload(): Promise<void>;
  /** Finds damage that the 32-bit checksum of a stored value missed. */
  verify(): Promise<void>;
  nextSyncAtMs(): number;
  wake(): void;
  /**
   * Runs one round, or joins the one that is running. Rejects only with `ABORTED` and `CLOSED`.
   *
   * @param isAsked The app requested it, not a timer: a recent poll of another tab does not replace the round.
   */
  sync(isAsked: boolean, signal?: SignalLike): Promise<ListResult>;
  /** Adds a blocked asset that a webhook named before the list has it. */
  addRecent(expressionOf: ExpressionOf): Promise<void>;
  close(): Promise<void>;
}

type MutableList = { -readonly [Key in keyof ListSync]: ListSync[Key] };

export function createListSync(settings: ListSettings, store: OpenStore): ListSync {
  const { source, now, random, emit } = settings;
  let hasDamage = false;
  let isForeignReported = false;
  const saved = createSavedList(
    store,
    source,
    settings.pollMs,
    now,
    (name, error) => {
      hasDamage = true;
      emit({ type: 'damaged', name, error });
    },
    () => {
      if (isForeignReported) return;
      isForeignReported = true;
      const message = `another list is stored as ${source.id}; give one of the two sources another id, or its store another name`;
      emit({ type: 'error', where: 'store', error: new PortcullisError('CONFLICT', message) });
    },
  );
  /** A list that is older than one this device has had, also from another writer, blocks, but its misses do not count. */
  const judge = (generation: Generation): Generation => {
    const { newest } = list.state;
    list.state = { ...list.state, newest: newerOf(newest, generation.order, now()) };
    const isOlder = sequenceIn(generation.order, source.origin, now()) < sequenceIn(newest, source.origin, now());
    return isOlder ? ofUnknownAge(generation) : generation;
  };
  const held = createHeldList(saved, now, judge, emit);
  const end = createEnd();
  let running: Promise<ListResult> | null = null;

  const list: MutableList = {
    id: source.id,
    settings,
    held,
    saved,
    state: states.initialState,
    isLoaded: false,
    isLoading: () => states.isLoading(list.isLoaded, running !== null, held.generation, list.state),
    spare: { snapshot: null },
    secret: Array.from({ length: 4 }, () => Math.floor(random() * 2 ** 32).toString(36)).join('-'),
    async load() {
      const memo = saved.readMemo();
      const reads = [memo, held.read()];
      // A store that fails both reads counts as one failure.
      await Promise.all(reads).catch(held.fail);
      for (const read of reads) await read.catch(() => {});
      const known = await memo.catch(() => null);
      if (known !== null) {
        const { secret, newest, ...rest } = known;
        if (secret !== null) list.secret = secret;
        list.state = { ...list.state, ...rest, newest: newestOf(list, newest) };
      }
      // The newest list may be damaged, and an earlier one was read instead.
      if (held.generation !== null) held.generation = judge(held.generation);
      if (held.generation === null || hasDamage) list.state = states.afterLoss(list.state);
      list.isLoaded = true;
      void storeCorrectTimes(list);
    },
    async reload() {
      if (end.signal.aborted) return;
      await held.read().catch(held.fail);
      if (!held.isKept()) list.state = states.afterLoss(list.state);
    },
    async verify() {
      const { generation } = held;
      if (generation === null || end.signal.aborted) return;
      try {
        if (await saved.isIntact(generation, end.signal)) return;
        const error = new PortcullisError('INVALID_ARTIFACT', 'the stored list is damaged and will be fetched again');
        emit({ type: 'damaged', name: `${source.id}/base`, error });
        // The damaged list still blocks. Because of its age, the next round fetches the snapshot and keeps later changes.
        const current = held.generation;
        if (current?.base === generation.base) held.generation = { ...current, snapshotAtMs: 0, currentAtMs: 0 };
        list.state = states.afterLoss(list.state);
      } catch {
        // The list was closed meanwhile.
      }
    },
    nextSyncAtMs: () => states.nextSyncAtMs(list.state, held.generation, now()),
    wake() {
      list.state = states.afterWake(list.state, now());
    },
    async sync(isAsked, signal) {
      if (end.signal.aborted) throw closed();
      const { retry } = list.state;
      if (running === null && isHeld(retry, now())) {
        return { source: source.id, outcome: 'deferred', untilMs: retry.heldUntilMs };
      }
      running ??= round(list, store, end.signal, isAsked).finally(() => {
        running = null;
      });
      return abortable(running, signal);
    },
    addRecent: (expressionOf) => addRecent(list, end.signal, expressionOf),
    async close() {
      end.abort(closed());
      await running?.catch(() => {});
      await held.settled();
    },
  };
  return list;
}

/** The newest version that this device or another writer has had, as far as what is stored about it counts. */
function newestOf({ settings: { source, now }, held, state }: ListSync, stored: VersionOrder | null): VersionOrder | null {
  const known = credible(stored, source.trustedKeys, held.generation?.order ?? null, now());
  return newerOf(known, state.newest, now());
}

async function addRecent(list: ListSync, closing: SignalLike, expressionOf: ExpressionOf): Promise<void> {
  const { held, settings } = list;
  const { generation } = held;
  if (generation === null) return;
  const algorithm = settings.algorithms.get(generation.algorithm);
  const expression = algorithm && expressionOf(algorithm);
  if (expression === undefined) return;
  const covered = generation.covers === undefined ? null : coveredHost(expression);
  const hashes = [hashOf(expression), ...(covered === null ? [] : [coverOf(covered)])];
  const entries =
    generation.base instanceof AscendingSet ? PrefixSet.from(hashes.map((hash) => readU32(hash, 0))) : HashSet.from(hashes);
  const after = await addRecents(generation, { entries, isProven: false }, {});
  if (closing.aborted) throw closed();
  if (held.generation !== generation) return addRecent(list, closing, expressionOf);
  held.push(entries, { ...generation, ...after });
  await held.store();
}

async function round(list: MutableList, store: OpenStore, closing: SignalLike, isAsked: boolean): Promise<ListResult> {
  const { id: source, held, saved, settings } = list;
  const { now, random, pollMs, emit } = settings;
  held.beginRound();
  const { generation } = held;
  // Without a list, one that another writer stored while this round waited is what the app asked for.
  const mayBeFresh = (!isAsked || generation === null) && states.mayBeFresh(list.state, generation, now());
  await storeCorrectTimes(list);
  const fetchUnlessFresh = async (): Promise<RoundResult | null> => {
    const askedAtMs = now();
    await list.reload();
    await takeOver(list);
    if (!mayBeFresh || !states.isFresh(held.generation, askedAtMs, pollMs)) return fetchList(list, closing, !isAsked);
    if (!held.isKept()) {
      held.put(held.generation!);
      await held.store();
    }
    return null;
  };
  let result: ListResult;
  try {
    const fetched = await alone(store, fetchUnlessFresh, closing);
    if (fetched?.fault) throw fetched.fault;
    list.state = states.afterSuccess(list.state, fetched?.version.minWaitMs, pollMs, now(), random());
    result = { source, outcome: fetched === null || fetched.changed === 'nothing' ? 'unchanged' : 'updated' };
  } catch (cause) {
    if (closing.aborted) throw closed();
    const error = wrapError(cause, 'NETWORK', `the source ${source} failed`);
    const hasList = held.generation !== null;
    list.state = states.afterFailure(list.state, error, { pollMs, hasList, nowMs: now(), random: random() });
    result = { source, outcome: 'failed', error };
  }
  const { retry, doubt, newest, checkpoint, seen, olderAtMs, refusedAtMs } = list.state;
  const memo = { retry, doubt, secret: list.secret, newest, checkpoint, seen, olderAtMs, refusedAtMs };
  await saved.writeMemo(memo).catch((error: unknown) => held.fail(error, false));
  if (result.error !== undefined) emit({ type: 'error', where: 'sync', error: result.error });
  if (result.error?.code === 'OLDER_LIST') emit({ type: 'rollback' });
  const aged = states.afterAgeing(list.state, held.generation, settings, now());
  list.state = aged.state;
  for (const event of aged.events) emit(event);
  return result;
}

/** After a clock that was set back. A list that each start took for new would never become stale offline. */
async function storeCorrectTimes(list: MutableList): Promise<void> {
  const { held, settings, state } = list;
  const corrected = held.generation && states.afterClockBack(state, held.generation, settings.now());
  if (corrected === null) return;
  list.state = corrected.state;
  held.put(corrected.generation);
  await held.store();
}

/**
 * What another writer knows: a newer version, even if its list cannot be read, and what it was offered. Stored with the end of the round, even if
 * that fails, because it replaces what the other writer has stored.
 */
async function takeOver(list: MutableList): Promise<void> {
  const { held, settings } = list;
  const stored = await list.saved.readMemo().catch((error: unknown) => {
    held.fail(error, false);
    return null;
  });
  const { state } = list;
  list.state = {
    ...state,
    newest: newestOf(list, stored?.newest ?? null),
    checkpoint: laterCheckpoint(state.checkpoint, stored?.checkpoint),
    olderAtMs: laterTime(state.olderAtMs, stored?.olderAtMs ?? null, settings.now()),
    refusedAtMs: laterTime(state.refusedAtMs, stored?.refusedAtMs ?? null, settings.now()),
  };
}

async function fetchList(list: MutableList, closing: SignalLike, isBackground: boolean): Promise<RoundResult> {
  const { held, settings } = list;
  const { now, emit, roundTimeoutMs } = settings;
  const onProgress = (step: SyncStep, bytes: number, total: number | undefined): void =>
    emit({ type: 'progress', step, bytes, total });
  const before = held.generation;
  const { seen, calibratedAtMs } = list.state;
  const start = { ...list.state, held: before, mayAskAgain: !states.isWithin(now() - calibratedAtMs, calibrateAgainMs) };
  const { spare } = list;
  const run = (ended: SignalLike): Promise<RoundResult> => runRound({ ...settings, onProgress, spare }, start, ended);
  const result = await bounded(roundTimeoutMs, closing, run, isBackground);
  if (result.hasCalibrated) list.state = { ...list.state, calibratedAtMs: now() };
  list.state = {
    ...list.state,
    checkpoint: result.version.checkpoint ?? list.state.checkpoint,
    seen: before === null ? seen : settings.source.tokenHistory?.next(seen, before, result.generation),
  };
  const generation = await held.withNews(result.generation, before);
  if (result.changed !== 'nothing') onProgress('store', 0, undefined);
  held.put(generation);
  await held.store();
  const { calibration } = generation;
  if (calibration.outcome === 'failed' && calibration !== before?.calibration) {
    emit({ type: 'mismatch', samples: calibration.samples, found: calibration.found });
  }
  return result;
}

export function closed(): PortcullisError {
  return new PortcullisError('CLOSED', 'the blocklist is closed');
}

/** Longest wait for the lock, which only saves work. */
const lockWaitMs = 10_000;

/** Runs while no other user of the store does. After `lockWaitMs` it runs without the lock. */
async function alone<T>(store: OpenStore, run: () => Promise<T>, signal: SignalLike | undefined): Promise<T> {
  if (!store.keeps() || globals.AbortController === undefined) return run();
  const waiting = new globals.AbortController();
  const end = (): void => waiting.abort();
  const timer = globals.setTimeout(end, lockWaitMs);
  signal?.addEventListener('abort', end);
  let work: Promise<T> | undefined;
  try {
    return await store.lock(() => {
      globals.clearTimeout(timer);
      work = run();
      return work;
    }, waiting.signal as SignalLike);
  } catch (error) {
    // If the lock failed rather than the work, the work runs without it, unless it is already running.
    if (signal?.aborted) throw error;
    return await (work ?? run());
  } finally {
    globals.clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
