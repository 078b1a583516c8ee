import type { PortcullisError } from '../../core/errors.js';

/** The prefixes of one request. */
export type Portion = readonly number[];

/** How many prefixes one request may have, and until when that counts if a source taught it. */
export interface PortionSize {
  readonly size: number;
  readonly untilMs: number;
}

/** How long a size that a source accepted after it had rejected a larger one is used. */
const sizeTtlMs = 10 * 60_000;

/** Statuses with which a source rejects a question or its size. It works otherwise, so others are asked. */
const rejections: readonly number[] = [400, 404, 409, 413, 422];

/** Whether the source rejected the question itself, which is no failure of the source. */
export function isRejection({ status = 0 }: PortcullisError): boolean {
  return rejections.indexOf(status) >= 0;
}

export function portionsOf(prefixes: readonly number[], size: number): Portion[] {
  const portions: Portion[] = [];
  for (let at = 0; at < prefixes.length; at += size) portions.push(prefixes.slice(at, at + size));
  return portions;
}

/** What is left to ask of a portion, and what its answers have taught. Immutable: each answer makes the next one. */
export interface Asking {
  readonly rest: readonly Part[];
  readonly requests: number;
  readonly hasAnswer: boolean;
  /** The size that was accepted after a larger one was rejected; `null` if none was, or if something else was rejected. */
  readonly accepted: number | null;
  readonly why: 'nothing rejected' | 'perhaps the size' | 'a question';
}

export interface Part {
  readonly prefixes: Portion;
  /** Whether an answer left it out, so that it is asked about alone. */
  readonly isAgain: boolean;
}

export function askingAbout(portion: Portion): Asking {
  const rest = [{ prefixes: portion, isAgain: false }];
  return { rest, requests: 0, hasAnswer: false, accepted: null, why: 'nothing rejected' };
}

/**
 * Requests for one portion, with its parts: enough for a source that accepts 40 of 1,000 prefixes, and few enough for one that rejects
 * everything.
 */
const maxRequests = 32;

/** The next part to ask about, of a size that the source accepts; `null` when nothing is left or too many were asked. */
export function nextPart({ rest, accepted, requests, ...asking }: Asking): readonly [part: Part, after: Asking] | null {
  const [first, ...others] = rest;
  if (first === undefined || requests >= maxRequests) return null;
  const [prefixes, ...parts] = accepted === null ? [first.prefixes] : portionsOf(first.prefixes, accepted);
  const part = { ...first, prefixes: prefixes! };
  const cut = parts.map((more) => ({ ...first, prefixes: more }));
  return [part, { ...asking, rest: [...cut, ...others], accepted, requests: requests + 1 }];
}

/** Half an answer must not read as "not listed": each prefix that it leaves out is asked about alone. A single prefix has been. */
export function afterAnswered(asking: Asking, { prefixes }: Part, isAnswered: (prefix: number) => boolean): Asking {
  const missing = prefixes.length === 1 ? [] : prefixes.filter((prefix) => !isAnswered(prefix));
  return {
    ...asking,
    rest: [...asking.rest, ...missing.map((prefix) => ({ prefixes: [prefix], isAgain: true }))],
    hasAnswer: true,
    accepted: asking.accepted ?? (asking.why === 'perhaps the size' ? prefixes.length : null),
  };
}

/** The limit of a source is unknown, so what it rejects is asked in halves. `null`: it rejects the question at every size. */
export function afterRejected(asking: Asking, { prefixes }: Part): Asking | null {
  if (prefixes.length === 1) return asking.hasAnswer ? { ...asking, accepted: null, why: 'a question' } : null;
  const half = prefixes.length >>> 1;
  const halves = [prefixes.slice(0, half), prefixes.slice(half)].map((part) => ({ prefixes: part, isAgain: false }));
  const why = asking.why === 'a question' ? asking.why : 'perhaps the size';
  return { ...asking, rest: [...halves, ...asking.rest], why };
}

export function learnedSize(size: number, nowMs: number): PortionSize {
  return { size, untilMs: nowMs + sizeTtlMs };
}

/** The size to use now. A clock that was set back forgets what was learned. */
export function sizeNow({ size, untilMs }: PortionSize, max: number, nowMs: number): number {
  return nowMs < untilMs && untilMs - nowMs <= sizeTtlMs ? Math.min(size, max) : max;
}
