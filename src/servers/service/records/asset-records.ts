import { detectAssets, expressionsOf, normalizeAsset } from '../../../core/algorithms/all-algorithms.js';
import type { Asset, Refusal } from '../../../core/assets/asset.js';
import type { Call, Context } from '../handlers/handler-context.js';
import type { AssetRecord, AssetStatus, Change } from '../state/state.js';
import { addRecent, listingFor } from './service-lists.js';

/** What a text is, or why it is nothing that can be kept. */
export function parseAsset(text: string): Asset | Refusal {
  return normalizeAsset(text, handle.test(text) ? { type: 'TWITTER' } : {});
}

/** A handle alone names no platform; what is sent to the service means this one, as its own samples do. */
const handle = /^\s*@\w{1,15}\s*$/;

/** What an answer repeats of a text: nothing of a secret, which must not stand in anybody's log. */
export function shown(text: string): string {
  const asset = parseAsset(text);
  return 'refused' in asset && asset.refused === 'secret' ? '(a secret)' : text;
}

/** All that a text may be listed as, most specific first: a page, then its host. */
export function readingsOf(text: string): readonly Asset[] {
  if (!handle.test(text)) return detectAssets(text);
  const asset = parseAsset(text);
  return 'refused' in asset ? [] : [asset];
}

/** The record of exactly what a text names, for what is done to it: a page is not its host. */
export function findAsset({ state }: Pick<Context, 'state'>, text: string): AssetRecord | undefined {
  const asset = parseAsset(text);
  return 'refused' in asset ? undefined : state.assetBy(asset.type, asset.canonical);
}

/** The record of the most specific reading that has one, for those who only look. */
export function nearestAsset({ state }: Pick<Context, 'state'>, text: string): AssetRecord | undefined {
  for (const { type, canonical } of readingsOf(text)) {
    const record = state.assetBy(type, canonical);
    if (record !== undefined) return record;
  }
  return undefined;
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

/** Whether another organization blocked what a text names, or something above it: then it is not this one's to let go. */
export function isBlockOfOthers(context: Context, text: string, organizationId: number): boolean {
  const decision = decisionOn(context, text);
  return decision?.record.status === 'BLOCKED' && decision.record.organizationId !== organizationId;
}

/** Whether a text stands on an allowlist, itself or with all that lies below a domain there. */
export function isAllowlisted(context: Context, text: string): boolean {
  const { state } = context;
  const decision = decisionOn(context, text);
  const ids = [findAsset(context, text)?.id, decision?.record.status === 'ALLOWED' ? decision.record.id : undefined];
  return state.all('memberships').some(({ assetId }) => ids.includes(assetId));
}

type Named = readonly [type: string, content: string];

/** What may speak for a text, most specific first. */
function assetsOver(text: string): readonly Named[] {
  if (!handle.test(text)) return expressionsOf(text).map(assetBehind);
  return readingsOf(text).map(({ type, canonical }) => [type, canonical]);
}

/** The asset that is listed under an expression. */
function assetBehind(expression: string): Named {
  const typed = /^([a-z0-9_]+):(.+)$/.exec(expression);
  if (typed !== null) return [typed[1]!.toUpperCase(), typed[2]!];
  return [expression.includes('/') ? 'PAGE' : 'URL', expression];
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
