import { portcullis1 } from '../../core/algorithms/portcullis-1.js';
import { assetsOf, normalize, readText } from '../../core/assets/read-text.js';
import { hasCode, type PortcullisError, requireString, type SignalLike, wrapError } from '../../core/errors.js';
import { abortable, bounded } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { createConfirmer } from '../ask/confirmer.js';
import { type AskedList, askAtOnce } from '../checks/ask.js';
import { Listeners } from '../checks/blocklist-events.js';
import { checkCallOf, checkQuestions } from '../checks/check-questions.js';
import { createChecker } from '../checks/checker.js';
import { isFrameIn, isPastedIn, questionOf } from '../checks/question.js';
import { type Generation, hasPrefix } from '../generation.js';
import { isHeld } from '../rules/retry.js';
import { newerOf, sequenceIn } from '../rules/version-order.js';
import { hasSameSets, notAfter } from '../sync/combine.js';
import { closed, type ListResult } from '../sync/list-sync.js';
import { createPoller } from '../sync/poller.js';
import { type RoundTools, runRound } from '../sync/round.js';
import * as states from '../sync/sync-state.js';
import { createLightKept } from './light-kept.js';
import { type LightBlocklist, type LightOptions, lightSettingsOf } from './light-options.js';
import { lightSets } from './light-sets.js';

/** Longest time of one round: three files over a slow network. */
const roundTimeoutMs = 900_000;

/** The interval of rounds, even if the app polls instead of a timer. */
const defaultPollMs = 300_000;

/** The defaults of `createBlocklist`. */
const limits = { maxSnapshotAgeMs: 604_800_000, maxRecentCount: 100_000 };

const noOverrides = { current: { find: () => undefined } };

/**
 * Creates a blocklist of one list, for pages where every kilobyte counts. It gives the verdicts of `createBlocklist`, and has none of its
 * overrides, webhooks, explanations, screening and other sources.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function createLightBlocklist(options: LightOptions): LightBlocklist {
  const { source, families, policy, pollMs, maxAgeMs, deadlineMs, now, random } = lightSettingsOf(options);
  const { id, origin } = source;
  const own = portcullis1(families);
  const algorithms = new Map([[own.name, own]]);
  const listeners = new Listeners();
  const end = createEnd();
  let generation: Generation | null = null;
  let state = states.initialState;
  let isLoaded = false;
  let loading: Promise<void> | undefined;
  let running: Promise<ListResult> | undefined;
  let closing: Promise<void> | undefined;

  const onError = (where: 'sync' | 'store' | 'confirm', error: PortcullisError): void =>
    listeners.emit('error', { source: id, where, error });
  const save = (): Promise<unknown> => kept.saveState(generation, state);
  const confirmer =
    source.confirm === undefined
      ? null
      : createConfirmer({
          confirm: (prefixes, call) => source.confirm!(prefixes, { ...call, sequence: newestIn() }),
          now,
          options: {},
          deadlineMs,
          onAsked: ({ error }) => error && onError('confirm', error),
          onPositive: save,
        });
  const kept = createLightKept(
    options.store,
    source,
    confirmer?.cache,
    now,
    (error) => onError('store', error),
    (name, error) => listeners.emit('damaged', { source: id, name, error }),
  );
  const list: AskedList = {
    id,
    maxAgeMs,
    confirmer,
    get generation() {
      return generation;
    },
    get missing() {
      if (!isLoaded) return 'loading';
      return state.lastError?.code === 'ALGORITHM_UNKNOWN' ? 'algorithm-unknown' : 'no-list';
    },
    isIgnored: () => false,
    threatsOf: (expression) => confirmer?.threatsOf(source, expression) ?? [],
  };
  const assets = {
    canonicalizeUrl: own.canonicalizeUrl,
    detectAssets: (text: string) => assetsOf(readText(text, {}, families)),
    normalizeAsset: (text: string, hint = {}) => normalize(text, hint, families),
  };
  const checker = createChecker([list], noOverrides, { policy, now }, { assets, algorithms });

  const requireOpen = (): void => {
    if (closing !== undefined) throw closed();
  };

  function newestIn(): number | undefined {
    const sequence = sequenceIn(newerOf(state.newest, generation?.order ?? null, now()), origin, now());
    return Number.isFinite(sequence) ? sequence : undefined;
  }

  function put(next: Generation): void {
    const before = generation;
    generation = next;
    const isSameVersion = next.order.sequence === before?.order.sequence;
    const isSame = before !== null && hasSameSets(before, next);
    if (isSame && isSameVersion) return;
    const isRecentOnly = next.base === before?.base;
    // An entry that was denied may be on the new list, even with the same sets if it had been removed for a while.
    confirmer?.doubt((prefix) => !isRecentOnly || !isSameVersion || hasPrefix(next.recent, prefix));
    const count = next.base.size + next.recent.size;
    if (!isSame) listeners.emit('changed', { source: id, generation: next.sequence, count, isRecentOnly });
  }

  async function read(): Promise<void> {
    const stored = await kept.load();
    if (stored.state !== null) state = { ...state, ...stored.state };
    if (stored.list !== null) {
      const isOlder = sequenceIn(stored.list.order, origin, now()) < sequenceIn(state.newest, origin, now());
      put(isOlder ? { ...stored.list, currentAtMs: 0 } : notAfter(stored.list, now()));
      // Saved, because every start would otherwise trust the date of a clock that was ahead.
      if (generation!.currentAtMs !== stored.list.currentAtMs) void save();
    } else state = states.afterLoss(state);
    isLoaded = true;
  }

  /** Never rejects. */
  const load = (): Promise<void> => {
    loading ??= read();
    return loading;
  };

  const tools: RoundTools = {
    spare: { snapshot: null },
    source,
    algorithms,
    sets: lightSets,
    now,
    limits,
    onProgress: () => {},
  };

  async function round(): Promise<ListResult> {
    if (generation !== null) generation = notAfter(generation, now());
    const before = generation;
    const newest = newerOf(state.newest, before?.order ?? null, now());
    const { doubt, seen } = state;
    const interval = pollMs || defaultPollMs;
    let result: ListResult;
    try {
      const work = (signal: SignalLike) => runRound(tools, { held: before, doubt, newest, seen, mayAskAgain: false }, signal);
      const { generation: made, version, changed, fault } = await bounded(roundTimeoutMs, end.signal, work, true);
      const isNew = changed !== 'nothing';
      const next = { ...made, signed: null, sequence: (before?.sequence ?? 0) + (isNew ? 1 : 0) };
      const seenNow = before === null ? seen : source.tokenHistory?.next(seen, before, next);
      state = { ...state, newest: newerOf(newest, next.order, now()), seen: seenNow };
      put(next);
      if (isNew) await kept.saveList(next);
      if (fault !== null) throw fault;
      state = states.afterSuccess(state, version.minWaitMs, interval, now(), random());
      result = { source: id, outcome: isNew ? 'updated' : 'unchanged' };
    } catch (cause) {
      if (end.signal.aborted) throw closed();
      const error = wrapError(cause, 'NETWORK', `the source ${id} failed`);
      const failure = { pollMs: interval, hasList: generation !== null, nowMs: now(), random: random() };
      state = states.afterFailure(state, error, failure);
      result = { source: id, outcome: 'failed', error };
      onError('sync', error);
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

  const nextSyncAtMs = (): number => states.nextSyncAtMs(state, generation, now());
  const poller = createPoller({ now, nextSyncAtMs, sync });

  return {
    async ready({ signal } = {}) {
      requireOpen();
      await abortable(load(), signal);
      if (generation === null) await sync(signal);
      requireOpen();
      if (pollMs > 0) poller.start();
    },
    test(text, options = {}) {
      requireString(text, 'text');
      requireOpen();
      const question = questionOf(text, { assets }, isPastedIn(options));
      return checker.verdict(checker.find(question, { isFrame: isFrameIn(options) }), question);
    },
    async check(text, options = {}) {
      requireString(text, 'text');
      const call = checkCallOf(options, requireOpen, deadlineMs);
      const startMs = Date.now();
      if (!isLoaded)
        await bounded(call.deadlineMs, call.signal, load).catch((error: unknown) => {
          if (!hasCode(error, 'TIMEOUT')) throw error;
        });
      requireOpen();
      // Stays within its bounds even if the clock is changed meanwhile.
      const leftMs = Math.min(call.deadlineMs, Math.max(0, call.deadlineMs - (Date.now() - startMs)));
      const questions = [questionOf(text, { assets }, isPastedIn(options))];
      return (await checkQuestions(questions, checker, leftMs, call.signal, askAtOnce, call.isFrame))[0]!;
    },
    sync: ({ signal } = {}) => sync(signal),
    status: () => ({
      source: id,
      list: generation && {
        count: generation.base.size,
        recentCount: generation.recent.size,
        ...generation.order,
        ageMs: states.ageOf(generation, now()),
        isStale: states.isStale(generation, now(), maxAgeMs),
      },
      lastError: state.lastError,
      failures: state.retry.failures,
      nextSyncAtMs: nextSyncAtMs(),
      heldUntilMs: state.retry.heldUntilMs,
    }),
    on: (type, listener) => listeners.on(type, listener),
    close() {
      closing ??= (async () => {
        poller.stop();
        end.abort(closed());
        confirmer?.close();
        await loading;
        await running?.catch(() => {});
        await kept.close();
        await source.close?.();
      })();
      return closing;
    },
  };
}
