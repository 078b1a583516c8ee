import type { Context } from '../handlers/handler-context.js';
import { Problem } from '../http/problem.js';
import type { Organization } from '../state/state.js';
import { dayName, type Range, within } from './ranges.js';
import { proposalsOf } from './report-records.js';
import { reachedAtMs, takedownsNow } from './takedown-records.js';
import { brandIdOf, type Threat, threatsOf } from './threats.js';

export interface Count {
  readonly key: string | null;
  readonly count: number;
}

type Known = Pick<Context, 'state' | 'clock'>;

/** The threats of an organization that were blocked within a range, of some brands or of all. */
export function threatsWithin(
  { state }: Known,
  { id }: Organization,
  range: Range,
  brandIds: readonly number[] | null,
): Threat[] {
  return threatsOf(state, id).filter(({ blockedAtMs, brandId }) => within(blockedAtMs, range) && isOf(brandIds, brandId));
}

/** What an organization's records add up to. A threat counts while it is blocked; a takedown counts when it was begun, and when it ended. */
export function figuresOf(context: Known, organization: Organization, range: Range, brandIds: readonly number[] | null) {
  const { state } = context;
  const threats = threatsWithin(context, organization, range, brandIds);
  const reports = state
    .all('reports')
    .filter(
      (report) =>
        report.organizationId === organization.id &&
        within(report.createdAtMs, range) &&
        (brandIds === null ||
          proposalsOf(state, report.id).some((one) => isOf(brandIds, brandIdOf(state, organization.id, one)))),
    );
  const takedowns = takedownsNow(context).filter((one) => one.organizationId === organization.id && isOf(brandIds, one.brandId));
  const reaching = (status: string): number => takedowns.filter((one) => within(reachedAtMs(one, status), range)).length;
  const typed = (of: (type: string) => boolean): number => threats.filter(({ asset }) => of(asset.type)).length;
  const domains = typed(isDomain);
  const twitter = typed(isTwitter);
  const telegram = typed(isTelegram);
  return {
    reports: reports.length,
    newThreats: threats.length,
    // As documented: by brand it is 0.
    threatsWatchlisted: brandIds === null ? watchlistedWithin(context, organization, range) : 0,
    takedownsFiled: reaching('IN_PROGRESS'),
    takedownsCompleted: reaching('COMPLETED'),
    domainThreats: domains,
    twitterThreats: twitter,
    telegramThreats: telegram,
    otherThreats: threats.length - domains - twitter - telegram,
  };
}

/** How many of each, most first; equal ones by name. */
export function countsOf(keys: readonly (string | null)[]): Count[] {
  const counts = new Map<string | null, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].map(([key, count]) => ({ key, count })).sort((a, b) => b.count - a.count || order(a.key, b.key));
}

export function countsByType(threats: readonly Threat[]): { type: string; count: number }[] {
  return countsOf(threats.map(({ asset }) => asset.type)).map(({ key, count }) => ({ type: key!, count }));
}

/** Oldest day first. A day without any is left out. */
export function countsByDay(threats: readonly Threat[]): { date: string; count: number }[] {
  const counts = countsOf(threats.map(({ blockedAtMs }) => dayName(blockedAtMs)));
  return counts.map(({ key, count }) => ({ date: key!, count })).sort((a, b) => order(a.date, b.date));
}

/** The organization's brands behind ids, all of them for none; somebody else's is 404. */
export function brandsOf(
  { state }: Known,
  { id }: Organization,
  brandIds: readonly number[] | undefined,
): readonly number[] | null {
  if (brandIds === undefined || brandIds.length === 0) return null;
  for (const brandId of brandIds) {
    if (state.get('brands', brandId)?.organizationId !== id) throw new Problem(404, 'There is no such brand.');
  }
  return brandIds;
}

function watchlistedWithin({ state }: Known, { id }: Organization, range: Range): number {
  const assets = state
    .all('reviews')
    .filter((review) => review.organizationId === id && within(review.createdAtMs, range))
    .flatMap(({ proposalId }) => state.get('proposals', proposalId) ?? [])
    .filter(({ watchlisted }) => watchlisted);
  return new Set(assets.map(({ assetId }) => assetId)).size;
}

function isOf(brandIds: readonly number[] | null, brandId: number | null): boolean {
  return brandIds === null || (brandId !== null && brandIds.includes(brandId));
}

function isDomain(type: string): boolean {
  return type === 'URL';
}

function isTwitter(type: string): boolean {
  return type === 'TWITTER';
}

function isTelegram(type: string): boolean {
  return type === 'TELEGRAM';
}

function order(a: string | null, b: string | null): number {
  return (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0;
}
