import { type ErrorCode, hasCode, PortcullisError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { version as release } from '../../core/version.js';
import { allParts as parts } from '../engine/all-parts.js';
import { type CheckCall, checkCallOf, requireInputs } from '../engine/check-questions.js';
import { type CheckedList, createChecker } from '../engine/checker.js';
import { rememberAssets } from '../engine/internals.js';
import { WholeHashes } from '../formats/whole-hashes.js';
import type { Blocklist } from '../model/blocklist-interface.js';
import type { CheckOptions } from '../model/blocklist-options.js';
import type { EntrySet, Generation } from '../model/generation.js';
import { Overrides } from '../model/override-set.js';
import { type CheckInput, type Question, questionOf } from '../model/question.js';
import type { Verdict } from '../model/verdict.js';
import type { Answer } from '../rules/judge-hit.js';
import { missingReason } from '../rules/judge-hit.js';
import {
  type FoundVerdicts,
  type FromOwner,
  type FromWorker,
  type MessagePortLike,
  type SharedGeneration,
  type SharedList,
  shareClosed,
} from './thread-messages.js';

/** The blocklist of another thread. */
export interface AttachedBlocklist extends Pick<Blocklist, 'check' | 'checkMany'> {
  /** Answers a miss at once. `null` for what the other thread must be asked about: call `check`. Throws `CLOSED`, as `test` does. */
  test(input: CheckInput): Verdict | null;
  /** Detaches this worker. Later checks reject with `CLOSED`. */
  close(): void;
}

type State = Extract<FromOwner, { readonly type: 'state' }>;

/** What this thread knows of one state. */
interface View {
  readonly version: number;
  readonly deadlineMs: number;
  /** By the fast path; `null` if it is not sure. */
  ofSureMiss(text: string): Verdict | null;
  /** `null` if the sharing thread must be asked. */
  own(question: Question): Verdict | null;
  /** The verdict if the sharing thread did not answer in time. */
  late(question: Question): Verdict;
}

interface Waiting {
  /** `null`: the lists have changed, and a newer state has arrived. */
  resolve(verdicts: readonly Verdict[] | null): void;
  reject(error: Error): void;
}

/** The state waits in the port before the worker has it, even if the sharing thread is busy. */
const attachTimeoutMs = 10_000;

/** The sharing thread keeps the deadline too, and its answer needs this time at most to arrive, unless it is busy. */
const transitMs = 100;

/**
 * Attaches a worker to the blocklist that another thread shares. Misses, which are nearly all checks, are answered here from shared memory;
 * everything else is asked of the other thread, which has the confirmations, in one message for each call.
 *
 * @param port What `port()` of `shareBlocklist` returned.
 * @throws TypeError, PortcullisError `TIMEOUT` if no blocklist is at the other end, `CLOSED` if its thread has ended, `INVALID_INPUT` if it is
 * of another release of this package
 */
export async function attachBlocklist(port: MessagePortLike): Promise<AttachedBlocklist> {
  if (typeof (port as Partial<MessagePortLike> | null)?.addEventListener !== 'function')
    throw new TypeError('attachBlocklist needs the port that shareBlocklist(blocklist).port() returned');
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let view: View | null = null;
  let isClosed = false;
  /** Opened sets by their memory, because most states bring only a new age. */
  let opened = new Map<ArrayBufferLike, EntrySet>();

  function take(state: State): void {
    const before = opened;
    opened = new Map();
    const setOf = (bytes: Uint8Array | null): EntrySet | null => {
      if (bytes === null) return null;
      const set = before.get(bytes.buffer) ?? (bytes[9] === 8 ? HashSet.fromBytes(bytes) : PrefixSet.fromBytes(bytes));
      opened.set(bytes.buffer, set);
      return set;
    };
    view = viewOf(state, setOf);
  }

  function end(): void {
    if (isClosed) return;
    isClosed = true;
    port.close();
    for (const { reject } of waiting.values()) reject(shareClosed());
    waiting.clear();
  }

  function requireOpen(): void {
    if (isClosed) throw shareClosed();
  }

  const find = (input: CheckInput): Verdict | null =>
    (typeof input === 'string' ? view!.ofSureMiss(input) : null) ?? view!.own(questionOf(input, parts));

  /** @throws TIMEOUT, ABORTED, CLOSED, and what the other thread throws */
  async function ask(inputs: readonly CheckInput[], untilMs: number, { signal, deadlineMs, isFrame, isPasted }: CheckCall) {
    const id = ++calls;
    const options = { deadlineMs, loading: isFrame ? 'frame' : 'page', isPasted } as const;
    const leftMs = Math.min(deadlineMs, Math.max(0, untilMs - Date.now()));
    try {
      return await bounded(leftMs + transitMs, signal, () => {
        return new Promise<readonly Verdict[] | null>((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          port.postMessage({ type: 'check', id, version: view!.version, inputs, untilMs, options } satisfies FromWorker);
        });
      });
    } finally {
      waiting.delete(id);
    }
  }

  async function checkAll(given: Iterable<CheckInput>, options: CheckOptions | undefined): Promise<Verdict[]> {
    const call = checkCallOf(options, requireOpen, view!.deadlineMs);
    const read = (input: CheckInput): Question => questionOf(input, parts, call.isPasted);
    const inputs: CheckInput[] = [];
    /** Of a text without hints only if it is no sure miss. */
    const questions: (Question | null)[] = Array.from(given, (input) => {
      const question = typeof input === 'string' ? null : read(input);
      inputs.push(sendable(input));
      return question;
    });
    const untilMs = Date.now() + call.deadlineMs;
    for (;;) {
      // One state answers all of them, here and in the other thread.
      const { ofSureMiss, own, late } = view!;
      const verdicts = inputs.map((input, at) => {
        const miss = typeof input === 'string' ? ofSureMiss(input) : null;
        if (miss !== null) return miss;
        questions[at] ??= read(input);
        return own(questions[at]);
      });
      const open = inputs.filter((_, at) => verdicts[at] === null);
      if (open.length === 0) return verdicts as Verdict[];
      try {
        const answers = await ask(open, untilMs, call);
        if (answers === null) continue;
        let next = 0;
        return verdicts.map((verdict) => verdict ?? answers[next++]!);
      } catch (error) {
        if (!hasCode(error, 'TIMEOUT')) throw error;
        return verdicts.map((verdict, at) => verdict ?? late(questions[at]!));
      }
    }
  }

  async function attach(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = (error: Error): void => {
        end();
        reject(error);
      };
      port.addEventListener('message', ({ data }: { readonly data: FromOwner }) => {
        if (view === null && (data as Partial<State> | undefined)?.release !== release) {
          const what = `the port is not of a blocklist shared by portcullis ${release}; both threads must run the same release`;
          fail(new PortcullisError('INVALID_INPUT', what));
        } else if (data.type === 'state') {
          take(data);
          resolve();
        } else if (data.type === 'closed') {
          end();
        } else if (data.type === 'find') {
          port.postMessage({ type: 'found', id: data.id, found: packed(data.inputs, find) } satisfies FromWorker);
        } else {
          const call = waiting.get(data.id);
          if (data.type === 'verdicts') call?.resolve(data.verdicts);
          else if (data.type === 'again') call?.resolve(null);
          else call?.reject(errorOf(data));
        }
      });
      port.addEventListener('messageerror', () =>
        fail(new TypeError('the shared list cannot be received here; the worker needs cross-origin isolation, as its page does')),
      );
      // Also if the other thread ends without a message. Not every browser has this event; there, calls end with their deadline.
      port.addEventListener('close', () => fail(shareClosed()));
      port.start();
    });
  }

  try {
    await bounded(attachTimeoutMs, undefined, attach);
  } catch (error) {
    end();
    if (!hasCode(error, 'TIMEOUT')) throw error;
    const what = `no shared blocklist answered within ${attachTimeoutMs / 1_000} seconds`;
    throw new PortcullisError('TIMEOUT', `${what}; pass the port that port() of shareBlocklist returned`);
  }

  const blocklist: AttachedBlocklist = {
    test(input) {
      requireOpen();
      return find(input);
    },
    async check(input, options) {
      return (await checkAll([input], options))[0]!;
    },
    async checkMany(inputs, options) {
      requireInputs(inputs);
      return checkAll(inputs, options);
    },
    close() {
      if (isClosed) return;
      port.postMessage({ type: 'close' } satisfies FromWorker);
      end();
    },
  };
  return rememberAssets(blocklist, parts.assets);
}

/** Each verdict once. The age of a list, and so its verdict of a miss, changes once a millisecond. */
function packed(inputs: readonly CheckInput[], find: (input: CheckInput) => Verdict | null): FoundVerdicts {
  const verdicts: Verdict[] = [];
  const known = new Map<string, number>();
  const places = Uint32Array.from(inputs, (input) => {
    let verdict: Verdict | null = null;
    try {
      verdict = find(input);
    } catch {
      // A wrong JavaScript type. The other thread reports it to its caller.
    }
    if (verdict === null) return 0;
    const key = `${verdict.reason} ${verdict.ageMs} ${verdict.source}`;
    let place = known.get(key);
    if (place === undefined) {
      place = verdicts.push(verdict);
      known.set(key, place);
    }
    return place;
  });
  return { verdicts, places };
}

/** What is read of an input. The rest of its object may be something that cannot be sent. */
function sendable(input: CheckInput): CheckInput {
  return typeof input === 'string' ? input : { content: input.content, type: input.type, chain: input.chain };
}

function viewOf(state: State, setOf: (bytes: Uint8Array | null) => EntrySet | null): View {
  const lists = state.lists.map((list) => checkedList(list, generationOf(list.generation, setOf)));
  const overrides = { current: Overrides.fromJSON(state.overrides) };
  const checker = createChecker(lists, overrides, { policy: state.policy, now: Date.now }, parts);
  const answers = { get: () => noAnswers };
  return {
    version: state.version,
    deadlineMs: state.deadlineMs,
    ofSureMiss: (text) => (state.isRealTime ? null : checker.findSureMiss(text)),
    own(question) {
      const finding = checker.find(question);
      const isOurs = finding.expression === undefined && finding.reason !== 'loading' && !state.isRealTime;
      return isOurs ? checker.verdict(finding, question) : null;
    },
    late: (question) => checker.verdict(checker.find(question, { answers }), question),
  };
}

const noAnswers = { get: (): Answer => ({ failure: 'deadline' }) };

function generationOf(shared: SharedGeneration | null, setOf: (bytes: Uint8Array | null) => EntrySet | null): Generation | null {
  if (shared === null) return null;
  const { base, recent, removed, allowed, hot } = shared;
  return {
    ...shared,
    base: setOf(base)!,
    recent: setOf(recent)!,
    removed: setOf(removed) as HashSet | null,
    allowed: setOf(allowed) as HashSet | null,
    hot: hot && new WholeHashes(hot),
  };
}

/** What a check needs of a list. The other thread asks its source about hits. */
function checkedList(list: SharedList, generation: Generation | null): CheckedList {
  const { source, isLoading, maxAgeMs, failedAtMs, lastErrorCode, confirms, neverBlock, advisory } = list;
  return {
    id: source,
    generation,
    missing: missingReason(isLoading, lastErrorCode === undefined ? null : { code: lastErrorCode }),
    maxAgeMs,
    failedAtMs,
    isIgnored: (expression) => neverBlock.has(expression),
    confirmer: confirms ? { known: () => 'unknown', mayDeny: () => true } : null,
    advisory,
    threatsOf: () => [],
  };
}

function errorOf({ code, message }: Extract<FromOwner, { readonly type: 'failed' }>): Error {
  return code === undefined ? new TypeError(message) : new PortcullisError(code as ErrorCode, message);
}
