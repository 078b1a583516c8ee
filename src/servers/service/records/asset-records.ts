import { detectAssets, expressionsOf, normalizeAsset } from '../../../core/algorithms/all-algorithms.js';
import type { Asset, Refusal, RefusalReason } from '../../../core/assets/asset.js';
import type { Context, HandlerCall } from '../handlers/handler-context.js';
import type { AssetRecord, AssetStatus, Change } from '../state/state-tables.js';
import { addRecent, listingFor } from './service-lists.js';
import { releaseTakedowns } from './takedown-records.js';

export function parseAsset(text: string): Asset | Refusal {
  return normalizeAsset(text, handle.test(text) ? { type: 'TWITTER' } : {});
}

/** Why a text is refused, as the end of a sentence. */
export const refusalWords: Readonly<Record<RefusalReason, string>> = {
  'internal-scheme': 'it is a page of a browser, a script or a local file',
  'not-a-host': 'it has no host that other machines can reach',
  secret: 'it looks like a private key or a recovery phrase',
  'too-deep': 'a link is wrapped in too many others',
  unknown: 'it is not a link, a domain, a handle, an address or a telephone number',
};

/** A handle without a platform is read as TWITTER, as in the service's own samples. */
const handle = /^\s*@\w{1,15}\s*$/;

/** The text as an answer may repeat it: a secret must not end up in a log. */
export function shown(text: string): string {
  const asset = parseAsset(text);
  return 'refused' in asset && asset.refused === 'secret' ? '(a secret)' : text;
}

/** The assets that a text may be listed as, most specific first: a page, then its host. */
export function readingsOf(text: string): readonly Asset[] {
  if (!handle.test(text)) return detectAssets(text);
  const asset = parseAsset(text);
  return 'refused' in asset ? [] : [asset];
}

/** The record of exactly the asset that a text names, for changing it: a page is not its host. */
export function findAsset({ state }: Pick<Context, 'state'>, text: string): AssetRecord | undefined {
  const asset = parseAsset(text);
  return 'refused' in asset ? undefined : state.assetBy(asset.type, asset.canonical);
}

/** The record of the most specific reading that has one, for showing it. */
export function nearestAsset({ state }: Pick<Context, 'state'>, text: string): AssetRecord | undefined {
  for (const { type, canonical } of readingsOf(text)) {
    const record = state.assetBy(type, canonical);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** The record of an asset, added if it is new. */
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
 * The record that decides about a text: the one under its most specific expression that is allowed or blocked. A record of a public
 * suffix or shared host, which no list can contain, decides only about itself: what is below belongs to others.
 */
export function decisionOn(context: Context, text: string): { record: AssetRecord; exact: boolean } | null {
  const readings = readingsOf(text).map(({ type, canonical }) => `${type} ${canonical}`);
  for (const [type, content] of assetsOver(text)) {
    const record = context.state.assetBy(type, content);
    if (record === undefined || record.status === 'UNKNOWN') continue;
    const key = `${type} ${content}`;
    if (key !== readings[0] && 'refused' in listingFor(context, record)) continue;
    return { record, exact: readings.includes(key) };
  }
  return null;
}

/** Whether another organization blocked the asset or something above it: only that organization may unblock it. */
export function isBlockOfOthers(context: Context, text: string, organizationId: number): boolean {
  const decision = decisionOn(context, text);
  return decision?.record.status === 'BLOCKED' && decision.record.organizationId !== organizationId;
}

/** Whether a text is on an allowlist, itself or below an allowlisted domain. */
export function isAllowlisted(context: Context, text: string): boolean {
  const { state } = context;
  const decision = decisionOn(context, text);
  const ids = [findAsset(context, text)?.id, decision?.record.status === 'ALLOWED' ? decision.record.id : undefined];
  return state.all('memberships').some(({ assetId }) => ids.includes(assetId));
}

type Named = readonly [type: string, content: string];

/** The assets that may decide about a text, most specific first. */
function assetsOver(text: string): readonly Named[] {
  if (!handle.test(text)) return expressionsOf(text).map(assetBehind);
  return readingsOf(text).map(({ type, canonical }) => [type, canonical]);
}

/** The asset behind an expression of a list. */
function assetBehind(expression: string): Named {
  const typed = /^([a-z0-9_]+):(.+)$/.exec(expression);
  if (typed !== null) return [typed[1]!.toUpperCase(), typed[2]!];
  return [expression.includes('/') ? 'PAGE' : 'URL', expression];
}

/** Sets the status of an asset and logs the change, if it is one. */
export function setStatus(
  call: Context & Partial<HandlerCall>,
  asset: AssetRecord,
  to: AssetStatus,
  by: Change['by'],
): AssetRecord {
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
  else releaseTakedowns(call, asset.id);
  return changed;
}
