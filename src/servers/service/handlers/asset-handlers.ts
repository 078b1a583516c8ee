import type { Asset, Refusal } from '../../../core/assets/asset.js';
import { findAssets } from '../../../core/find/find-all.js';
import { announceStatus } from '../delivery/announcements.js';
import { Problem } from '../http/problem.js';
import {
  decisionOn,
  ensureAsset,
  findAsset,
  nearestAsset,
  parseAsset,
  readingsOf,
  refusalWords,
  setStatus,
} from '../records/asset-records.js';
import { daysIn } from '../records/date-ranges.js';
import { pageOf } from '../records/paging.js';
import { reportStatus } from '../records/report-records.js';
import { scanView, startScan } from '../records/scans.js';
import { livenessOf, takedownNow, takedownView, watchStatusOf } from '../records/takedown-records.js';
import { requireUrl } from '../records/urls.js';
import type { AssetRecord } from '../state/state-tables.js';
import {
  type Context,
  dayMs,
  dayOf,
  type HandlerCall,
  type Handlers,
  iso,
  isoOrNull,
  organizationOf,
} from './handler-context.js';

/** Changes in one response. provisional */
const maxChanges = 100;

/** A sentence is not an asset, but may contain one; the name of a file (`main.rs`) only counts if nothing else does. */
function firstIn(content: string): Asset | undefined {
  const found = findAssets(content);
  return (found.find(({ certainty }) => certainty !== 'weak') ?? found[0])?.assets[0];
}

export const assetHandlers = {
  assetCheck(call, { content }) {
    const { source } = call.settings;
    const answer = (status: string, more: { reason?: string; code?: string; message?: string } = {}) => ({
      status,
      source,
      sources: [{ source, status }],
      ...more,
    });
    const readings = readingsOf(content);
    if (readings.length === 0) return answer('UNKNOWN', unread(parseAsset(content)));
    const decision = decisionOn(call, content);
    if (decision === null) return answer('UNKNOWN', { reason: reasonOf(readings, call) });
    const { record, exact } = decision;
    // Below a listed page there is no parent domain.
    return answer(record.status, exact || record.type !== 'URL' ? {} : { reason: 'parent-domain' });
  },

  assetList(call, { type, status = 'BLOCKED', startDate, endDate, per_page: size = 100, next_page: cursor }) {
    const { state, clock } = call;
    const last = dayOf(endDate ?? clock.now());
    const isInDays = daysIn({ startDate, endDate }, last - dayMs, last);
    const assets = state
      .all('assets')
      .filter((asset) => asset.type === type && asset.status === status && isInDays(asset.updatedAtMs));
    const page = pageOf(assets, cursor ?? undefined, size);
    return {
      assets: page.items.map((asset) => assetView(call, asset)),
      next_page: page.next,
    };
  },

  // provisional: the shape of an entry.
  assetChangelog({ state }, { type }) {
    const changes = state
      .all('changes')
      .map((change) => ({ change, asset: state.get('assets', change.assetId)! }))
      .filter(({ asset }) => type === undefined || asset.type === type)
      .slice(-maxChanges)
      .reverse();
    return {
      changes: changes.map(({ change, asset }) => ({
        assetId: asset.id,
        type: asset.type,
        content: asset.content,
        previousStatus: change.from,
        status: change.to,
        changedAt: iso(change.atMs),
      })),
    };
  },

  assetSearch(call, { content, assetId }) {
    const { state, key } = call;
    const asset = assetId === undefined ? nearestAsset(call, content ?? '') : state.get('assets', assetId);
    if (asset === undefined) return { asset: null, reports: [], takedown: null, blockedBy: [], scans: [] };
    const proposals = state.all('proposals').filter((proposal) => proposal.assetId === asset.id);
    const reportIds = new Set(proposals.map(({ reportId }) => reportId));
    const takedown = [...state.where('takedowns', 'assetId', asset.id)].pop();
    return {
      asset: { ...assetView(call, asset), createdAt: iso(asset.createdAtMs) },
      // Assets are visible to all organizations, their reports only to the reporting one.
      reports: [...reportIds].flatMap((id) => {
        const { organizationId, title, createdAtMs } = state.get('reports', id)!;
        if (!key.organizationIds.includes(organizationId)) return [];
        return [{ id, title, status: reportStatus(state, id), createdAt: iso(createdAtMs) }];
      }),
      takedown: takedown === undefined ? null : takedownView(state, takedownNow(call, takedown)),
      // No other product uses the lists of this service.
      blockedBy: [],
      scans: state
        .all('scans')
        .filter((scan) => scan.assetId === asset.id)
        .map(({ id, createdAtMs }) => ({ id, createdAt: iso(createdAtMs) }))
        .reverse(),
    };
  },

  assetSubmit(call, { assets }) {
    const parsed = assets.map((text, at) => {
      const asset = parseAsset(text);
      if ('refused' in asset)
        throw new Problem(400, 'An asset cannot be parsed.', {
          issues: [{ path: `assets[${at}]`, message: `cannot be read: ${refusalWords[asset.refused]}` }],
        });
      return { text, asset };
    });
    return {
      submittedAssets: parsed.map(({ text, asset }) => {
        const record = ensureAsset(call, asset);
        // A scan needs an organization.
        const scan = call.organization === null ? null : startScan(call, record, null);
        return { asset: text, assetId: record.id, ...(scan !== null && { scanId: scan.id }) };
      }),
    };
  },

  // provisional: the names of the input, and the response.
  assetUnblock(call, { content }) {
    const organization = organizationOf(call);
    if (typeof content !== 'string') throw new Problem(400, 'content is missing.');
    const asset = findAsset(call, content);
    if (asset === undefined) throw new Problem(404, 'The asset is unknown.');
    if (asset.status !== 'BLOCKED') throw new Problem(400, 'The asset is not blocked.');
    if (asset.organizationId === organization.id) {
      announceStatus(call, setStatus(call, asset, 'UNKNOWN', 'unblock'));
      return { outcome: 'UNBLOCKED', assetId: asset.id };
    }
    const email = `${organization.slug}@organization.invalid`;
    if (call.state.all('disputes').some((one) => one.assetId === asset.id && one.email === email)) {
      throw new Problem(400, 'The organization has already disputed this asset.');
    }
    const dispute = call.state.add('disputes', { assetId: asset.id, email, description: null, createdAtMs: call.clock.now() });
    return { outcome: 'DISPUTED', assetId: asset.id, disputeId: String(dispute.id) };
  },

  assetParse(_, { content }) {
    const parsed = parseAsset(content);
    const asset = 'refused' in parsed ? (parsed.refused === 'secret' ? undefined : firstIn(content)) : parsed;
    return asset === undefined ? null : { content: asset.canonical, submittedContent: content, type: asset.type };
  },

  // provisional: the names of the input, and the response.
  assetScan(call, { content, callbackUrl }) {
    if (typeof content !== 'string') throw new Problem(400, 'content is missing.');
    if (callbackUrl !== undefined) requireUrl('callbackUrl', callbackUrl, call.settings.allowPrivateTargets);
    const asset = parseAsset(content);
    if ('refused' in asset) throw new Problem(400, `The asset cannot be read: ${refusalWords[asset.refused]}.`);
    const scan = startScan(call, ensureAsset(call, asset), callbackUrl ?? null);
    return { scanId: scan.id, status: scanView(call, scan).status };
  },

  // provisional: the name of the input.
  scanResult(call, { scanId }) {
    const scan = scanId === undefined ? undefined : call.state.get('scans', scanId);
    if (scan === undefined) throw new Problem(404, 'There is no such scan.');
    return scanView(call, scan);
  },

  assetDetails(call, { content }) {
    // As in a check, a page of a blocked site is blocked.
    const asset = decisionOn(call, content)?.record;
    if (asset === undefined) return { status: 'UNKNOWN' };
    const proposal = call.state
      .all('proposals')
      .reverse()
      .find((one) => one.assetId === asset.id && one.reviewStatus === 'APPROVED');
    return {
      status: asset.status,
      ...(proposal !== undefined && {
        reason: 'report',
        reportId: proposal.reportId,
        reportUrl: `${call.base}/organization/reports?searchQuery=${proposal.reportId}`,
      }),
    };
  },
} satisfies Partial<Handlers>;

function assetView(context: Pick<Context, 'state' | 'clock'>, asset: AssetRecord) {
  const { id, content, type, status, updatedAtMs, blockedAtMs } = asset;
  return {
    id,
    content,
    type,
    status,
    watchStatus: watchStatusOf(context, asset),
    livenessStatus: livenessOf(context, asset),
    updatedAt: iso(updatedAtMs),
    blockedAt: isoOrNull(blockedAtMs),
  };
}

/** Why a check cannot parse a text. */
function unread(parsed: Asset | Refusal): { code: string; message: string } {
  return 'refused' in parsed && parsed.refused === 'internal-scheme'
    ? { code: 'internal-scheme', message: 'Internal pages of a browser are never listed.' }
    : { code: 'parse-error', message: 'The content cannot be parsed.' };
}

/** Why a check has no result: on a host with pages of many owners, only the page itself could be listed. */
function reasonOf(readings: readonly Asset[], { settings }: HandlerCall): string {
  const isOnSharedHost = readings.some(({ type, canonical }) => type === 'URL' && settings.rules.sharedHosts.has(canonical));
  return isOnSharedHost ? 'hosting-domain' : 'not-found';
}
