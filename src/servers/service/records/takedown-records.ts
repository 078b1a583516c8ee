import { type Call, type Context, iso } from '../handlers/handler-context.js';
import type { AssetRecord, TakedownRecord } from '../state/state.js';

const hourMs = 3_600_000;

/** Types that somebody hosts and can take down. */
const hostedTypes = new Set(['URL', 'PAGE']);

/**
 * Simulated: nobody is asked to take anything down. Time from a takedown's opening to its begin and to its end, each made up to half
 * longer or shorter by the service's seeded chance, so that medians have something to be the middle of.
 */
const paces = {
  automated: { beginMs: hourMs, endMs: 24 * hourMs },
  byHand: { beginMs: 8 * hourMs, endMs: 72 * hourMs },
} as const;

type Known = Pick<Context, 'state' | 'clock'>;

/** A takedown of what is blocked, can be taken down and belongs to an organization that has the service; one at a time for an asset. */
export function openTakedown(
  call: Call,
  asset: AssetRecord,
  organizationId: number,
  brandId: number | null,
): TakedownRecord | null {
  const { state, clock, random } = call;
  const organization = state.get('organizations', organizationId);
  if (asset.status !== 'BLOCKED' || !hostedTypes.has(asset.type) || !organization?.services.takedowns) return null;
  const open = takedownsNow(call).find((one) => one.assetId === asset.id && isOpen(one));
  if (open !== undefined) return open;
  const nowMs = clock.now();
  const automated = organization.takedownsAutomated;
  const { beginMs, endMs } = paces[automated ? 'automated' : 'byHand'];
  const spread = 0.5 + random();
  return state.add('takedowns', {
    organizationId,
    assetId: asset.id,
    status: 'TODO',
    brandId,
    automated,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    history: [{ status: 'TODO', atMs: nowMs }],
    planned: [
      { status: 'IN_PROGRESS', atMs: nowMs + Math.round(beginMs * spread) },
      { status: 'COMPLETED', atMs: nowMs + Math.round(endMs * spread) },
    ],
  });
}

/** Somebody still has to do something about it. */
export function isOpen({ status }: TakedownRecord): boolean {
  return status === 'TODO' || status === 'IN_PROGRESS';
}

/** All takedowns as they stand now: what was planned and is due has happened, unless the asset stopped being blocked before. */
export function takedownsNow(context: Known): TakedownRecord[] {
  const { state, clock } = context;
  const nowMs = clock.now();
  const releases = new Map<number, { id: number; atMs: number }[]>();
  for (const { id, assetId, to, atMs } of state.all('changes')) {
    if (to !== 'BLOCKED') releases.set(assetId, [...(releases.get(assetId) ?? []), { id, atMs }]);
  }
  return state.all('takedowns').map((takedown) => {
    // Ids tell the order of what happened within one millisecond.
    const release = releases.get(takedown.assetId)?.find(({ id }) => id > takedown.id);
    const untilMs = Math.min(nowMs, release?.atMs ?? nowMs);
    const due = takedown.planned.filter(({ atMs }) => atMs <= untilMs);
    const history = [...takedown.history, ...due];
    const last = history[history.length - 1]?.status ?? takedown.status;
    const cancelled = release !== undefined && (last === 'TODO' || last === 'IN_PROGRESS');
    if (cancelled) history.push({ status: 'CANCELLED', atMs: release.atMs });
    const step = history[history.length - 1];
    return {
      ...takedown,
      history,
      planned: release === undefined ? takedown.planned.filter(({ atMs }) => atMs > nowMs) : [],
      status: step?.status ?? takedown.status,
      updatedAtMs: Math.max(takedown.updatedAtMs, step?.atMs ?? 0),
    };
  });
}

/** One takedown as it stands now. */
export function takedownNow(context: Known, { id }: TakedownRecord): TakedownRecord {
  return takedownsNow(context).find((one) => one.id === id)!;
}

/** When a takedown first got a status. */
export function reachedAtMs({ history }: TakedownRecord, status: string): number | null {
  return history.find((step) => step.status === status)?.atMs ?? null;
}

/** When each dead asset died: its takedown was completed since it was blocked, or its record says that it is dead. */
export function deathsOf(context: Known): Map<number, number> {
  const { state } = context;
  const deaths = new Map<number, number>();
  for (const { id, livenessStatus, updatedAtMs } of state.all('assets'))
    if (livenessStatus === 'DEAD') deaths.set(id, updatedAtMs);
  for (const takedown of takedownsNow(context)) {
    const atMs = reachedAtMs(takedown, 'COMPLETED');
    const blockedAtMs = state.get('assets', takedown.assetId)?.blockedAtMs ?? null;
    if (atMs !== null && blockedAtMs !== null && atMs >= blockedAtMs) deaths.set(takedown.assetId, atMs);
  }
  return deaths;
}

/** A takedown as an asset's look-up shows it. */
export function takedownView({ id, status, createdAtMs, updatedAtMs }: TakedownRecord) {
  return { id, status, createdAt: iso(createdAtMs), updatedAt: iso(updatedAtMs), tasks: [] };
}
