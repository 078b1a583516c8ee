import { allAlgorithms, allAssets } from '../../core/algorithms/all-algorithms.js';
import { type ErrorCode, PortcullisError, throwIfAborted } from '../../core/errors.js';
import { abortable } from '../../core/http/bounded.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import type { EntrySet, Generation } from '../generation.js';
import { Overrides } from '../override-set.js';
import type { Verdict } from '../verdict.js';
import type { Blocklist, CheckOptions } from './blocklist-interface.js';
import type { Settings } from './blocklist-options.js';
import { type CheckedList, createChecker } from './checker.js';
import type { KeptOverrides } from './kept-overrides.js';
import { readPasted } from './pasted-input.js';
import { type CheckInput, questionOf } from './question.js';
import type { FoundVerdicts, FromOwner, FromWorker, MessagePortLike, SharedGeneration, SharedList } from './thread-messages.js';

/** The blocklist of another thread. */
export interface AttachedBlocklist extends Pick<Blocklist, 'check' | 'checkMany'> {
  /** Answers a miss at once. `null` for what the other thread must be asked about: call `check`. Throws `CLOSED`, as `test` does. */
  test(input: CheckInput): Verdict | null;
  /** Detaches this worker. Later checks reject with `CLOSED`. */
  close(): void;
}

type State = Extract<FromOwner, { readonly type: 'state' }>;

interface Waiting {
  /** `null`: the lists have changed, and a newer state has arrived. */
  resolve(verdicts: readonly Verdict[] | null): void;
  reject(error: Error): void;
}

const parts = { assets: allAssets, algorithms: allAlgorithms, readPasted };

/**
 * Attaches a worker to the blocklist that another thread shares. Misses, which are nearly all checks, are answered here from shared memory;
 * everything else is asked of the other thread, which has the confirmations, in one message for each call.
 *
 * @param port What `port()` of `shareBlocklist` returned.
 * @throws TypeError
 */
export async function attachBlocklist(port: MessagePortLike): Promise<AttachedBlocklist> {
  if (typeof (port as Partial<MessagePortLike> | null)?.postMessage !== 'function')
    throw new TypeError('attachBlocklist needs the port that shareBlocklist(blocklist).port() returned');
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let version = 0;
  let find: ((input: CheckInput) => Verdict | null) | null = null;
  let isClosed = false;
  /** Opened sets by their memory, because most states bring only a new age. */
  let opened = new Map<ArrayBufferLike, EntrySet>();

  function take(state: State): void {
    version = state.version;
    const before = opened;
    opened = new Map();
    const setOf = (bytes: Uint8Array | null): EntrySet | null => {
      if (bytes === null) return null;
      const set = before.get(bytes.buffer) ?? (bytes[9] === 8 ? HashSet.fromBytes(bytes) : PrefixSet.fromBytes(bytes));
      opened.set(bytes.buffer, set);
      return set;
    };
    const lists = state.lists.map((list) => checkedList(list, generationOf(list.generation, setOf)));
    const overrides = { current: Overrides.fromJSON(state.overrides) } as KeptOverrides;
    const checker = createChecker(lists, overrides, { policy: state.policy, now: Date.now } as Settings, parts);
    find = (input) => {
      const question = questionOf(input, parts);
      const finding = checker.find(question);
      const isOurs = finding.expression === undefined && finding.reason !== 'loading';
      return isOurs ? checker.verdict(finding, question) : null;
    };
  }

  function end(): void {
    isClosed = true;
    port.close();
    for (const { reject } of waiting.values()) reject(closed());
    waiting.clear();
  }

  function ask(inputs: readonly CheckInput[], { deadlineMs, loading }: CheckOptions): Promise<readonly Verdict[] | null> {
    const id = ++calls;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      port.postMessage({ type: 'check', id, version, inputs, options: { deadlineMs, loading } } satisfies FromWorker);
    });
  }

  async function checkMany(inputs: Iterable<CheckInput>, options: CheckOptions = {}): Promise<Verdict[]> {
    if (isClosed) throw closed();
    throwIfAborted(options.signal);
    const all = [...inputs];
    for (;;) {
      // One state answers all of them, here and in the other thread.
      const verdicts = all.map(find!);
      const open = all.filter((_, at) => verdicts[at] === null);
      if (open.length === 0) return verdicts as Verdict[];
      const answers = await abortable(ask(open, options), options.signal);
      if (answers === null) continue;
      let next = 0;
      return verdicts.map((verdict) => verdict ?? answers[next++]!);
    }
  }

  await new Promise<void>((resolve, reject) => {
    port.onmessage = ({ data }: { readonly data: FromOwner }) => {
      if (data.type === 'state') {
        take(data);
        resolve();
      } else if (data.type === 'closed') {
        end();
        reject(closed());
      } else if (data.type === 'find') {
        port.postMessage({ type: 'found', id: data.id, found: packed(data.inputs, find!) } satisfies FromWorker);
      } else {
        const call = waiting.get(data.id);
        waiting.delete(data.id);
        if (data.type === 'verdicts') call?.resolve(data.verdicts);
        else if (data.type === 'again') call?.resolve(null);
        else
          call?.reject(
            data.code === undefined ? new TypeError(data.message) : new PortcullisError(data.code as ErrorCode, data.message),
          );
      }
    };
  });

  return {
    test(input) {
      if (isClosed) throw closed();
      return find!(input);
    },
    checkMany,
    check: async (input, options) => (await checkMany([input], options))[0]!,
    close() {
      if (isClosed) return;
      port.postMessage({ type: 'close' } satisfies FromWorker);
      end();
    },
  };
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

function generationOf(shared: SharedGeneration | null, setOf: (bytes: Uint8Array | null) => EntrySet | null): Generation | null {
  if (shared === null) return null;
  const { base, recent, removed, allowed } = shared;
  return {
    ...shared,
    base: setOf(base)!,
    recent: setOf(recent)!,
    removed: setOf(removed) as HashSet | null,
    allowed: setOf(allowed) as HashSet | null,
  };
}

/** What a miss needs of a list. Hits belong to the other thread, so this one asks no server and spares no question. */
function checkedList({ source, isLoaded, maxAgeMs, lastErrorCode }: SharedList, generation: Generation | null): CheckedList {
  const sync = {
    id: source,
    held: { generation },
    isLoaded,
    settings: { maxAgeMs, source: {} },
    state: { lastError: lastErrorCode === undefined ? null : { code: lastErrorCode } },
  };
  return { sync, confirmer: null, neverBlock: { has: () => false, heldBy: () => [] } } as unknown as CheckedList;
}

function closed(): PortcullisError {
  return new PortcullisError('CLOSED', 'the shared blocklist is closed');
}
