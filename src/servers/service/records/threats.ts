import type { State } from '../state/state.js';
import type { ProposalRecord } from '../state/state-tables.js';

/** Assets blocked now by an action of the organization, or approved from one of its reports, each with the time of its block. */
export function threatsOf(state: State, organizationId: number): Map<number, number> {
  const threats = new Map<number, number>();
  const approved = approvedBy(state, organizationId);
  for (const { id, status, blockedAtMs, organizationId: owner } of state.all('assets')) {
    if (status !== 'BLOCKED' || blockedAtMs === null) continue;
    if (owner === organizationId || approved.has(id)) threats.set(id, blockedAtMs);
  }
  return threats;
}

/** Assets whose block the organization approved in a review. */
function approvedBy(state: State, organizationId: number): Set<number> {
  const assetIds = new Set<number>();
  for (const review of state.all('reviews')) {
    const proposal = state.get('proposals', review.proposalId);
    if (review.organizationId !== organizationId || review.decision !== 'APPROVE') continue;
    if (proposal?.wanted === 'BLOCKED' && review.label !== 'False Positive') assetIds.add(proposal.assetId);
  }
  return assetIds;
}

/** The brand that a report named. */
export function brandIdOf(state: State, organizationId: number, { brandSlug }: ProposalRecord): number | null {
  if (brandSlug === null) return null;
  return state.all('brands').find((one) => one.organizationId === organizationId && one.slug === brandSlug)?.id ?? null;
}

/** A brand as other records refer to it. */
export function brandRef(state: State, id: number | null): { id: number; name: string; slug: string } | null {
  const brand = id === null ? undefined : state.get('brands', id);
  return brand === undefined ? null : { id: brand.id, name: brand.name, slug: brand.slug };
}
