import { type SignalLike, throwIfAborted } from '../../core/errors.js';
import { abortable } from '../../core/http/bounded.js';
import { globals } from '../../core/http/fetch.js';
import { inTurn } from '../../core/in-turn.js';
import { type Filled, having, type KindsOf, oneOf, optional, readOptions } from '../../core/options/read-options.js';
import { askInPortions } from '../engine/ask.js';
import { internalsOf } from '../engine/internals.js';
import type { Blocklist } from '../model/blocklist-interface.js';
import type { LoadingOptions } from '../model/blocklist-options.js';
import { checkKinds } from '../model/blocklist-options.js';
import type { CheckInput } from '../model/question.js';
import type { Verdict } from '../model/verdict.js';

/** Options of `screen`. */
export interface ScreenOptions extends LoadingOptions {
  readonly signal?: SignalLike | undefined;
  /**
   * Longest wait for the answers about the hits of one batch, in milliseconds. Does not include waiting for the budget, or for a source that
   * fails or asks for a pause. @default the blocklist's `deadlineMs`
   */
  readonly deadlineMs?: number | undefined;
  /** `input`: input order. `ready`: within a batch, verdicts that needed no request come first. @default 'input' */
  readonly order?: 'input' | 'ready' | undefined;
  /** Threads that find misses: what `shareBlocklist` of `portcullis/threads` returns for this blocklist. @default this thread only */
  readonly pool?: ScreenPool | undefined;
}

export const screenKinds = (): KindsOf<Filled<ScreenOptions, 'signal' | 'deadlineMs' | 'pool'>> => ({
  ...checkKinds(),
  order: optional(oneOf<'input' | 'ready'>('input', 'ready'), 'input'),
  pool: optional(having<ScreenPool>('what shareBlocklist returns', 'find')),
});

/** Threads that look up inputs. */
export interface ScreenPool {
  /** How many threads there are now. */
  readonly size: number;
  /** Resolves to the verdicts of misses, and `null` for every input that this thread must check. Never rejects. */
  find(inputs: readonly CheckInput[]): Promise<readonly (Verdict | null)[]>;
}

/** One input of `screen` and its verdict. */
export interface Screened {
  /** Index of the input, from 0. */
  readonly index: number;
  readonly input: CheckInput;
  readonly verdict: Verdict;
}

/** Any number of inputs. */
export type ScreenInputs = Iterable<CheckInput> | AsyncIterable<CheckInput>;

/** Inputs per batch: enough to confirm their hits in one request, few enough for memory. */
const maxBatch = 256;

/** A message costs as much as several checks, so a thread of a pool gets more. */
const maxPoolBatch = 2_048;

/** Batches of each thread: one in work, and one that waits for it. */
const batchesPerThread = 2;

/** How long a batch waits for more inputs of an async iterable. */
const gatherMs = 10;

/**
 * Checks any number of inputs in batches, at the consumer's pace. Waits up to two minutes for a source that fails or asks for a pause.
 *
 * @example
 * for await (const { input, verdict } of screen(blocklist, links)) console.log(input, verdict.action);
 */
export function screen(blocklist: Blocklist, inputs: ScreenInputs, options?: ScreenOptions): AsyncIterableIterator<Screened> {
  const { session, checkWith } = internalsOf(blocklist);
  session.requireOpen();
  const { signal, deadlineMs, loading, order, pool } = readOptions('screen', screenKinds(), options);
  const source = readerOf(inputs, pool === undefined ? maxBatch : maxPoolBatch);
  let ready: Screened[] = [];
  let count = 0;
  let isDone = false;
  /** Batches in work, in input order. */
  const running: Promise<Screened[]>[] = [];
  let reading: Promise<readonly CheckInput[]> | null = null;
  /** Serves concurrent calls of `next` in order. */
  const queue = inTurn();
  let queued = 0;

  const checkBatch = async (batch: readonly CheckInput[], first: number): Promise<Screened[]> => {
    const found = pool === undefined ? [] : await pool.find(batch);
    const open = pool === undefined ? batch : batch.filter((_, at) => found[at] === null);
    const asked = open.length === 0 ? [] : await checkWith(askInPortions, open, { signal, deadlineMs, loading });
    let next = 0;
    const screened = batch.map((input, at) => ({ index: first + at, input, verdict: found[at] ?? asked[next++]! }));
    if (order === 'ready') screened.sort((a, b) => Number(wasAsked(a)) - Number(wasAsked(b)) || a.index - b.index);
    return screened.reverse();
  };
  /** Reads until every thread has its batches, or the first batch is ready. */
  const fill = async (): Promise<void> => {
    throwIfAborted(signal);
    const most = pool === undefined ? 1 : Math.max(1, pool.size * batchesPerThread);
    while (hasInputs() && running.length < most) {
      reading ??= source.read(signal);
      // A failure is reported in its turn.
      reading.catch(() => {});
      const batch: readonly CheckInput[] | null =
        running.length === 0 ? await reading : await Promise.race([running[0]!.then(nothing), reading]);
      if (batch === null) break;
      reading = null;
      if (batch.length === 0) continue;
      const checking = checkBatch(batch, count);
      checking.catch(() => {});
      running.push(checking);
      count += batch.length;
    }
    ready = (await running.shift()) ?? [];
  };
  const hasInputs = (): boolean => reading !== null || !source.isEnded;
  const next = async (): Promise<IteratorResult<Screened>> => {
    try {
      while (ready.length === 0 && !isDone && (hasInputs() || running.length > 0)) await fill();
      return taken();
    } catch (error) {
      end();
      throw error;
    } finally {
      queued--;
    }
  };
  const taken = (): IteratorResult<Screened> => {
    const value = ready.pop();
    return value === undefined || isDone ? { done: true, value: undefined } : { done: false, value };
  };
  const end = (): void => {
    isDone = true;
    source.end();
  };
  // Not an async generator, because older engines have none.
  const iterator = {
    next: () => {
      // Faster than the queue, and nearly every call ends here.
      if (queued === 0 && ready.length > 0) return Promise.resolve(taken());
      queued++;
      return queue(next);
    },
    async return(): Promise<IteratorResult<Screened>> {
      end();
      return { done: true, value: undefined };
    },
  };
  // Compiled loops look for this name in engines without the symbol.
  Object.defineProperty(iterator, Symbol.asyncIterator ?? '@@asyncIterator', { value: () => iterator });
  return iterator as unknown as AsyncIterableIterator<Screened>;
}

function nothing(): null {
  return null;
}

/** Whether the verdict needed an answer about a hit. */
function wasAsked({ verdict: { status, reason } }: Screened): boolean {
  return status === 'unconfirmed' || reason === 'confirmed' || reason === 'confirmed-earlier' || reason === 'disproved';
}

interface Reader {
  readonly isEnded: boolean;
  /** Reads up to a batch: from an async iterable, the inputs that arrive within `gatherMs` of the first one. */
  read(signal: SignalLike | undefined): Promise<readonly CheckInput[]>;
  /** Closes the iterator without waiting for it. */
  end(): void;
}

function readerOf(inputs: ScreenInputs, maxInputs: number): Reader {
  const makeAsync = (inputs as Partial<AsyncIterable<CheckInput>>)?.[Symbol.asyncIterator];
  const makeSync = (inputs as Partial<Iterable<CheckInput>>)?.[Symbol.iterator];
  if (typeof inputs === 'string' || (makeAsync === undefined && makeSync === undefined)) {
    throw new TypeError('inputs must be an iterable or an async iterable of inputs');
  }
  const iterator: AsyncIterator<CheckInput> | Iterator<CheckInput> =
    makeAsync !== undefined ? makeAsync.call(inputs) : makeSync!.call(inputs);
  const isSlow = makeAsync !== undefined;
  let isEnded = false;
  /** A read of an earlier batch that has not resolved yet. */
  let pending: Promise<IteratorResult<CheckInput>> | null = null;

  return {
    get isEnded() {
      return isEnded;
    },
    async read(signal) {
      const batch: CheckInput[] = [];
      let timeout: Promise<null> | null = null;
      let timer: unknown;
      while (batch.length < maxInputs && !isEnded) {
        let step: IteratorResult<CheckInput> | null;
        if (isSlow) {
          pending ??= Promise.resolve(iterator.next());
          // It may reject when no batch awaits it.
          pending.catch(() => {});
          step = await abortable(timeout === null ? pending : Promise.race([pending, timeout]), signal);
          if (step === null) break;
          pending = null;
          timeout ??= new Promise((resolve) => {
            timer = globals.setTimeout(() => resolve(null), gatherMs);
          });
        } else step = (iterator as Iterator<CheckInput>).next();
        if (step.done === true) isEnded = true;
        else batch.push(step.value);
      }
      globals.clearTimeout(timer);
      return batch;
    },
    end() {
      if (isEnded) return;
      isEnded = true;
      try {
        Promise.resolve(iterator.return?.()).catch(() => {});
      } catch {
        // The iterator is finished either way.
      }
    },
  };
}
