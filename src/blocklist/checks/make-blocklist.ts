import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { isPortcullisError, PortcullisError, refuse, requireString, type SignalLike, throwIfAborted } from '../../core/errors.js';
import { abortable, bounded } from '../../core/http/bounded.js';
import { host } from '../../core/http/fetch.js';
import { runInSlices, runNow, type Sliced } from '../../core/slices.js';
import type { Override } from '../override-set.js';
import type { ListResult } from '../sync/list-sync.js';
import { OpenStore } from '../sync/open-store.js';
import type { SourceFinding, Verdict } from '../verdict.js';
import { askAbout } from './ask.js';
import { type BlocklistEvent, type BlocklistEvents, Listeners } from './blocklist-events.js';
import { requireDeadline, type SourcesOptions, settingsOf } from './blocklist-options.js';
import { type BlocklistStatus, statusOf } from './blocklist-status.js';
import { Checker, type Look, type Wanted } from './checker.js';
import { type Explanation, explain } from './explain.js';
import { type List, listOf } from './kept-list.js';
import { KeptOverrides, type OverrideOptions } from './kept-overrides.js';
import { type CheckInput, type Question, questionOf } from './question.js';
import { type Screened, type ScreenInputs, type ScreenOptions, screen } from './screen.js';
import { isSound } from './self-test.js';
import { onWake } from './wake.js';
import { type ReceivedEvent, recentOf } from './webhook-recent.js';

/** Bounds of one check. */
export interface CheckOptions {
  /** Ends the wait of this check; its question goes on for others. */
  readonly signal?: SignalLike | undefined;
  /** Longest wait for the answer about a hit, in milliseconds. @default the blocklist's */
  readonly deadlineMs?: number | undefined;
}

/** Bounds of one wait for a round. */
export interface SyncOptions {
  /** Ends this wait; the round goes on for others, and for the list. */
  readonly signal?: SignalLike | undefined;
}

/** How a round of all sources ended. */
export interface SyncResult {
  /** `failed` where one failed, else `updated` where one has something new; `deferred` where all asked to be left alone. */
  readonly outcome: ListResult['outcome'];
  /** Epoch time at which the first of the deferred ones may be asked. */
  readonly untilMs?: number | undefined;
  readonly sources: readonly ListResult[];
}

/** Keeps lists current, and says of an input whether it is on one. */
export interface Blocklist {
  /**
   * Loads what is stored, runs one round if that is nothing, and starts polling unless `pollMs` is 0. Resolves also where the network
   * is away: `status()` tells.
   */
  ready(options?: SyncOptions): Promise<void>;
  /** Answers from memory alone, and never asks. Throws for a wrong JavaScript type, and once it is closed. */
  test(input: CheckInput): Verdict;
  /** Asks the source about hits. Rejects with ABORTED and CLOSED, and for a wrong JavaScript type. */
  check(input: CheckInput, options?: CheckOptions): Promise<Verdict>;
  /** The same for many: verdicts in the order of the inputs, one question for all their hits. For more than memory holds: `screen`. */
  checkMany(inputs: Iterable<CheckInput>, options?: CheckOptions): Promise<Verdict[]>;
  /** The same for any number of inputs, a few at a time, as fast as they are taken. */
  screen(inputs: ScreenInputs, options?: ScreenOptions): AsyncIterableIterator<Screened>;
  /** Why `test` says what it says. */
  explain(input: CheckInput): Explanation;
  /** One round of every source now, shared with one that is running. Rejects with ABORTED and CLOSED only. */
  sync(options?: SyncOptions): Promise<SyncResult>;
  /** Runs the rounds that are due: what an alarm calls. */
  syncDue(options?: SyncOptions): Promise<SyncResult>;
  /** Epoch time of the next round that is due, for an alarm. */
  readonly nextSyncAtMs: number;
  /**
   * Takes a verified webhook event: what it says is blocked counts at once, and a round brings the rest. Without `source` it counts,
   * of several, for those that can be asked; lists of whole hashes only run their round. `null` for events that are about something else.
   */
  handleWebhook(event: ReceivedEvent, options?: { readonly source?: string | undefined }): Promise<SyncResult | null>;
  /** Starts polling. */
  start(): void;
  /** Ends polling. What is held goes on answering, and `sync` still works. */
  stop(): void;
  /**
   * Says that an asset is fine, whatever lists say. Counts at once; resolves when it is stored, and rejects where it could not be: then
   * it counts until the process ends.
   */
  allow(input: CheckInput, options?: OverrideOptions): Promise<Override>;
  /** The same for one that is not. */
  block(input: CheckInput, options?: OverrideOptions): Promise<Override>;
  /** Takes an override back; `false` where there is none. */
  removeOverride(expression: string): Promise<boolean>;
  /** What the user or the app said, by expression. */
  overrides(): readonly Override[];
  /** How every list is: age, size, the last failure, the next round. */
  status(): BlocklistStatus;
  /** @returns what ends it */
  on<Type extends BlocklistEvent>(type: Type, listener: (event: BlocklistEvents[Type]) => void): () => void;
  /** Ends rounds and timers, and closes the store and the sources. */
  close(): Promise<void>;
}

/** What a blocklist is made of beside its options. */
export interface Parts {
  readonly assets: Assets;
  readonly algorithms: ReadonlyMap<string, Algorithm>;
}

/** Inputs looked up between two pauses: 2 to 10 ms of work on a server's core. */
const questionsPerSlice = 2_000;

/** A hit is hashed as a whole, and told what it was read as: as much work as so many misses. */
const questionsPerHit = 16;

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function makeBlocklist(options: SourcesOptions, { assets, algorithms }: Parts): Blocklist {
  const settings = settingsOf(options);
  const { now } = settings;
  const own = algorithms.get('portcullis-1')!;
  const listeners = new Listeners();
  const tellStore = (error: PortcullisError): void => listeners.emit('error', { source: undefined, where: 'store', error });
  const store = new OpenStore(settings.store, tellStore);
  const overrides = new KeptOverrides({
    store,
    assets,
    own,
    now,
    onDamaged: (error) => listeners.emit('damaged', { source: undefined, name: 'overrides', error }),
    onError: tellStore,
  });
  const tools = { settings, store, algorithms, assets, listeners };
  const lists: readonly List[] = settings.sources.map((source) => listOf(source, tools));
  const engineIsSound = isSound(own);
  const checker = new Checker({
    lists,
    algorithms,
    assets,
    overrides: () => overrides.current,
    policy: settings.policy,
    now,
    isSound: engineIsSound,
  });
  const ends: (() => void)[] = [];
  let loading: Promise<void> | undefined;
  let isLoaded = false;
  let closing: Promise<void> | undefined;
  /** It is wanted; it begins when what is stored has been read. */
  let isPolling = false;

  const requireOpen = (): void => {
    if (closing !== undefined) throw new PortcullisError('CLOSED', 'the blocklist is closed');
  };

  const read = async (): Promise<void> => {
    await store.open();
    await Promise.all([overrides.load(), ...lists.map((list) => list.load())]);
    ends.push(
      store.watch((name) => {
        if (name === 'overrides') void overrides.load();
        for (const { id, sync } of lists) if (name === `${id}/head`) void sync.reload();
      }),
      onWake(() => {
        for (const { sync, poller } of lists) {
          sync.wake();
          poller.plan();
        }
      }),
    );
    isLoaded = true;
    // Whoever waited for the list is answered before that.
    host.setTimeout(() => {
      for (const { sync } of lists) void sync.verify();
    }, 0);
  };

  /** Reads what is stored, once, and rejects never. */
  const load = (): Promise<void> => {
    loading ??= read();
    return loading;
  };

  /** A check waits for the store no longer than a user waits for a page. */
  const waitForLoad = async (signal: SignalLike | undefined): Promise<void> => {
    try {
      await bounded(settings.loadWaitMs, signal, load);
    } catch (error) {
      if (!isPortcullisError(error) || error.code !== 'TIMEOUT') throw error;
    }
    requireOpen();
  };

  const syncSome = async (some: readonly List[], isAsked: boolean, signal: SignalLike | undefined): Promise<SyncResult> => {
    requireOpen();
    await abortable(load(), signal);
    requireOpen();
    const sources = await Promise.all(some.map(({ sync }) => sync.sync(isAsked, signal)));
    for (const { poller } of some) poller.plan();
    return resultOf(sources);
  };

  /** Looks twice at the same generations: once to see what has to be asked, once with the answers. */
  const checkAll = async (questions: readonly Question[], { signal, deadlineMs }: CheckOptions): Promise<Verdict[]> => {
    requireOpen();
    throwIfAborted(signal);
    const waitMs = deadlineMs === undefined ? settings.deadlineMs : requireDeadline(deadlineMs);
    if (!isLoaded) await waitForLoad(signal);
    const generations = lists.map(({ sync }) => sync.generation);
    const wanted: Wanted[] = [];
    const findings = await runInSlices(
      each(questions, (question) => find(question, { generations, wanted }), workOf),
      signal,
    );
    const look: Look = wanted.length === 0 ? { generations } : { generations, answers: await askAbout(wanted, waitMs, signal) };
    const concluding = each(
      questions,
      (question, at) => conclude(question, findings[at]!, look),
      (_, at) => workOf(findings[at]!),
    );
    // Nearly every check: it fits in a slice, whatever is found.
    return questions.length * questionsPerHit <= questionsPerSlice ? runNow(concluding) : runInSlices(concluding, signal);
  };

  function find(question: Question, look: Look & { readonly wanted: Wanted[] }): SourceFinding {
    const asked = look.wanted.length;
    const finding = checker.find(question, look);
    // What is decided already is not asked about.
    if (!isOpen(finding)) look.wanted.length = asked;
    return finding;
  }

  function conclude(question: Question, first: SourceFinding, look: Look): Verdict {
    const finding = look.answers !== undefined && isOpen(first) ? checker.find(question, look) : first;
    return checker.verdict(finding, question);
  }

  const change = async (action: Override['action'], input: CheckInput, options: OverrideOptions = {}): Promise<Override> => {
    requireOpen();
    const question = questionOf(input, assets);
    await load();
    requireOpen();
    return overrides.set(action, question, options);
  };

  const start = (): void => {
    requireOpen();
    isPolling = true;
    void load().then(() => {
      if (isPolling && closing === undefined) for (const { poller } of lists) poller.start();
    });
  };

  const close = async (): Promise<void> => {
    store.giveUp();
    await loading;
    for (const end of ends) end();
    try {
      await Promise.all(lists.map((list) => list.close()));
    } finally {
      await store.close();
    }
  };

  return {
    async ready({ signal } = {}) {
      requireOpen();
      await abortable(load(), signal);
      requireOpen();
      const empty = lists.filter(({ sync }) => sync.generation === null);
      if (empty.length > 0) await syncSome(empty, true, signal);
      if (settings.pollMs > 0) start();
    },
    test(input) {
      requireOpen();
      const question = questionOf(input, assets);
      return checker.verdict(checker.find(question), question);
    },
    async check(input, options = {}) {
      const [verdict] = await checkAll([questionOf(input, assets)], options);
      return verdict!;
    },
    async checkMany(inputs, options = {}) {
      const isIterable = typeof (inputs as Partial<Iterable<CheckInput>> | null)?.[Symbol.iterator] === 'function';
      if (!isIterable || typeof inputs === 'string') {
        throw new TypeError('inputs must be an iterable of inputs; for one there is check, for what comes over time screen');
      }
      const questions = Array.from(inputs, (input) => questionOf(input, assets));
      return checkAll(questions, options);
    },
    screen(inputs, options = {}) {
      requireOpen();
      return screen(inputs, options, (batch, signal) => {
        const questions = batch.map((input) => questionOf(input, assets));
        return checkAll(questions, { signal, deadlineMs: options.deadlineMs });
      });
    },
    explain(input) {
      requireOpen();
      return explain(questionOf(input, assets), { checker, lists, assets });
    },
    async sync({ signal } = {}) {
      return syncSome(lists, true, signal);
    },
    async syncDue({ signal } = {}) {
      requireOpen();
      await abortable(load(), signal);
      const due = lists.filter(({ sync }) => sync.nextSyncAtMs() <= now());
      return syncSome(due, false, signal);
    },
    get nextSyncAtMs() {
      return Math.min(...lists.map(({ sync }) => sync.nextSyncAtMs()));
    },
    async handleWebhook(event, { source } = {}) {
      requireOpen();
      const told = lists.filter(({ id }) => source === undefined || id === source);
      if (told.length === 0) refuse('no source has that id');
      const news = recentOf(event, assets);
      if (news === null) return null;
      await load();
      requireOpen();
      const { asset } = news;
      if (asset !== null) {
        // Of several without a name only those that can be asked: an event of one must not block in the name of another.
        const lasting = told.filter((list) => source !== undefined || lists.length === 1 || list.confirmer !== null);
        await Promise.all(lasting.map(({ sync }) => sync.addRecent((algorithm) => algorithm.expressionsOf(asset)[0])));
      }
      return syncSome(told, true, undefined);
    },
    start,
    stop() {
      isPolling = false;
      for (const { poller } of lists) poller.stop();
    },
    allow: (input, options) => change('allow', input, options),
    block: (input, options) => change('block', input, options),
    async removeOverride(expression) {
      requireOpen();
      requireString(expression, 'expression');
      await load();
      requireOpen();
      return overrides.remove(expression);
    },
    overrides: () => overrides.current.toJSON(),
    status: () => ({
      isSound: engineIsSound,
      isStored: store.keeps,
      overrides: overrides.current.size,
      sources: lists.map((list) => statusOf(list, now())),
    }),
    on: (type, listener) => listeners.on(type, listener),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** In misses. */
function workOf({ expression }: SourceFinding): number {
  return expression === undefined ? 1 : questionsPerHit;
}

/** What is made of each, with a pause whenever there was work enough. */
function* each<From, To>(
  items: readonly From[],
  make: (item: From, at: number) => To,
  work: (made: To, at: number) => number,
): Sliced<To[]> {
  const all: To[] = [];
  let done = 0;
  for (let at = 0; at < items.length; at++) {
    const made = make(items[at]!, at);
    all.push(made);
    done += work(made, at);
    if (done >= questionsPerSlice) {
      done = 0;
      yield;
    }
  }
  return all;
}

/** Whether an answer could change it. */
function isOpen({ status, reason }: SourceFinding): boolean {
  return status === 'unconfirmed' || reason === 'confirmed-earlier';
}

function resultOf(sources: readonly ListResult[]): SyncResult {
  const has = (outcome: ListResult['outcome']): boolean => sources.some((result) => result.outcome === outcome);
  const outcome = (['failed', 'updated', 'unchanged', 'deferred'] as const).find(has) ?? 'unchanged';
  const untils = sources.flatMap(({ untilMs }) => untilMs ?? []);
  return { outcome, ...(untils.length > 0 && { untilMs: Math.min(...untils) }), sources };
}
