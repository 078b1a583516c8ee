import { type SignalLike, throwIfAborted } from '../../core/errors.js';
import { abortable } from '../../core/http/bounded.js';
import { host } from '../../core/http/fetch.js';
import { inTurn } from '../sync/in-turn.js';
import type { Verdict } from '../verdict.js';
import { askInPortions } from './ask-in-portions.js';
import type { Blocklist } from './blocklist-interface.js';
import { internalsOf } from './internals.js';
import { type CheckInput, isFrameIn, type LoadingOptions } from './question.js';

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

/** How long a batch waits for more inputs of an async iterable. */
const gatherMs = 10;

/**
 * Checks any number of inputs in batches, at the consumer's pace. Waits up to two minutes for a source that fails or asks for a pause.
 *
 * @example
 * for await (const { input, verdict } of screen(blocklist, links)) console.log(input, verdict.action);
 */
export function screen(blocklist: Blocklist, inputs: ScreenInputs, options: ScreenOptions = {}): AsyncIterableIterator<Screened> {
  const { session, checkWith } = internalsOf(blocklist);
  session.requireOpen();
  const { signal, deadlineMs, loading, order = 'input' } = options;
  isFrameIn(options);
  const source = readerOf(inputs);
  let ready: Screened[] = [];
  let count = 0;
  let isDone = false;
  /** Serves concurrent calls of `next` in order. */
  const queue = inTurn();

  const fill = async (): Promise<void> => {
    throwIfAborted(signal);
    const batch = await source.read(signal);
    const verdicts = batch.length === 0 ? [] : await checkWith(askInPortions, batch, { signal, deadlineMs, loading });
    ready = batch.map((input, at) => ({ index: count + at, input, verdict: verdicts[at]! }));
    count += batch.length;
    if (order === 'ready') ready.sort((a, b) => Number(wasAsked(a)) - Number(wasAsked(b)) || a.index - b.index);
    ready.reverse();
  };
  const next = async (): Promise<IteratorResult<Screened>> => {
    try {
      if (ready.length === 0 && !isDone && !source.isEnded) await fill();
    } catch (error) {
      source.end();
      throw error;
    }
    const value = ready.pop();
    return value === undefined || isDone ? { done: true, value: undefined } : { done: false, value };
  };
  // Not an async generator, because older engines have none.
  const iterator = {
    next: () => queue(next),
    async return(): Promise<IteratorResult<Screened>> {
      isDone = true;
      source.end();
      return { done: true, value: undefined };
    },
  };
  // Compiled loops look for this name in engines without the symbol.
  Object.defineProperty(iterator, Symbol.asyncIterator ?? '@@asyncIterator', { value: () => iterator });
  return iterator as unknown as AsyncIterableIterator<Screened>;
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

function readerOf(inputs: ScreenInputs): Reader {
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
      while (batch.length < maxBatch && !isEnded) {
        let step: IteratorResult<CheckInput> | null;
        if (isSlow) {
          pending ??= Promise.resolve(iterator.next());
          // It may reject when no batch awaits it.
          pending.catch(() => {});
          step = await abortable(timeout === null ? pending : Promise.race([pending, timeout]), signal);
          if (step === null) break;
          pending = null;
          timeout ??= new Promise((resolve) => {
            timer = host.setTimeout(() => resolve(null), gatherMs);
          });
        } else step = (iterator as Iterator<CheckInput>).next();
        if (step.done === true) isEnded = true;
        else batch.push(step.value);
      }
      host.clearTimeout(timer);
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
