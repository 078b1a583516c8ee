import { type PortcullisError, refuse, requireString } from '../../core/errors.js';
import { readOptions } from '../../core/options/read-options.js';
import { events, Listeners } from '../model/blocklist-events.js';
import type { Blocklist, SyncResult } from '../model/blocklist-interface.js';
import type { CheckOptions } from '../model/blocklist-options.js';
import { loadingOf, type Parts, type Settings, syncKinds } from '../model/blocklist-options.js';
import type { Override, OverrideOptions } from '../model/override-set.js';
import { type CheckInput, type Question, questionOf } from '../model/question.js';
import type { Verdict } from '../model/verdict.js';
import { createBeginning } from '../sync/beginning.js';
import { createOpenStore } from '../sync/open-store.js';
import { type Ask, askAtOnce } from './ask.js';
import { checkCallOf, checkQuestions, requireInputs } from './check-questions.js';
import { createChecker } from './checker.js';
import { withInternals } from './internals.js';
import { listOf } from './kept-list.js';
import { createKeptOverrides } from './kept-overrides.js';
import { statusOf } from './list-status.js';
import { roundsOf } from './rounds.js';
import { createSession } from './session.js';

/** @throws PortcullisError `INVALID_INPUT` */
export function makeBlocklist(settings: Settings, parts: Parts): Blocklist {
  const { now } = settings;
  const listeners = new Listeners(events);
  const onStoreError = (error: PortcullisError): void => listeners.emit('error', { source: undefined, where: 'store', error });
  const onDamaged = (error: PortcullisError): void => listeners.emit('damaged', { source: undefined, name: 'overrides', error });
  const store = createOpenStore(settings.store, onStoreError);
  const overrides = createKeptOverrides(store, parts, now, onDamaged, onStoreError);
  const all = settings.sources.map((source) => listOf(source, settings, parts, store, listeners));
  // A global cache lists nothing, so what looks at lists does not see it.
  const lists = all.filter((_, at) => settings.sources[at]!.isGlobalCache !== true);
  const caches = all.filter((list) => !lists.includes(list));
  if (lists.length === 0) refuse('sources has only a global cache; pass everything that safeBrowsingSource returned');
  const checker = createChecker(lists, overrides, settings, parts, caches);
  const session = createSession(store, overrides, all);
  const { syncMissing, syncSome, ...rounds } = roundsOf(all, session, now);

  /** Overrides and confirmed blocks count too, so the store is read first. A list that hangs beside others delays nothing. */
  const isLoading = (): boolean =>
    !session.isLoaded() ||
    (lists.every(({ generation }) => generation === null) && lists.some(({ missing }) => missing === 'loading'));

  const isDue = (): boolean => all.some(({ generation, sync }) => generation === null && sync.nextSyncAtMs() <= now());
  const beginning = createBeginning({
    pollMs: settings.pollMs,
    load: () => session.loaded(),
    isLoading,
    isDue,
    fetchMissing: syncMissing,
    poll: rounds.start,
  });
  const ran = (round: Promise<SyncResult>): Promise<SyncResult> => {
    beginning.ran(round);
    return round;
  };

  const checkWith = async (ask: Ask, inputs: Iterable<CheckInput>, options?: CheckOptions): Promise<Verdict[]> => {
    const { signal, deadlineMs, isFrame, isPasted } = checkCallOf(options, session.requireOpen, settings.deadlineMs);
    const read = (input: CheckInput): Question => questionOf(input, parts, isPasted);
    const asked: (string | Question)[] = [];
    for (const input of inputs) asked.push(typeof input === 'string' ? input : read(input));
    beginning.check();
    const leftMs = isLoading() ? await beginning.wait(deadlineMs, signal) : deadlineMs;
    session.requireOpen();
    return checkQuestions(asked, read, checker, leftMs, signal, ask, isFrame);
  };

  const override = async (action: Override['action'], input: CheckInput, options?: OverrideOptions): Promise<Override> => {
    session.requireOpen();
    const question = questionOf(input, parts);
    await session.loaded();
    return overrides.set(action, question, options);
  };

  const blocklist: Blocklist = {
    ready: async (options) => beginning.ready(readOptions('ready', syncKinds(), options).signal),
    test(input, options) {
      session.requireOpen();
      beginning.check();
      const { loading, isPasted } = loadingOf(options);
      const isFrame = loading === 'frame';
      const miss = typeof input === 'string' && session.isLoaded() ? checker.findSureMiss(input) : null;
      if (miss !== null) return miss;
      const question = questionOf(input, parts, isPasted);
      const finding = checker.find(question, { isFrame });
      // An override that blocks it may not have been read yet.
      const isSure = finding.status !== 'clear' || session.isLoaded();
      return checker.verdict(isSure ? finding : { status: 'unknown', reason: 'loading' }, question);
    },
    async check(input, options) {
      const [verdict] = await checkWith(askAtOnce, [input], options);
      return verdict!;
    },
    async checkMany(inputs, options) {
      requireInputs(inputs);
      return checkWith(askAtOnce, inputs, options);
    },
    sync: (call) => ran(rounds.sync(call)),
    syncDue: (call) => ran(rounds.syncDue(call)),
    start() {
      session.requireOpen();
      beginning.start();
    },
    stop() {
      beginning.stop();
      rounds.stop();
    },
    get nextSyncAtMs() {
      return Math.min(...all.map(({ sync }) => sync.nextSyncAtMs()));
    },
    allow: (input, options) => override('allow', input, options),
    block: (input, options) => override('block', input, options),
    async removeOverride(expression) {
      session.requireOpen();
      requireString(expression, 'expression');
      await session.loaded();
      return overrides.remove(expression);
    },
    overrides: () => overrides.current.toJSON(),
    status: () => ({
      isSound: checker.isSound,
      isStored: store.keeps(),
      overrides: overrides.current.size,
      sources: all.map((list) => statusOf(list, store.keeps(), now())),
    }),
    on: (type, listener) => listeners.on(type, listener),
    close: () => session.close(),
  };
  return withInternals(blocklist, { parts, settings, lists, checker, session, overrides, checkWith, syncSome });
}
