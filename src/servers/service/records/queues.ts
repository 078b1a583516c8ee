import type { Context } from '../handlers/handler-context.js';
import type { Organization } from '../state/state.js';
import { reachedAtMs, takedownsNow } from './takedown-records.js';

/** Something that waits: what it is, what it is about, and since when. */
export interface Waiting {
  readonly id: number;
  readonly content: string;
  readonly sinceMs: number;
}

type Known = Pick<Context, 'state' | 'clock'>;

/** Proposals nobody has decided, the oldest first. */
export function pendingProposals({ state }: Known, organization: Organization): Waiting[] {
  const waiting = state.all('proposals').flatMap(({ id, assetId, reportId, reviewStatus }) => {
    const report = state.get('reports', reportId);
    if (reviewStatus !== 'PENDING' || report?.organizationId !== organization.id) return [];
    return [{ id, content: state.get('assets', assetId)!.content, sinceMs: report.createdAtMs }];
  });
  return waiting.sort(oldestFirst);
}

/** Takedowns that have a status now, by how long they have had it, the oldest first. */
export function takedownsIn(context: Known, organization: Organization, status: string): Waiting[] {
  const { state } = context;
  const waiting = takedownsNow(context).flatMap((takedown) => {
    if (takedown.status !== status || takedown.organizationId !== organization.id) return [];
    const sinceMs = reachedAtMs(takedown, status) ?? takedown.updatedAtMs;
    return [{ id: takedown.id, content: state.get('assets', takedown.assetId)!.content, sinceMs }];
  });
  return waiting.sort(oldestFirst);
}

function oldestFirst(a: Waiting, b: Waiting): number {
  return a.sinceMs - b.sinceMs || a.id - b.id;
}
