import type { AssetRecord, ProposalRecord, State } from '../state/state.js';

/** An asset that is blocked now on an organization's account. */
export interface Threat {
  readonly asset: AssetRecord;
  readonly blockedAtMs: number;
  readonly brandId: number | null;
}

/** What an organization's latest approval said of an asset. */
export interface Verdict {
  readonly brandId: number | null;
  readonly label: string;
}

/** Blocked by an act of the organization, or approved out of a report of it. What was let go again is no threat. */
export function threatsOf(state: State, organizationId: number): Threat[] {
  const verdicts = verdictsOf(state, organizationId);
  return state.all('assets').flatMap((asset) => {
    const { status, blockedAtMs } = asset;
    if (status !== 'BLOCKED' || blockedAtMs === null) return [];
    if (asset.organizationId !== organizationId && !verdicts.has(asset.id)) return [];
    return [{ asset, blockedAtMs, brandId: verdicts.get(asset.id)?.brandId ?? null }];
  });
}

/** By asset. */
export function verdictsOf(state: State, organizationId: number): Map<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  for (const review of state.all('reviews')) {
    const proposal = state.get('proposals', review.proposalId);
    if (review.organizationId !== organizationId || review.decision !== 'APPROVE' || proposal?.wanted !== 'BLOCKED') continue;
    if (review.label === 'False Positive') continue;
    const brandId = review.brandId ?? brandIdOf(state, organizationId, proposal);
    verdicts.set(proposal.assetId, { brandId, label: review.label });
  }
  return verdicts;
}

/** The brand a report named. */
export function brandIdOf(state: State, organizationId: number, { brandSlug }: ProposalRecord): number | null {
  if (brandSlug === null) return null;
  return state.all('brands').find((one) => one.organizationId === organizationId && one.slug === brandSlug)?.id ?? null;
}

/** A brand as other records name it. */
export function brandRef(state: State, id: number | null): { id: number; name: string; slug: string } | null {
  const brand = id === null ? undefined : state.get('brands', id);
  return brand === undefined ? null : { id: brand.id, name: brand.name, slug: brand.slug };
}
