import { type PortcullisError, requireString } from '../../core/errors.js';
import { readOptions } from '../../core/options/read-options.js';
import type { Override } from '../override-set.js';
import { createOpenStore } from '../sync/open-store.js';
import type { Verdict } from '../verdict.js';
import { type Ask, askAtOnce } from './ask.js';
import { events, Listeners } from './blocklist-events.js';
import type { Blocklist, CheckOptions } from './blocklist-interface.js';
import { type Parts, type Settings, syncKinds } from './blocklist-options.js';
import { statusOf } from './blocklist-status.js';
import { checkCallOf, checkQuestions, requireInputs } from './check-questions.js';
import { createChecker } from './checker.js';
import { withInternals } from './internals.js';
import { listOf } from './kept-list.js';
import { createKeptOverrides, type OverrideOptions } from './kept-overrides.js';
import { type CheckInput, isFrameIn, type Question, questionOf } from './question.js';
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
  const lists = settings.sources.map((source) => listOf(source, settings, parts, store, listeners));
  const checker = createChecker(lists, overrides, settings, parts);
  const session = createSession(store, overrides, lists);
  const { syncMissing, syncSome, ...rounds } = roundsOf(lists, session, now);

  const checkAll = async (ask: Ask, questions: readonly Question[], options?: CheckOptions): Promise<Verdict[]> => {
    const { signal, deadlineMs, isFrame } = checkCallOf(options, session.requireOpen, settings.deadlineMs);
    const leftMs = session.isLoaded() ? deadlineMs : await session.loadedWithin(deadlineMs, signal);
    return checkQuestions(questions, checker, leftMs, signal, ask, isFrame);
  };
  const checkWith = async (ask: Ask, inputs: Iterable<CheckInput>, options?: CheckOptions): Promise<Verdict[]> =>
    checkAll(
      ask,
      Array.from(inputs, (input) => questionOf(input, parts)),
      options,
    );

  const override = async (action: Override['action'], input: CheckInput, options?: OverrideOptions): Promise<Override> => {
    session.requireOpen();
    const question = questionOf(input, parts);
    await session.loaded();
    return overrides.set(action, question, options);
  };

  const blocklist: Blocklist = {
    async ready(options) {
      await syncMissing(readOptions('ready', syncKinds(), options).signal);
      if (settings.pollMs > 0) rounds.start();
    },
    test(input, options) {
      session.requireOpen();
      const question = questionOf(input, parts);
      return checker.verdict(checker.find(question, { isFrame: isFrameIn(options) }), question);
    },
    async check(input, options) {
      const [verdict] = await checkAll(askAtOnce, [questionOf(input, parts)], options);
      return verdict!;
    },
    async checkMany(inputs, options) {
      requireInputs(inputs);
      return checkWith(askAtOnce, inputs, options);
    },
    ...rounds,
    get nextSyncAtMs() {
      return Math.min(...lists.map(({ sync }) => sync.nextSyncAtMs()));
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
      sources: lists.map((list) => statusOf(list, store.keeps(), now())),
    }),
    on: (type, listener) => listeners.on(type, listener),
    close: () => session.close(),
  };
  return withInternals(blocklist, { parts, settings, lists, checker, session, overrides, checkWith, syncSome });
}
