import type { Context } from '../handlers/handler-context.js';
import { dayMs, iso, isoOrNull } from '../handlers/handler-context.js';
import type { State } from '../state/state.js';
import type { AssetRecord, ProposalRecord, ReportRecord } from '../state/state-tables.js';
import { threatActorOf } from './host-facts.js';
import { scanView } from './scans.js';

/** TODO, IN_PROGRESS or CLOSED if none, some or all of its proposals are decided. */
export function reportStatus(state: State, reportId: number): 'TODO' | 'IN_PROGRESS' | 'CLOSED' {
  const proposals = proposalsOf(state, reportId);
  const open = proposals.filter(({ reviewStatus }) => reviewStatus === 'PENDING').length;
  return open === 0 ? 'CLOSED' : open === proposals.length ? 'TODO' : 'IN_PROGRESS';
}

export function proposalsOf(state: State, reportId: number): readonly ProposalRecord[] {
  return state.where('proposals', 'reportId', reportId);
}

export function assetsOf(state: State, reportId: number): AssetRecord[] {
  return proposalsOf(state, reportId).map(({ assetId }) => state.get('assets', assetId)!);
}

/** Within this time a report is to be reviewed, for organizations with the reviewing service. provisional */
const reviewWithinMs = dayMs;

/** When a report is to be reviewed; a decided one keeps the time it was due. */
function slaDueAt(state: State, { organizationId, createdAtMs }: ReportRecord): string | null {
  return state.get('organizations', organizationId)?.services.reviewing ? iso(createdAtMs + reviewWithinMs) : null;
}

/** The first report of the same organization about all of its assets. provisional */
function duplicateOf(state: State, { id, organizationId }: ReportRecord): number | null {
  const [first, ...others] = proposalsOf(state, id).map(({ assetId }) => assetId);
  if (first === undefined) return null;
  const reportsOf = (assetId: number): number[] => state.where('proposals', 'assetId', assetId).map(({ reportId }) => reportId);
  const all = others.map((assetId) => new Set(reportsOf(assetId)));
  const isDuplicate = (earlier: number): boolean =>
    earlier < id && state.get('reports', earlier)?.organizationId === organizationId && all.every((ids) => ids.has(earlier));
  return reportsOf(first).find(isDuplicate) ?? null;
}

/** A report in the response of a report list. */
export function reportView(context: Pick<Context, 'state' | 'clock'>, report: ReportRecord) {
  const { state } = context;
  const reporter = report.reporterUserId === null ? undefined : state.get('users', report.reporterUserId);
  return {
    id: report.id,
    title: report.title,
    description: report.description,
    imageDisplay: 'VISIBLE' as const,
    favoritedAt: isoOrNull(report.favoritedAtMs),
    status: reportStatus(state, report.id),
    reportedByCustomer: report.reportedByCustomer,
    slaDueAt: slaDueAt(state, report),
    externalSubmissionLink: report.externalSubmissionLink,
    duplicateOfId: duplicateOf(state, report),
    threatActor: threatActorOf(assetsOf(state, report.id)),
    createdAt: iso(report.createdAtMs),
    updatedAt: iso(report.updatedAtMs),
    attachments: report.attachmentUrls.map((url, at) => ({ id: at + 1, url })),
    proposals: proposalsOf(state, report.id).map((proposal) => {
      const asset = state.get('assets', proposal.assetId)!;
      return {
        id: proposal.id,
        reviewStatus: proposal.reviewStatus,
        asset: {
          id: asset.id,
          type: asset.type,
          content: asset.content,
          status: asset.status,
          scans: state.where('scans', 'assetId', asset.id).map((scan) => scanView(context, scan)),
        },
      };
    }),
    reporter:
      reporter === undefined ? null : { id: reporter.id, role: reporter.role, fullName: reporter.fullName, avatarUrl: null },
    externalReporter: report.externalReporter === null ? null : { id: report.id, ...report.externalReporter },
    source: report.source,
    sourceMetadata: null,
  };
}
