import { dayMs, endOf, timeOf } from '../handlers/handler-context.js';
import { Problem } from '../http/problem.js';

/** Both ends belong to it. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Ends {
  readonly startDate?: Date | string | undefined;
  readonly endDate?: Date | string | undefined;
}

/** From one time to another, or the usual where none is given. A day as an end counts whole. */
export function rangeOf({ startDate, endDate }: Ends, usual: Range): Range {
  const fromMs = startDate === undefined ? usual.fromMs : timeOf(startDate);
  const toMs = endDate === undefined ? usual.toMs : endOf(endDate);
  if (toMs < fromMs) throw new Problem(400, 'endDate is before startDate.');
  return { fromMs, toMs };
}

export function within(atMs: number | null, { fromMs, toMs }: Range): boolean {
  return atMs !== null && atMs >= fromMs && atMs <= toMs;
}

/** All there ever was. */
export function allUntil(nowMs: number): Range {
  return { fromMs: 0, toMs: nowMs };
}

/** The three months before now, as the service's command line asks for by itself. */
export function threeMonthsUntil(nowMs: number): Range {
  const start = new Date(nowMs);
  start.setUTCMonth(start.getUTCMonth() - 3);
  return { fromMs: start.getTime(), toMs: nowMs };
}

export function daysUntil(nowMs: number, days: number): Range {
  return { fromMs: nowMs - days * dayMs, toMs: nowMs };
}

/** The UTC day of a time, as `YYYY-MM-DD`. */
export function dayName(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
