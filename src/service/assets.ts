import { detectAssets, expressionsOf, normalizeAsset } from '../algorithms/all.js';
import type { Asset, RefusalReason } from '../assets/asset.js';
import { addRecent, listingFor } from './blocklist.js';
import type { Call, Context } from './context.js';
import type { AssetRecord, AssetStatus, Change } from './state.js';

/** What a text is, or why it is nothing that can be kept. */
export function parseAsset(text: string): Asset | { readonly refused: RefusalReason } {
  return normalizeAsset(text);
}

/** The record of exactly what a text names, by its first reading: a page is not its host. */
export function findAsset({ state }: Pick<Context, 'state'>, text: string): AssetRecord | undefined {
  const asset = parseAsset(text);
  return 'refused' in asset ? undefined : state.assetBy(asset.type, asset.canonical);
}

/** The record of an asset, made where there is none. */
export function ensureAsset({ state, clock }: Context, { type, canonical }: Asset): AssetRecord {
  const known = state.assetBy(type, canonical);
  if (known !== undefined) return known;
  const nowMs = clock.now();
  return state.add('assets', {
    type,
    content: canonical,
    status: 'UNKNOWN',
    watchStatus: 'DISABLED',
    livenessStatus: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    blockedAtMs: null,
    organizationId: null,
  });
}

/**
 * What decides about a text: the record listed under its most specific expression that says something. What lies below a public suffix
 * or a shared host is somebody else's, so a record of one, which no list can hold as a whole, speaks for nothing but itself.
 */
export function decisionOn(context: Context, text: string): { record: AssetRecord; exact: boolean } | null {
  const readings = detectAssets(text).map(({ type, canonical }) => `${type} ${canonical}`);
  for (const expression of expressionsOf(text)) {
    for (const [type, content] of assetsBehind(expression)) {
      const record = context.state.assetBy(type, content);
      if (record === undefined || record.status === 'UNKNOWN') continue;
      const key = `${type} ${content}`;
      if (key !== readings[0] && 'refused' in listingFor(context, record)) continue;
      return { record, exact: readings.includes(key) };
    }
  }
  return null;
}

/** Whether a text stands on an allowlist, itself or with all that lies below a domain there. */
export function isAllowlisted(context: Context, text: string): boolean {
  const { state } = context;
  const decision = decisionOn(context, text);
  const ids = [findAsset(context, text)?.id, decision?.record.status === 'ALLOWED' ? decision.record.id : undefined];
  return state.all('memberships').some(({ assetId }) => ids.includes(assetId));
}

/** The assets that are listed under an expression. */
function assetsBehind(expression: string): [type: string, content: string][] {
  const typed = /^([a-z0-9_]+):(.+)$/.exec(expression);
  if (typed !== null && !/^\d+$/.test(typed[2]!)) return [[typed[1]!.toUpperCase(), typed[2]!]];
  return expression.includes('/') ? [['PAGE', expression]] : [['URL', expression]];
}

/** Gives an asset another status, and writes down that it got it. Nothing where it has it already. */
export function setStatus(call: Context & Partial<Call>, asset: AssetRecord, to: AssetStatus, by: Change['by']): AssetRecord {
  const { state, clock } = call;
  if (asset.status === to) return asset;
  const nowMs = clock.now();
  const organizationId = call.organization?.id ?? null;
  state.add('changes', { assetId: asset.id, from: asset.status, to, atMs: nowMs, by, organizationId });
  const changed = state.change('assets', asset.id, {
    status: to,
    updatedAtMs: nowMs,
    blockedAtMs: to === 'BLOCKED' ? nowMs : null,
    organizationId: to === 'UNKNOWN' ? null : organizationId,
    ...(to === 'ALLOWED' && { watchStatus: 'DISABLED' as const }),
  });
  if (to === 'BLOCKED') addRecent(call, changed);
  return changed;
}
