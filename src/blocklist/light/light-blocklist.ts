import { portcullis1 } from '../../core/algorithms/portcullis-1.js';
import type { Asset } from '../../core/assets/asset.js';
import { assetsOf, normalize, readText } from '../../core/assets/read-text.js';
import { hasCode, type PortcullisError, requireString, type SignalLike, throwIfAborted, wrapError } from '../../core/errors.js';
import { abortable, bounded } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { globals } from '../../core/http/fetch.js';
import { readOptions } from '../../core/options/read-options.js';
import { Listeners } from '../checks/blocklist-events.js';
import { checkKinds, syncKinds } from '../checks/blocklist-options.js';
import { isSound } from '../checks/self-test.js';
import type { Answer } from '../confirm/confirmer.js';
import { isHeld, noRetry, retryAfterFailure, retryAfterSuccess } from '../sync/backoff.js';
import { closed, type ListResult } from '../sync/list-sync.js';
import { newerOf, sequenceIn } from '../sync/version-order.js';
import { actionOf, type Verdict } from '../verdict.js';
import { createLightConfirmer } from './light-confirm.js';
import { findLight, isLightStale, type LightFinding, type LightLook } from './light-find.js';
import { createLightKept, type LightState } from './light-kept.js';
import { type LightBlocklist, type LightOptions, lightKinds } from './light-options.js';
import { type LightList, runLightRound } from './light-round.js';

/** Longest time of one round: three files over a slow network. */
const roundTimeoutMs = 900_000;

/** The interval of rounds, even if the app polls instead of a timer. */
const defaultPollMs = 300_000;

/** Longest timer, because one that slept with its machine would be late. */
const maxTimerMs = 60_000;

/** Shortest pause between two rounds. */
const minPauseMs = 1_000;

/**
 * Creates a blocklist of one list, for pages where every kilobyte counts. It gives the verdicts of `createBlocklist`, and has none of its
 * overrides, webhooks, explanations, screening and other sources.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function createLightBlocklist(options: LightOptions): LightBlocklist {
  const settings = readOptions('createLightBlocklist', lightKinds(), options);
  const { source, families, policy, pollMs, maxAgeMs, deadlineMs, now, random } = settings;
  const { id, origin } = source;
  const own = portcullis1(families);
  const isOwnSound = isSound(own);
  const listeners = new Listeners(['changed', 'damaged', 'error']);
  const end = createEnd();
  let list: LightList | null = null;
  let state: LightState = { retry: noRetry, newest: null, seen: undefined };
  let lastError: PortcullisError | null = null;
  let isLoaded = false;
  let loading: Promise<void> | undefined;
  let running: Promise<ListResult> | undefined;
  let closing: Promise<void> | undefined;
  let timer: unknown;
  let isPolling = false;

  const onError = (where: 'sync' | 'store' | 'confirm', error: PortcullisError): void =>
    listeners.emit('error', { source: id, where, error });
  const save = (): Promise<unknown> => kept.saveState(list, state);
  const confirmer = createLightConfirmer({
    confirm: (prefixes, call) => {
      const nowMs = now();
      const sequence = sequenceIn(newerOf(state.newest, list?.order ?? null, nowMs), origin, nowMs);
      return source.confirm!(prefixes, { ...call, sequence: sequence >= 0 ? sequence : undefined });
    },
    now,
    closing: end.signal,
    onError: (error) => onError('confirm', error),
    onBlocks: save,
  });
  const kept = createLightKept(
    settings.store,
    source,
    confirmer.blocks,
    now,
    (error) => onError('store', error),
    (name, error) => listeners.emit('damaged', { source: id, name, error }),
  );

  const requireOpen = (): void => {
    if (closing !== undefined) throw closed();
  };

  function put(next: LightList): void {
    const before = list;
    list = next;
    const isSame = next.generation === before?.generation;
    const isSameVersion = next.order.sequence === before?.order.sequence;
    if (isSame && isSameVersion) return;
    const isRecentOnly = next.base === before?.base;
    // An entry that was denied may be on the new list, even with the same sets if it had been removed for a while.
    confirmer.doubt((prefix) => !isRecentOnly || !isSameVersion || next.recent.has(prefix));
    if (isSame) return;
    const count = next.base.size + next.recent.size;
    listeners.emit('changed', { source: id, generation: next.generation, count, isRecentOnly });
  }

  /** The same list, if the clock was set back: its age is unknown, and counts from now. */
  const notAfter = (some: LightList): LightList => ({ ...some, currentAtMs: Math.min(some.currentAtMs, now()) });

  async function read(): Promise<void> {
    const stored = await kept.load();
    if (stored.state !== null) state = stored.state;
    if (stored.list !== null) {
      const isOlder = sequenceIn(stored.list.order, origin, now()) < sequenceIn(state.newest, origin, now());
      put(isOlder ? { ...stored.list, currentAtMs: 0 } : notAfter(stored.list));
      // Saved, because every start would otherwise trust the date of a clock that was ahead.
      if (list!.currentAtMs !== stored.list.currentAtMs) void save();
    } else if (state.retry.failures === 0) state = { ...state, retry: noRetry };
    isLoaded = true;
  }

  /** Never rejects. */
  const load = (): Promise<void> => {
    loading ??= read();
    return loading;
  };

  async function round(): Promise<ListResult> {
    if (list !== null) list = notAfter(list);
    const before = list;
    const newest = newerOf(state.newest, before?.order ?? null, now());
    const interval = pollMs || defaultPollMs;
    const { retry } = state;
    let result: ListResult;
    try {
      const work = (signal: SignalLike) => runLightRound(source, before, newest, state.seen, now, signal);
      const { list: next, minWaitMs, fault } = await bounded(roundTimeoutMs, end.signal, work, true);
      const seen = before === null ? state.seen : source.tokenHistory?.next(state.seen, before, next);
      state = {
        retry: retryAfterSuccess(interval, minWaitMs, now(), random()),
        newest: newerOf(newest, next.order, now()),
        seen,
      };
      put(next);
      const isNew = next.generation !== before?.generation;
      if (isNew) await kept.saveList(next);
      if (fault !== null) throw fault;
      lastError = null;
      result = { source: id, outcome: isNew ? 'updated' : 'unchanged' };
    } catch (cause) {
      if (end.signal.aborted) throw closed();
      lastError = wrapError(cause, 'NETWORK', `the source ${id} failed`);
      const failure = { pollMs: interval, hasList: list !== null, nowMs: now(), random: random() };
      state = { ...state, retry: retryAfterFailure(retry, lastError, failure) };
      result = { source: id, outcome: 'failed', error: lastError };
      onError('sync', lastError);
    }
    await save();
    return result;
  }

  async function sync(signal?: SignalLike): Promise<ListResult> {
    requireOpen();
    await abortable(load(), signal);
    requireOpen();
    const { retry } = state;
    if (running === undefined && isHeld(retry, now())) return { source: id, outcome: 'deferred', untilMs: retry.heldUntilMs };
    running ??= round().finally(() => {
      running = undefined;
    });
    return abortable(running, signal);
  }

  /** If the clock was set back, a round is due. */
  function nextSyncAtMs(): number {
    const { retry } = state;
    const nowMs = now();
    const isAhead = retry.atMs > nowMs || (list?.currentAtMs ?? 0) > nowMs;
    return isAhead && !isHeld(retry, nowMs) ? nowMs : retry.dueAtMs;
  }

  function plan(minMs = 0): void {
    globals.clearTimeout(timer);
    if (!isPolling) return;
    timer = globals.setTimeout(
      () => {
        if (nextSyncAtMs() > now()) plan();
        // It rejects only when the list is closed.
        else
          sync().then(
            () => plan(minPauseMs),
            () => {},
          );
      },
      Math.min(maxTimerMs, Math.max(minMs, nextSyncAtMs() - now())),
    );
    // Does not keep a process alive.
    (timer as { unref?: () => void }).unref?.();
  }

  function find(text: string, held: LightList | null, more: Pick<LightLook, 'answers' | 'wanted'>): LightFinding {
    if (!isOwnSound) return { status: 'unknown', reason: 'self-test-failed' };
    const missing = !isLoaded ? 'loading' : lastError?.code === 'ALGORITHM_UNKNOWN' ? 'algorithm-unknown' : 'no-list';
    const look = { confirmer: source.confirm === undefined ? null : confirmer, nowMs: now(), maxAgeMs, ...more };
    const found = findLight(text, own, held, missing, look);
    if (found !== null) return found;
    const reading = normalize(text, {}, families);
    const refused = 'refused' in reading ? reading.refused : 'unknown';
    if (refused === 'unknown' || refused === 'too-deep') return { status: 'unknown', reason: 'unreadable' };
    return { status: 'not-listable', reason: refused };
  }

  /** Of several targets, the one that has the expression. */
  function assetFor(text: string, expression: string): Asset | undefined {
    const found = assetsOf(readText(text, {}, families));
    return own.subjectsOf(text).length === 1 ? found[0] : found.find((asset) => own.subjectsOf(asset)[0]?.includes(expression));
  }

  function verdict(text: string, held: LightList | null, { status, reason, expression, isListed }: LightFinding): Verdict {
    return {
      status,
      action: actionOf(status, reason, policy),
      reason,
      ...(isListed && { source: id }),
      ...(expression !== undefined && { asset: assetFor(text, expression), expression }),
      ...(isListed && held !== null && { ageMs: Math.max(0, now() - held.currentAtMs), generation: held.generation }),
    };
  }

  /** Ends at the deadline, with what is known by then. */
  async function within(waitMs: number, signal: SignalLike | undefined, work: () => Promise<unknown>): Promise<void> {
    await bounded(waitMs, signal, work).catch((error: unknown) => {
      if (!hasCode(error, 'TIMEOUT')) throw error;
    });
  }

  return {
    async ready(options) {
      const { signal } = readOptions('ready', syncKinds(), options);
      requireOpen();
      await abortable(load(), signal);
      if (list === null) await sync(signal);
      requireOpen();
      isPolling = pollMs > 0;
      plan();
    },
    test(text) {
      requireString(text, 'text');
      requireOpen();
      return verdict(text, list, find(text, list, {}));
    },
    async check(text, options) {
      const { signal, deadlineMs: waitMs = deadlineMs } = readOptions('check', checkKinds(), options);
      requireString(text, 'text');
      requireOpen();
      throwIfAborted(signal);
      const startMs = Date.now();
      if (!isLoaded) await within(waitMs, signal, load);
      requireOpen();
      const held = list;
      const wanted = new Set<number>();
      const first = find(text, held, { wanted });
      const answers = new Map<number, Answer>();
      const ask = async (prefix: number): Promise<void> => {
        answers.set(prefix, { failure: 'deadline' });
        answers.set(prefix, await confirmer.ask(prefix, held!.algoVersion));
      };
      // What was confirmed earlier is blocked at once, and asked about for later checks.
      const asked = first.status === 'unconfirmed' || first.reason === 'confirmed-earlier' ? [...wanted].map(ask) : [];
      if (first.status !== 'unconfirmed') return verdict(text, held, first);
      // Stays within its bounds even if the clock is changed meanwhile.
      const leftMs = Math.min(waitMs, Math.max(0, waitMs - (Date.now() - startMs)));
      await within(leftMs, signal, () => Promise.all(asked));
      return verdict(text, held, find(text, held, { answers }));
    },
    sync: async (options) => sync(readOptions('sync', syncKinds(), options).signal),
    status: () => ({
      source: id,
      list: list && {
        count: list.base.size,
        recentCount: list.recent.size,
        ...list.order,
        ageMs: Math.max(0, now() - list.currentAtMs),
        isStale: isLightStale(list, now(), maxAgeMs),
      },
      lastError,
      failures: state.retry.failures,
      nextSyncAtMs: nextSyncAtMs(),
      heldUntilMs: state.retry.heldUntilMs,
    }),
    on: (type, listener) => listeners.on(type, listener),
    close() {
      closing ??= (async () => {
        isPolling = false;
        plan();
        end.abort(closed());
        await loading;
        await running?.catch(() => {});
        await kept.close();
        await source.close?.();
      })();
      return closing;
    },
  };
}
