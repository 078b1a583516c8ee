import { type SignalLike, throwIfAborted } from '../../core/errors.js';
import { abortable } from '../../core/http/bounded.js';
import { host } from '../../core/http/fetch.js';
import type { Verdict } from '../verdict.js';
import type { CheckInput } from './question.js';

/** How many inputs are gone through. */
export interface ScreenOptions {
  readonly signal?: SignalLike | undefined;
  /** Longest wait for the answers about the hits of one batch, in milliseconds. @default the blocklist's */
  readonly deadlineMs?: number | undefined;
  /** `input`: in the order of the inputs. `ready`: what needed no asking first, within a batch. @default 'input' */
  readonly order?: 'input' | 'ready' | undefined;
}

/** One input of `screen`, and its verdict. */
export interface Screened {
  /** The input's place, from 0. */
  readonly index: number;
  readonly input: CheckInput;
  readonly verdict: Verdict;
}

/** Any number of inputs, at hand or still to come. */
export type ScreenInputs = Iterable<CheckInput> | AsyncIterable<CheckInput>;

/** Inputs read before verdicts are given: enough that hits are asked about together, few enough to hold. */
const maxBatch = 256;

/** How long a batch waits for inputs that come one by one. */
const gatherMs = 10;

type CheckBatch = (batch: readonly CheckInput[], signal: SignalLike | undefined) => Promise<readonly Verdict[]>;

/**
 * Verdicts as they are taken; nothing is read ahead of the batch that is given. Written by hand, because async generators are what older
 * engines cannot be given.
 */
export function screen(inputs: ScreenInputs, options: ScreenOptions, checkBatch: CheckBatch): AsyncIterableIterator<Screened> {
  const { signal, order = 'input' } = options;
  const source = readerOf(inputs);
  let ready: Screened[] = [];
  let count = 0;
  let isDone = false;
  /** Calls come one after the other, however they are made. */
  let turn: Promise<unknown> = Promise.resolve();

  const fill = async (): Promise<void> => {
    throwIfAborted(signal);
    const batch = await source.read(signal);
    const verdicts = batch.length === 0 ? [] : await checkBatch(batch, signal);
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
  const iterator = {
    next(): Promise<IteratorResult<Screened>> {
      const result = turn.then(next);
      turn = result.catch(() => {});
      return result;
    },
    async return(): Promise<IteratorResult<Screened>> {
      isDone = true;
      source.end();
      return { done: true, value: undefined };
    },
  };
  // Where engines have no such symbol, compiled loops look for this name.
  Object.defineProperty(iterator, Symbol.asyncIterator ?? '@@asyncIterator', { value: () => iterator });
  return iterator as unknown as AsyncIterableIterator<Screened>;
}

/** By what the verdict says: an answer about four bytes, or that there was none. */
function wasAsked({ verdict: { status, reason } }: Screened): boolean {
  return status === 'unconfirmed' || reason === 'confirmed' || reason === 'confirmed-earlier' || reason === 'disproved';
}

interface Reader {
  readonly isEnded: boolean;
  /** Up to a batch: all there is at once, or what comes within a moment of the first. */
  read(signal: SignalLike | undefined): Promise<readonly CheckInput[]>;
  /** Whoever gives the inputs is told, and not waited for. */
  end(): void;
}

function readerOf(inputs: ScreenInputs): Reader {
  const makeAsync = (inputs as Partial<AsyncIterable<CheckInput>>)?.[Symbol.asyncIterator];
  const makeSync = (inputs as Partial<Iterable<CheckInput>>)?.[Symbol.iterator];
  if (typeof inputs === 'string' || (makeAsync === undefined && makeSync === undefined)) {
    throw new TypeError('inputs must be an iterable of inputs');
  }
  const iterator: AsyncIterator<CheckInput> | Iterator<CheckInput> =
    makeAsync !== undefined ? makeAsync.call(inputs) : makeSync!.call(inputs);
  const isSlow = makeAsync !== undefined;
  let isEnded = false;
  /** A read that was not waited for to its end. */
  let pending: Promise<IteratorResult<CheckInput>> | null = null;

  return {
    get isEnded() {
      return isEnded;
    },
    async read(signal) {
      const batch: CheckInput[] = [];
      let patience: Promise<null> | null = null;
      let timer: unknown;
      while (batch.length < maxBatch && !isEnded) {
        let step: IteratorResult<CheckInput> | null;
        if (isSlow) {
          pending ??= Promise.resolve(iterator.next());
          // Nobody else may be waiting for it when it fails.
          pending.catch(() => {});
          step = await abortable(patience === null ? pending : Promise.race([pending, patience]), signal);
          if (step === null) break;
          pending = null;
          patience ??= new Promise((resolve) => {
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
        // It is done with either way.
      }
    },
  };
}
