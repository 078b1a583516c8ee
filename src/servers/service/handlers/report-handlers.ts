import type { Asset } from '../../../core/assets/asset.js';
import type { AssetIssue } from '../../../core/errors.js';
import { announceEscalation, announceStatus } from '../delivery/announcements.js';
import { Problem } from '../http/problem.js';
import {
  ensureAsset,
  findAsset,
  isAllowlisted,
  isBlockOfOthers,
  parseAsset,
  readingsOf,
  refusalWords,
  setStatus,
  shown,
} from '../records/asset-records.js';
import { timesIn } from '../records/date-ranges.js';
import { hostFacts, threatActorOf } from '../records/host-facts.js';
import { pageBefore } from '../records/paging.js';
import { assetsOf, proposalsOf, reportStatus, reportView } from '../records/report-records.js';
import { startScan } from '../records/scans.js';
import { openTakedown } from '../records/takedown-records.js';
import { brandIdOf } from '../records/threats.js';
import { requireWebUrls } from '../records/urls.js';
import type { AssetStatus } from '../state/state-tables.js';
import { dayMs, type Handlers, type InputOf, isAny, iso, organizationOf, requireBrand } from './handler-context.js';

export const reportHandlers = {
  reportCreate(call, input) {
    const organization = organizationOf(call);
    const { state, clock } = call;
    requireWebUrls(linksIn(input));
    const wanted = input.assets.map(({ content, status = 'BLOCKED', brandSlug = null }) => {
      return { content, status, brandSlug, asset: parseAsset(content) };
    });
    const duplicates = duplicatesIn(wanted);
    const brands = new Set(state.where('brands', 'organizationId', organization.id).map(({ slug }) => slug));
    const errors = wanted.flatMap((one) => {
      const errorType = reasonAgainst(one);
      return errorType === null ? [] : [issueOf(one, errorType)];
    });
    if (errors.length > 0) throw new Problem(422, countOf(errors.length), { assets: errors });
    const nowMs = clock.now();
    const report = state.add('reports', {
      organizationId: organization.id,
      title: input.title ?? `Report of ${wanted[0]!.content.slice(0, 80)}`,
      description: input.description ?? '',
      source: 'API',
      reporterUserId: call.key.userId,
      // The answer has no field for the platformIdentifier.
      externalReporter:
        input.externalReporter === undefined
          ? null
          : {
              displayName: input.externalReporter.displayName ?? null,
              avatarUrl: input.externalReporter.avatarUrl ?? null,
              platform: input.externalReporter.platform ?? 'unknown',
            },
      reportedByCustomer: true,
      externalSubmissionLink: input.externalSubmissionLink ?? null,
      attachmentUrls: input.attachmentUrls ?? [],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      favoritedAtMs: null,
    });
    for (const { asset, status, brandSlug } of oneOfEach(wanted)) {
      const record = ensureAsset(call, asset);
      const proposal = state.add('proposals', {
        reportId: report.id,
        assetId: record.id,
        wanted: status,
        brandSlug,
        reviewStatus: 'PENDING',
        watchlisted: false,
      });
      startScan(call, record, null);
      announceEscalation(call, record, proposal, organization);
    }
    const { id, slug, name } = organization;
    return { id: report.id, createdAt: iso(nowMs), organization: { id, slug, name } };

    function reasonAgainst(one: Wanted): Rejection | null {
      const { content, status, brandSlug, asset } = one;
      if ('refused' in asset) return 'INVALID_FORMAT';
      if (duplicates.has(one)) return 'DUPLICATE_ASSETS';
      if (brandSlug !== null && !brands.has(brandSlug)) return 'VALIDATION_ERROR';
      const known = findAsset(call, content);
      if (status !== 'BLOCKED' && known === undefined) return 'ASSET_NOT_FOUND';
      if (known?.status === status) return 'ASSET_ALREADY_CORRECT';
      // An allowlisted domain covers everything below it.
      if (status === 'BLOCKED' && isAllowlisted(call, content)) return 'DOMAIN_NOT_ALLOWED';
      if (known === undefined) return null;
      const pending = state.where('proposals', 'assetId', known.id).filter((one) => one.reviewStatus === 'PENDING');
      const mine = pending.some((one) => state.get('reports', one.reportId)?.organizationId === organization.id);
      if (mine) return 'REPORT_ALREADY_EXISTS';
      return pending.length > 0 ? 'ALREADY_PENDING_REVIEW' : null;
    }
  },

  reportsSearch(call, { assetContents, reportedByCustomer, limit = 50 }) {
    const organization = organizationOf(call);
    const { state } = call;
    const keys = new Set(assetContents.flatMap((text) => readingsOf(text).map(({ type, canonical }) => `${type} ${canonical}`)));
    const found = state
      .all('reports')
      .filter((report) => report.organizationId === organization.id)
      .filter((report) => reportedByCustomer === undefined || report.reportedByCustomer === reportedByCustomer)
      .filter(({ id }) => assetsOf(state, id).some(({ type, content }) => keys.has(`${type} ${content}`)))
      .reverse();
    return {
      reports: found
        .slice(0, limit)
        .map(({ id }) => ({ id, status: reportStatus(state, id), assets: assetsOf(state, id).map(({ content }) => content) })),
      totalCount: found.length,
    };
  },

  organizationReportsList(call, input) {
    const organization = organizationOf(call);
    const { state } = call;
    const has = (text: string | undefined, ...places: (string | null | undefined)[]): boolean =>
      text === undefined || places.some((place) => place?.toLowerCase().includes(text.toLowerCase()));
    // As documented: "created after" and "created before".
    const isCreatedIn = timesIn(input, { excludesTimes: true });
    const isUpdatedIn = timesIn(
      { startDate: input.updatedAtStartDate, endDate: input.updatedAtEndDate },
      { names: ['updatedAtStartDate', 'updatedAtEndDate'] },
    );
    const countryCodes = input.countryCodes?.map((code) => code.toUpperCase());
    const found = state.all('reports').filter((report) => {
      if (report.organizationId !== organization.id) return false;
      const proposals = proposalsOf(state, report.id);
      const assets = assetsOf(state, report.id);
      const facts = assets.flatMap((asset) => hostFacts(asset) ?? []);
      const reviews = proposals.flatMap(({ id }) => state.where('reviews', 'proposalId', id));
      const reporter = report.reporterUserId === null ? undefined : state.get('users', report.reporterUserId);
      const automatic = report.source === 'AUTO_DETECTION';
      const wants = input.reporterKind ?? (input.excludeAutomation ? 'human' : undefined);
      return (
        (input.status === undefined || reportStatus(state, report.id) === input.status) &&
        has(input.searchQuery, report.title, report.description, String(report.id), ...assets.map(({ content }) => content)) &&
        has(input.reporterQuery, reporter?.fullName, reporter?.email, report.externalReporter?.displayName) &&
        (wants === undefined || (wants === 'automation') === automatic) &&
        // Reviews are made with a key, so never by automation.
        (input.reviewerKind === undefined || (input.reviewerKind === 'human' && reviews.length > 0)) &&
        (input.reviewedByUserId === undefined ||
          input.reviewedByUserId === null ||
          reviews.some(({ userId }) => userId === input.reviewedByUserId)) &&
        isCreatedIn(report.createdAtMs) &&
        isUpdatedIn(report.updatedAtMs) &&
        isAny(input.registrars, facts, ({ registrar }) => registrar.name) &&
        (input.hasMxRecords === undefined || facts.some(({ hasMxRecords }) => hasMxRecords) === input.hasMxRecords) &&
        isAny(countryCodes, facts, ({ countryCode }) => countryCode) &&
        isAny(input.threatActorIds, [threatActorOf(assets)?.id]) &&
        (!input.onlyRejected || proposals.some(({ reviewStatus }) => reviewStatus === 'REJECTED')) &&
        (!input.onlyFavorited || report.favoritedAtMs !== null) &&
        (input.reportedByCustomer === undefined || report.reportedByCustomer === input.reportedByCustomer) &&
        (input.needsCustomerReview === undefined ||
          proposals.some(({ reviewStatus }) => reviewStatus === 'PENDING') === input.needsCustomerReview) &&
        isAny(input.reviewStatuses, reviews, ({ decision }) => decision) &&
        isAny(input.assetTypes, assets, ({ type }) => type) &&
        isAny(input.brandIds, proposals, (proposal) => brandIdOf(state, organization.id, proposal)) &&
        isAny(input.sources, [report.source])
      );
    });
    // The document's text, unlike its schema, needs no limit.
    const limit = (input.limit as number | undefined) ?? 50;
    const page = pageBefore(found, input.cursor, limit);
    return { reports: page.items.map((report) => reportView(call, report)), nextCursor: page.next, totalCount: found.length };
  },

  organizationProposalsReview(call, input) {
    const organization = organizationOf(call);
    const { state, clock } = call;
    const proposal = state.get('proposals', input.proposalId);
    const report = proposal && state.get('reports', proposal.reportId);
    if (proposal === undefined || report?.organizationId !== organization.id)
      throw new Problem(404, 'There is no such proposal.');
    if (proposal.assetId !== input.assetId) throw new Problem(409, 'assetId does not match the proposal.');
    if (proposal.reviewStatus !== 'PENDING') throw new Problem(409, 'The proposal is already decided.');
    const asset = state.get('assets', proposal.assetId)!;
    const approved = input.decision === 'APPROVE';
    const blocking = proposal.wanted === 'BLOCKED';
    if (approved && blocking && (asset.status === 'ALLOWED' || isAllowlisted(call, asset.content))) {
      throw new Problem(403, 'The asset is allowed; a review cannot block it.');
    }
    if (approved && !blocking && isBlockOfOthers(call, asset.content, organization.id)) {
      throw new Problem(403, 'The asset, or a domain above it, is blocked by another organization; open a dispute.');
    }
    requireBrand(call, input.brandId);
    const nowMs = clock.now();
    const recent = state
      .all('reviews')
      .filter((one) => one.organizationId === organization.id && one.createdAtMs > nowMs - dayMs);
    if (recent.length >= call.settings.reviewsPerDay)
      throw new Problem(429, 'The organization has used all reviews of the last 24 hours.');

    const reason = approved ? input.label : (input.rejectReason ?? input.watchlistReason);
    const review = state.add('reviews', {
      proposalId: proposal.id,
      organizationId: organization.id,
      decision: approved ? 'APPROVE' : 'REJECT',
      label: approved ? (input.label ?? '') : '',
      brandId: input.brandId ?? null,
      comment: [reason, input.note].filter(Boolean).join(': '),
      userId: call.key.userId,
      createdAtMs: nowMs,
    });
    const watchlisted = input.decision === 'WATCHLIST';
    const decided = state.change('proposals', proposal.id, { reviewStatus: approved ? 'APPROVED' : 'REJECTED', watchlisted });
    state.change('reports', report.id, { updatedAtMs: nowMs });
    if (watchlisted) state.change('assets', asset.id, { watchStatus: 'ENABLED', updatedAtMs: nowMs });
    // The label False Positive blocks nothing.
    const blocks = approved && input.label !== 'False Positive';
    const after = blocks
      ? setStatus(call, state.get('assets', asset.id)!, proposal.wanted as AssetStatus, 'review')
      : state.get('assets', asset.id)!;
    if (after.status !== asset.status) {
      announceStatus(call, after);
      openTakedown(call, after, organization.id, input.brandId ?? brandIdOf(state, organization.id, proposal));
    }
    return {
      proposal: {
        id: decided.id,
        reviewStatus: decided.reviewStatus,
        asset: { id: after.id, type: after.type, content: after.content, status: after.status },
      },
      review: {
        id: review.id,
        decision: review.decision,
        label: review.label,
        brandId: review.brandId,
        comment: review.comment,
        createdAt: iso(review.createdAtMs),
      },
      watchlisted,
    };
  },
} satisfies Partial<Handlers>;

/** Why an asset cannot be reported, and what to do instead. `$` stands for what is wrong with it, or for its status. */
const rejections = {
  INVALID_FORMAT: ['It cannot be read: $.', 'Give a link, a domain, a handle, an address or a telephone number.'],
  DUPLICATE_ASSETS: ['The report contains it twice.', 'List it once.'],
  VALIDATION_ERROR: ['The organization has no brand with this slug.', 'Omit brandSlug, or use the slug of one of its brands.'],
  ASSET_NOT_FOUND: ['It is unknown, so its status cannot be changed.', 'Submit it first.'],
  ASSET_ALREADY_CORRECT: ['It is already $.', 'Leave it out.'],
  DOMAIN_NOT_ALLOWED: ['It is on the allowlist of an organization.', 'Remove it from the allowlist first, or ask its owner to.'],
  REPORT_ALREADY_EXISTS: [
    'A report of this organization about it is waiting for review.',
    'Find the existing report and escalate it.',
  ],
  ALREADY_PENDING_REVIEW: ['It is already waiting for review.', 'Wait for the decision.'],
} satisfies Record<string, readonly [message: string, suggestion: string]>;

type Rejection = keyof typeof rejections;

function issueOf({ content, status, asset }: Wanted, errorType: Rejection): AssetIssue {
  const [message, suggestion] = rejections[errorType];
  const words = 'refused' in asset ? refusalWords[asset.refused] : status;
  return { asset: shown(content), errorType, message: message.replace('$', words), suggestion };
}

/** The message of a rejected report. */
function countOf(errorCount: number): string {
  return errorCount === 1 ? '1 asset cannot be reported' : `${errorCount} assets cannot be reported`;
}

/** An asset in a report, and the status the report asks for. */
interface Wanted {
  readonly content: string;
  readonly status: AssetStatus;
  readonly brandSlug: string | null;
  readonly asset: ReturnType<typeof parseAsset>;
}

/**
 * The entries for an asset that the report names before. The published check compares spellings, in which case and a trailing slash count:
 * such spellings pass and are filed as one if they ask for the same. Other spellings of one asset are rejected; nothing is published about
 * them.
 */
function duplicatesIn(all: readonly Wanted[]): ReadonlySet<Wanted> {
  // By asset, because a report has room for a hundred thousand.
  const before = new Map<string, { readonly spellings: Set<string>; readonly wishes: Set<string> }>();
  const duplicates = all.filter((wanted) => {
    const { content, status, brandSlug } = wanted;
    const key = keyOf(wanted);
    const { spellings, wishes } = before.get(key) ?? { spellings: new Set(), wishes: new Set() };
    before.set(key, { spellings, wishes });
    const isRepeated = spellings.has(content);
    spellings.add(content);
    wishes.add(JSON.stringify([comparable(content), status, brandSlug]));
    return isRepeated || wishes.size > 1;
  });
  return new Set(duplicates);
}

/** The first entry for each asset, so that no asset has two proposals. */
function oneOfEach(all: readonly Wanted[]): readonly (Wanted & { readonly asset: Asset })[] {
  const seen = new Set<string>();
  return all.filter((wanted): wanted is Wanted & { readonly asset: Asset } => {
    const isNew = !('refused' in wanted.asset) && !seen.has(keyOf(wanted));
    seen.add(keyOf(wanted));
    return isNew;
  });
}

function keyOf({ asset, content }: Wanted): string {
  return 'refused' in asset ? `? ${content}` : `${asset.type} ${asset.canonical}`;
}

function comparable(content: string): string {
  return content.trim().toLowerCase().replace(/\/$/, '');
}

/** The addresses in a report that are shown as links or pictures. */
function linksIn({ attachmentUrls = [], externalSubmissionLink, externalReporter, assets }: InputOf<'reportCreate'>) {
  return [
    ...attachmentUrls.map((url, at) => [`attachmentUrls.${at}`, url] as const),
    ['externalSubmissionLink', externalSubmissionLink] as const,
    ['externalReporter.avatarUrl', externalReporter?.avatarUrl] as const,
    ...assets.map(({ screenshot }, at) => [`assets.${at}.screenshot.url`, screenshot?.url] as const),
  ];
}
