import { type Context, dayMs, type HandlerCall, iso } from '../handlers/handler-context.js';
import type { State } from '../state/state.js';
import type { AssetRecord, TakedownRecord } from '../state/state-tables.js';
import { hostingProvider } from './host-facts.js';
import { evidenceOf } from './uploads.js';

const hourMs = 3_600_000;

/** When a takedown is begun and completed after it was opened. Simulated: no provider is contacted (docs/service.md). */
const beginsAfterMs = hourMs;
const completesAfterMs = 24 * hourMs;

/** Asset types that a provider hosts and can take down. */
const hostedTypes = new Set(['URL', 'PAGE']);

export interface TakedownNow extends TakedownRecord {
  readonly status: 'TODO' | 'IN_PROGRESS' | 'COMPLETED' | 'CANCELLED';
  readonly updatedAtMs: number;
}

/** Opens a takedown of a blocked, hosted asset, unless one is open or the organization does not have the service. */
export function openTakedown(
  { state, clock }: HandlerCall,
  asset: AssetRecord,
  organizationId: number,
  brandId: number | null,
): void {
  const organization = state.get('organizations', organizationId);
  if (asset.status !== 'BLOCKED' || !hostedTypes.has(asset.type) || !organization?.services.takedowns) return;
  if (state.where('takedowns', 'assetId', asset.id).some(({ releasedAtMs }) => releasedAtMs === null)) return;
  state.add('takedowns', {
    organizationId,
    assetId: asset.id,
    brandId,
    automated: organization.takedownsAutomated,
    createdAtMs: clock.now(),
    releasedAtMs: null,
  });
}

/** Cancels open takedowns, because the asset is no longer blocked. */
export function releaseTakedowns({ state, clock }: Pick<Context, 'state' | 'clock'>, assetId: number): void {
  for (const { id, releasedAtMs } of state.where('takedowns', 'assetId', assetId))
    if (releasedAtMs === null) state.change('takedowns', id, { releasedAtMs: clock.now() });
}

export function takedownNow({ clock }: Pick<Context, 'clock'>, takedown: TakedownRecord): TakedownNow {
  const { createdAtMs, releasedAtMs } = takedown;
  const [beginsAtMs, completesAtMs] = [createdAtMs + beginsAfterMs, createdAtMs + completesAfterMs];
  const untilMs = Math.min(clock.now(), releasedAtMs ?? Number.POSITIVE_INFINITY);
  if (untilMs >= completesAtMs) return { ...takedown, status: 'COMPLETED', updatedAtMs: completesAtMs };
  if (releasedAtMs !== null) return { ...takedown, status: 'CANCELLED', updatedAtMs: releasedAtMs };
  if (untilMs >= beginsAtMs) return { ...takedown, status: 'IN_PROGRESS', updatedAtMs: beginsAtMs };
  return { ...takedown, status: 'TODO', updatedAtMs: createdAtMs };
}

/** An asset is dead while it is blocked and its takedown is completed. */
export function livenessOf(context: Pick<Context, 'state' | 'clock'>, asset: AssetRecord): AssetRecord['livenessStatus'] {
  const isDead = context.state
    .where('takedowns', 'assetId', asset.id)
    .some((takedown) => takedown.releasedAtMs === null && takedownNow(context, takedown).status === 'COMPLETED');
  return isDead ? 'DEAD' : asset.livenessStatus;
}

/** How long an undecided asset stays on the watchlist. */
const watchedForMs = 30 * dayMs;

/** The watchlist also drops an asset that stays undecided for 30 days, or whose takedown succeeds. */
export function watchStatusOf(context: Pick<Context, 'state' | 'clock'>, asset: AssetRecord): AssetRecord['watchStatus'] {
  const isOver = asset.status === 'UNKNOWN' && context.clock.now() >= asset.updatedAtMs + watchedForMs;
  return isOver || livenessOf(context, asset) === 'DEAD' ? 'DISABLED' : asset.watchStatus;
}

/** The status of the one task of a takedown. Only TODO is published; the others are spelled from prose. provisional */
const taskStatuses = { TODO: 'TODO', IN_PROGRESS: 'SUBMITTED', COMPLETED: 'APPROVED', CANCELLED: 'CANCELLED' } as const;

/** A takedown in the response of an asset search. */
export function takedownView(state: State, takedown: TakedownNow) {
  const { id, status, createdAtMs, updatedAtMs } = takedown;
  const times = { createdAt: iso(createdAtMs), updatedAt: iso(updatedAtMs) };
  const task = {
    id,
    type: 'HOSTING_PROVIDER',
    status: taskStatuses[status],
    retractionStatus: 'NOT_RETRACTED',
    submittedAt: updatedAtMs < createdAtMs + beginsAfterMs ? null : iso(createdAtMs + beginsAfterMs),
    retractedAt: null,
    lastResponseAt: status === 'COMPLETED' ? times.updatedAt : null,
    ...times,
    takedownProvider: { name: hostingProvider.name },
  };
  return { id, status, ...times, tasks: [task], attachments: evidenceOf(state, takedown) };
}
