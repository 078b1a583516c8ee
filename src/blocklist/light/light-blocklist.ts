import { portcullis1 } from '../../core/algorithms/portcullis-1.js';
import { isSound } from '../../core/algorithms/self-test.js';
import { assetsOf, normalize, readText } from '../../core/assets/read-text.js';
import { PortcullisError, requireString, type SignalLike, throwIfAborted, wrapError } from '../../core/errors.js';
import { abortable, bounded, waitFor } from '../../core/http/bounded.js';
import { createEnd } from '../../core/http/end-signal.js';
import { readOptions } from '../../core/options/read-options.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import { createConfirmer } from '../ask/confirmer.js';
import { WholeHashes } from '../formats/whole-hashes.js';
import { Listeners } from '../model/blocklist-events.js';
import type { ListResult } from '../model/blocklist-interface.js';
import { checkValuesOf, defaultPollMs, loadingOf, roundDefaults, syncKinds } from '../model/blocklist-options.js';
import { type EntrySet, type Generation, ofUnknownAge, type VersionOrder } from '../model/generation.js';
import { assetFor, type Question, refusalFor, subjectsFor, textQuestion } from '../model/question.js';
import type { Artifact } from '../model/source.js';
import { actionOf, type SourceFinding, type Verdict, worst } from '../model/verdict.js';
import { readTime } from '../rules/doubt.js';
import { questionAbout, withCarried } from '../rules/judge-carried.js';
import {
  type Answer,
  type JudgedList,
  judgeAlone,
  judgeInList,
  type Look,
  missingReason,
  type Wanted,
} from '../rules/judge-hit.js';
import { isHeld } from '../rules/next-round.js';
import { advisoryWith } from '../rules/terms.js';
import { laterCheckpoint, laterTime, mayDeny, newerOf, sequenceIn } from '../rules/version-order.js';
import { askedList } from '../rules/which-list.js';
import { createBeginning } from '../sync/beginning.js';
import { closeSource } from '../sync/close-source.js';
import { doubtfulAfter, hasSameBase, hasSameSets } from '../sync/combine.js';
import { closed } from '../sync/list-sync.js';
import { onWake } from '../sync/on-wake.js';
import { createPoller } from '../sync/poller.js';
import { type RoundTools, runRound, type SetReader } from '../sync/round.js';
import * as states from '../sync/sync-state.js';
import { createLightKept } from './light-kept.js';
import { type LightBlocklist, type LightOptions, lightKinds } from './light-options.js';

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
  const listeners = new Listeners(['changed', 'damaged', 'error', 'log']);
  const end = createEnd();
  let generation: Generation | null = null;
  /** What the last round was given of the log: in what it accepted since, or forged in the store. */
  let given: string | undefined;
  let state = states.initialState;
  let isLoaded = false;
  let loading: Promise<void> | undefined;
  let running: Promise<ListResult> | undefined;
  let closing: Promise<void> | undefined;
  let stopWaking = (): void => {};

  const onError = (where: 'sync' | 'store' | 'confirm', error: PortcullisError): void =>
    listeners.emit('error', { source: id, where, error });
  const newest = (): VersionOrder | null => newerOf(state.newest, generation?.order ?? null, now());
  const confirmer =
    source.confirm === undefined
      ? null
      : createConfirmer({
          confirm: (prefixes, call) =>
            source.confirm!(prefixes, { ...call, ...askedList(source, newest(), generation, state.checkpoint, now()) }),
          now,
          latest: () => Math.max(now(), state.retry.failedAtMs),
          options: {},
          terms: source.terms,
          deadlineMs,
          mayDeny: () => mayDeny(source, state.refusedAtMs, now()),
          onAsked: ({ error }) => error && onError('confirm', error),
          onPositive: () => kept.saveState(),
        });
  const kept = createLightKept(
    settings.store,
    source,
    pollMs,
    settings.storesAnswers ? confirmer?.cache : undefined,
    () => [generation, state],
    now,
    ({ checkpoint, refusedAtMs }) => {
      state = {
        ...state,
        checkpoint: laterCheckpoint(state.checkpoint, checkpoint?.note === given ? undefined : checkpoint),
        refusedAtMs: laterTime(state.refusedAtMs, readTime(refusedAtMs), now()),
      };
    },
    (error) => onError('store', error),
    (name, error) => listeners.emit('damaged', { source: id, name, error }),
  );
  const list: JudgedList = {
    id,
    maxAgeMs,
    confirmer,
    get failedAtMs() {
      return state.retry.failedAtMs;
    },
    isIgnored: () => false,
  };
  const assets = {
    canonicalizeUrl: own.canonicalizeUrl,
    detectAssets: (text: string) => assetsOf(readText(text, {}, families)),
    normalizeAsset: (text: string, hint = {}) => normalize(text, hint, families),
  };
  const requireOpen = (): void => {
    if (closing !== undefined) throw closed();
  };

  function put(next: Generation): void {
    const before = generation;
    generation = next;
    const isSame = before !== null && hasSameSets(before, next);
    if (isSame && next.order.sequence === before.order.sequence) return;
    confirmer?.doubt(doubtfulAfter(before, next));
    const count = next.base.size + next.recent.size;
    if (!isSame)
      listeners.emit('changed', { source: id, generation: next.sequence, count, isRecentOnly: hasSameBase(before, next) });
  }

  /** After a clock that was set back. */
  function correctTimes(): void {
    const corrected = generation && states.afterClockBack(state, generation, now());
    if (corrected !== null) ({ state, generation } = corrected);
  }

  async function read(): Promise<void> {
    const stored = await kept.load();
    if (stored.state !== null) state = { ...state, ...stored.state };
    if (stored.list !== null) {
      const isOlder = sequenceIn(stored.list.order, origin, now()) < sequenceIn(state.newest, origin, now());
      put(isOlder ? ofUnknownAge(stored.list) : stored.list);
      correctTimes();
      // Saved, because every start would otherwise trust the date of a clock that was ahead.
      if (generation!.currentAtMs !== stored.list.currentAtMs) void kept.saveState();
    } else state = states.afterLoss(state);
    isLoaded = true;
    if (!end.signal.aborted)
      stopWaking = onWake(() => {
        state = states.afterWake(state, now());
        confirmer?.asker.watch.wake();
        poller.plan();
      });
  }

  /** Never rejects. */
  const load = (): Promise<void> => {
    loading ??= read();
    return loading;
  };

  const tools: RoundTools = {
    spare: { snapshot: null },
    source,
    algorithms: new Map([[own.name, own]]),
    sets: lightSets,
    now,
    limits: roundDefaults,
    onProgress: () => {},
  };

  async function round(): Promise<ListResult> {
    correctTimes();
    const before = generation;
    const known = { ...state, held: before, newest: newest(), mayAskAgain: false };
    const interval = pollMs || defaultPollMs;
    let result: ListResult;
    try {
      const work = (signal: SignalLike) => runRound(tools, known, signal);
      const { generation: made, version, changed, fault } = await bounded(roundDefaults.roundTimeoutMs, end.signal, work, true);
      const isNew = changed !== 'nothing';
      const next = { ...made, signed: null, sequence: (before?.sequence ?? 0) + (isNew ? 1 : 0) };
      if (version.checkpoint !== undefined) given = known.checkpoint?.note;
      const seen = before === null ? known.seen : source.tokenHistory?.next(known.seen, before, next);
      state = {
        ...state,
        newest: newerOf(known.newest, next.order, now()),
        checkpoint: version.checkpoint ?? state.checkpoint,
        seen,
      };
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
    await kept.saveState();
    return result;
  }

  /** If the stored list is read, what follows begins at once, and a check sees that it has. */
  async function sync(signal?: SignalLike): Promise<ListResult> {
    requireOpen();
    throwIfAborted(signal);
    if (!isLoaded) await abortable(load(), signal);
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

  const isLoading = (): boolean => states.isLoading(isLoaded, running !== undefined, generation, state);

  async function fetchMissing(signal: SignalLike | undefined): Promise<void> {
    requireOpen();
    throwIfAborted(signal);
    if (!isLoaded) await abortable(load(), signal);
    if (generation === null) await sync(signal);
    requireOpen();
  }

  const isDue = (): boolean => generation === null && nextSyncAtMs() <= now();
  const beginning = createBeginning({ pollMs, load, isLoading, isDue, fetchMissing, poll: poller.start });

  /** The steps of `createChecker`, for one list and no override. */
  function find(question: Question, held: Generation | null, look: Look<JudgedList>): SourceFinding {
    if (!isOwnSound) return { status: 'unknown', reason: 'self-test-failed' };
    const found = findTargets(question, held, look);
    return withCarried(found, question, own, policy, (carried) => findTargets(carried, held, look));
  }

  function findTargets(question: Question, held: Generation | null, look: Look<JudgedList>): SourceFinding {
    const subjects = subjectsFor(question, own);
    if (subjects.length === 0) return refusalFor(question, assets);
    const alone = subjects.map(judgeAlone);
    const open = subjects.filter((_, at) => alone[at] === null);
    const judged = open.map((subject): SourceFinding => {
      if (held !== null) return judgeInList(subject, held, list, now(), look);
      return { status: 'unknown', reason: missingReason(isLoading(), state.lastError), source: id };
    });
    return worst([...alone.filter((finding) => finding !== null), ...judged]);
  }

  function verdict(finding: SourceFinding, question: Question): Verdict {
    const { status, reason, source: decided, expression, ageMs, generation: number, carried } = finding;
    const about = carried === undefined ? question : questionAbout(carried);
    const advisory = advisoryWith(source.terms?.advisory, status);
    const threats = status === 'blocked' ? (confirmer?.threatsOf(source, expression!) ?? []) : [];
    return {
      status,
      action: actionOf(status, reason, policy),
      reason,
      ...(decided !== undefined && { source: decided }),
      ...(expression !== undefined && { asset: assetFor(about, expression, own, own, assets), expression }),
      ...(number !== undefined && { ageMs, generation: number }),
      ...(threats.length > 0 && { threats }),
      ...(advisory && { advisory }),
    };
  }

  return {
    ready: async (options) => beginning.ready(readOptions('ready', syncKinds(), options).signal),
    test(text, options) {
      requireString(text, 'text');
      requireOpen();
      beginning.check();
      const { loading, isPasted } = loadingOf(options);
      const isFrame = loading === 'frame';
      const question = textQuestion(text, assets, isPasted);
      return verdict(find(question, generation, { isFrame }), question);
    },
    async check(text, options) {
      const { signal, deadlineMs: waitMs = deadlineMs, loading, isPasted } = checkValuesOf(options);
      const isFrame = loading === 'frame';
      requireString(text, 'text');
      requireOpen();
      throwIfAborted(signal);
      beginning.check();
      const leftMs = isLoading() ? await beginning.wait(waitMs, signal) : waitMs;
      requireOpen();
      const held = generation;
      const question = textQuestion(text, assets, isPasted);
      const wanted: Wanted<JudgedList>[] = [];
      const first = find(question, held, { wanted, isFrame });
      const answers = new Map<number, Answer>();
      const ask = async ({ prefix, algoVersion }: Wanted<JudgedList>): Promise<void> => {
        answers.set(prefix, { failure: 'deadline' });
        answers.set(prefix, await confirmer!.ask(prefix, algoVersion));
      };
      const isOpen = first.status === 'unconfirmed';
      // What was confirmed earlier is blocked at once, and asked about for later checks.
      const asked = isOpen || first.reason === 'confirmed-earlier' ? wanted.map(ask) : [];
      if (!isOpen) return verdict(first, question);
      await waitFor(leftMs, signal, () => Promise.all(asked));
      return verdict(find(question, held, { answers: new Map([[list, answers]]), isFrame }), question);
    },
    async sync(options) {
      const round = sync(readOptions('sync', syncKinds(), options).signal);
      beginning.ran(round);
      return round;
    },
    status: () => ({
      source: id,
      list: generation && {
        count: generation.base.size,
        recentCount: generation.recent.size,
        ...generation.order,
        ageMs: states.ageOf(state, generation, now()),
        isStale: states.isStale(state, generation, now(), maxAgeMs),
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
        stopWaking();
        end.abort(closed());
        confirmer?.close();
        await loading;
        await running?.catch(() => {});
        await kept.close();
        await closeSource(source, (error) => onError('sync', error));
      })();
      return closing;
    },
  };
}

/** Entries of 4 bytes, all that a light list holds. Without the entries that a source allows, a check would block what is good. */
const lightSets: SetReader = {
  require(artifact, part) {
    const { entries, remove, allow, hot, common } = Object(artifact) as Partial<Artifact>;
    const isPlain = entries instanceof AscendingSet && [remove, allow, common].every((set) => set === undefined);
    if (isPlain && (hot === undefined || hot instanceof WholeHashes)) return;
    throw new PortcullisError(
      'INVALID_ARTIFACT',
      `the ${part} is invalid: a light list holds a PrefixSet, and WholeHashes; for others use createBlocklist`,
    );
  },
  async join(snapshot, recent, same, signal) {
    const entries = await runInSlices(union(same?.recent, recent?.entries), signal);
    const base = snapshot?.entries ?? same!.base;
    return { base, recent: entries, removed: null, allowed: null, hot: recent?.hot ?? null };
  },
};

/** A feed may be a moving window, so the entries of earlier feeds under the same snapshot stay. Recents are few. */
function* union(...sets: readonly (EntrySet | undefined)[]): Sliced<AscendingSet> {
  const entries = new Set<number>();
  for (const set of sets) for (const entry of (set as AscendingSet | undefined) ?? []) entries.add(entry);
  return yield* AscendingSet.ofAscending(Uint32Array.from(entries).sort());
}
