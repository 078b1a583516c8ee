import { requireObject, type SignalLike, throwIfAborted } from '../../core/errors.js';
import type { CheckOptions } from './blocklist-interface.js';
import { requireDeadline } from './blocklist-options.js';
import { type CheckInput, isFrameIn } from './question.js';

/** Validated options of a check. */
export interface CheckCall {
  readonly signal: SignalLike | undefined;
  readonly deadlineMs: number;
  readonly isFrame: boolean;
}

/** @throws TypeError, PortcullisError `INVALID_INPUT`, `ABORTED`, and what `requireOpen` throws */
export function checkCallOf(options: CheckOptions, requireOpen: () => void, defaultDeadlineMs: number): CheckCall {
  requireObject(options, 'options');
  const { signal, deadlineMs } = options;
  const isFrame = isFrameIn(options);
  requireOpen();
  throwIfAborted(signal);
  return { signal, deadlineMs: deadlineMs === undefined ? defaultDeadlineMs : requireDeadline(deadlineMs), isFrame };
}

/** @throws TypeError */
export function requireInputs(inputs: unknown): asserts inputs is Iterable<CheckInput> {
  const isIterable = typeof (inputs as Partial<Iterable<CheckInput>> | null)?.[Symbol.iterator] === 'function';
  if (isIterable && typeof inputs !== 'string') return;
  throw new TypeError('inputs must be an iterable; use check() for one input, and screen() for an async iterable');
}
