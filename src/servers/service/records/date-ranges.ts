import { dayMs, dayOf } from '../handlers/handler-context.js';
import { Problem } from '../http/problem.js';

/** A `Date`, a time in ISO 8601, or a text `YYYY-MM-DD`, which is the whole day in UTC. */
type Time = Date | string;

export interface DateRange {
  readonly startDate?: Time | undefined;
  readonly endDate?: Time | undefined;
}

type Names = readonly [start: string, end: string];

interface RangeRule {
  /** A time at an end is excluded; a day never is. */
  readonly excludesTimes?: boolean;
  /** The names of the fields, for errors. */
  readonly names?: Names | undefined;
}

/** Whether a time is in a range. Both ends are included unless the rule says otherwise; an absent one sets no limit. */
export function timesIn(range: DateRange, { excludesTimes = false, names }: RangeRule = {}): (atMs: number) => boolean {
  requireOrder(range, names);
  const { startDate, endDate } = range;
  const gapMs = (time: Time): number => (excludesTimes && !isDay(time) ? 1 : 0);
  const fromMs = startDate === undefined ? Number.NEGATIVE_INFINITY : startOf(startDate) + gapMs(startDate);
  const toMs = endDate === undefined ? Number.POSITIVE_INFINITY : endOf(endDate) - gapMs(endDate);
  return (atMs) => atMs >= fromMs && atMs <= toMs;
}

/** Whether a time is in a range of days. The two numbers are times on the first and the last day of a range without these ends. */
export function daysIn({ startDate, endDate }: DateRange, firstMs?: number, lastMs?: number): (atMs: number) => boolean {
  requireOrder({ startDate: asDay(startDate), endDate: asDay(endDate) });
  const isAfterStart = timesIn({ startDate: asDay(startDate ?? firstMs) });
  const isBeforeEnd = timesIn({ endDate: asDay(endDate ?? lastMs) });
  return (atMs) => isAfterStart(atMs) && isBeforeEnd(atMs);
}

/** Rejects a range that ends before it starts. */
export function requireOrder({ startDate, endDate }: DateRange, [start, end]: Names = ['startDate', 'endDate']): void {
  if (startDate !== undefined && endDate !== undefined && endOf(endDate) < startOf(startDate))
    throw new Problem(400, `${end} is before ${start}.`);
}

/** The first millisecond of a time or day. */
export function startOf(time: Time): number {
  return new Date(time).getTime();
}

/** The last millisecond of a time or day. */
export function endOf(time: Time): number {
  return startOf(time) + (isDay(time) ? dayMs - 1 : 0);
}

function isDay(time: Time): boolean {
  return typeof time === 'string' && time.length === 10;
}

function asDay(time: Time | number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(dayOf(time)).toISOString().slice(0, 10);
}
