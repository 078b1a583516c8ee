import { type Context, dayMs } from '../handlers/handler-context.js';
import type { Organization } from '../state/state.js';
import { round2 } from './numbers.js';
import { reachedAtMs, takedownsNow } from './takedown-records.js';
import { verdictsOf } from './threats.js';

/** As documented: what took longer says more about a lost case than about speed. */
const countedMsMax = 40 * dayMs;

/** A takedown that came to its end. */
export interface TakedownTime {
  readonly assetType: string;
  readonly completedAtMs: number;
  readonly tookMs: number;
}

interface Filters {
  readonly blockLabel?: string | undefined;
  readonly brandType?: string | undefined;
  readonly countryCodes?: readonly string[] | undefined;
  readonly brandIds?: readonly number[] | null;
}

export function takedownTimes(context: Pick<Context, 'state' | 'clock'>, { id }: Organization, filters: Filters): TakedownTime[] {
  const { state } = context;
  const verdicts = verdictsOf(state, id);
  return takedownsNow(context).flatMap((takedown) => {
    const completedAtMs = reachedAtMs(takedown, 'COMPLETED');
    const asset = state.get('assets', takedown.assetId);
    if (takedown.organizationId !== id || completedAtMs === null || asset === undefined) return [];
    const tookMs = completedAtMs - takedown.createdAtMs;
    const brand = takedown.brandId === null ? undefined : state.get('brands', takedown.brandId);
    const counted =
      tookMs >= 0 &&
      tookMs <= countedMsMax &&
      (filters.blockLabel === undefined || verdicts.get(asset.id)?.label === filters.blockLabel) &&
      (filters.brandType === undefined || brand?.type === filters.brandType) &&
      (!filters.brandIds || (brand !== undefined && filters.brandIds.includes(brand.id))) &&
      // Nothing is looked up in the world here, so nothing is in a country.
      !filters.countryCodes?.length;
    return counted ? [{ assetType: asset.type, completedAtMs, tookMs }] : [];
  });
}

/** In three units, as the service gives it: whole minutes, and two decimals of the others. */
export function medianOf(times: readonly TakedownTime[]) {
  const sorted = times.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const ms = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  const none = sorted.length === 0;
  return {
    medianTakedownMinutes: none ? null : Math.round(ms / 60_000),
    medianTakedownHours: none ? null : round2(ms / 3_600_000),
    medianTakedownDays: none ? null : round2(ms / dayMs),
    count: sorted.length,
  };
}

/** The months up to now, as `yyyy-MM`, oldest first. */
export function monthsUntil(nowMs: number, count: number): string[] {
  const now = new Date(nowMs);
  return Array.from({ length: count }, (_, at) => {
    return monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (count - 1 - at), 1));
  });
}

export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
