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

/**
 * Requests for one portion, with its parts: enough for a source that accepts 40 of 1,000 prefixes, and few enough for one that rejects
 * everything.
 */
export const maxRequestsPerPortion = 32;

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

/** The limit of a source is unknown, so a rejected portion is asked in halves; none for a single prefix, which is what was rejected. */
export function halvesOf(portion: Portion): Portion[] {
  return portion.length === 1 ? [] : portionsOf(portion, Math.ceil(portion.length / 2));
}

/** Half an answer must not read as "not listed": each prefix that it leaves out is asked about alone. A single prefix has been. */
export function leftOut(portion: Portion, isAnswered: (prefix: number) => boolean): Portion[] {
  const missing = portion.filter((prefix) => !isAnswered(prefix));
  return portion.length === 1 ? [] : missing.map((prefix) => [prefix]);
}

export function learnedSize(size: number, nowMs: number): PortionSize {
  return { size, untilMs: nowMs + sizeTtlMs };
}

/** The size to use now. A clock that was set back forgets what was learned. */
export function sizeNow({ size, untilMs }: PortionSize, max: number, nowMs: number): number {
  return nowMs < untilMs && untilMs - nowMs <= sizeTtlMs ? Math.min(size, max) : max;
}
