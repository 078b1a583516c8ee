import type { OperationName } from '../../../api/operations/all-operations.js';
import { facetsOf } from '../../../api/operations/kinds.js';
import type { Operation } from '../../../api/operations/operation.js';
import { operationGroups } from '../../../api/operations/operation-groups.js';
import { webhookEvent } from '../../../api/operations/value-lists.js';
import * as z from '../../../api/operations/zod.js';
import { writeConfirm } from '../../../blocklist/formats/confirm-answer.js';
import { Problem } from '../http/problem.js';
import { rowFor, shapeOf } from '../http/service-rows.js';
import { findAsset } from '../records/asset-records.js';
import { daysIn } from '../records/date-ranges.js';
import { algorithm, currentList, hashesBehind, publishSnapshot, versionOf } from '../records/service-lists.js';
import { pageSorted, type SortValues } from '../records/sorting.js';
import { livenessOf } from '../records/takedown-records.js';
import { threatsOf } from '../records/threats.js';
import { requireUrl } from '../records/urls.js';
import { randomHex } from '../state/chance.js';
import type { AssetRecord } from '../state/state-tables.js';
import { accountHandlers } from './account-handlers.js';
import { assetHandlers } from './asset-handlers.js';
import { detectionHandlers } from './detection-handlers.js';
import { figureHandlers, metricsOf } from './figure-handlers.js';
import { dayMs, dayOf, type Handlers, isAny, iso, organizationOf } from './handler-context.js';
import { organizationHandlers } from './organization-handlers.js';
import { reportHandlers } from './report-handlers.js';
import { takedownHandlers } from './takedown-handlers.js';

/** Prefixes in one confirmation. provisional: no limit is published. */
const maxPrefixes = 1_000;

const blocklistHandlers = {
  assetBlocklistVersion(call) {
    const version = versionOf(call, currentList(call) ?? publishSnapshot(call), call.base, call.settings.encoding);
    return { ...version, snapshot: { ...version.snapshot }, recent: { ...version.recent } };
  },

  // provisional: the name of the list, the response, and that another algoVersion is rejected.
  assetBlocklistConfirm(call, { algoVersion, prefixes }) {
    if (String(algoVersion) !== algorithm) throw new Problem(400, `Unknown algoVersion; this list uses ${algorithm}.`);
    if (prefixes === undefined || prefixes.length === 0) throw new Problem(400, 'prefixes is missing.');
    if (prefixes.length > maxPrefixes) throw new Problem(400, `At most ${maxPrefixes} prefixes can be confirmed at once.`);
    const wrong = prefixes.find((prefix) => !/^[0-9a-f]{8}$/i.test(prefix));
    if (wrong !== undefined) throw new Problem(400, 'A prefix must have 8 hex digits.');
    return writeConfirm(
      hashesBehind(
        call,
        prefixes.map((prefix) => Number.parseInt(prefix, 16)),
      ),
    );
  },
} satisfies Partial<Handlers>;

const deprecatedHandlers = {
  getOrganizationReports(call, input) {
    // provisional: the page sizes of the list that replaces it.
    const list = rowFor<Operation>(call.settings, operationGroups.reports.list);
    const limit = input.limit ?? (call.settings.pageLimits === 'prose' ? undefined : list.paging?.maxPageSize);
    const checked = z.safeParse(shapeOf(list)['limit']!, limit);
    if (!checked.success)
      throw new Problem(400, '', { issues: checked.error.issues.map(({ message }) => ({ path: 'limit', message })) });
    const { slug, cursor, startDate, endDate, onlyRejected, reporterKind, reviewerKind, needsCustomerReview, excludeAutomation } =
      input;
    return reportHandlers.organizationReportsList(call, {
      slug,
      limit: limit as number,
      cursor,
      startDate,
      endDate,
      onlyRejected,
      reporterKind,
      reviewerKind,
      needsCustomerReview,
      excludeAutomation,
    });
  },

  getOrganizationMetrics(call, { brandSlug, startDate, endDate }) {
    return metricsOf(call, [organizationOf(call)], { brandSlug, startDate, endDate });
  },
} satisfies Partial<Handlers>;

const disputeHandlers = {
  disputeCreate(call, { content, email, description }) {
    const { state, clock, key } = call;
    const asset = findAsset(call, content);
    if (asset === undefined) throw new Problem(404, 'The asset is unknown.');
    const user = key.userId === null ? undefined : state.get('users', key.userId);
    const address = email ?? user?.email;
    if (address === undefined || address === '')
      throw new Problem(400, 'email is missing, and the key does not belong to a user with an email address.');
    if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw new Problem(400, 'email is malformed.');
    const again = state
      .all('disputes')
      .some((one) => one.assetId === asset.id && one.email.toLowerCase() === address.toLowerCase());
    if (again) throw new Problem(400, 'There is already a dispute about this asset from this address.');
    const dispute = state.add('disputes', {
      assetId: asset.id,
      email: address,
      description: description ?? null,
      createdAtMs: clock.now(),
    });
    return { id: String(dispute.id), content: asset.content, message: 'The dispute was received.' };
  },
} satisfies Partial<Handlers>;

/** Webhooks of one organization. */
const maxWebhooks = 20;

const webhookHandlers = {
  // provisional: the names, and that each call creates a webhook.
  webhookConfig(call, { url, description, events }) {
    const { id: organizationId } = organizationOf(call);
    const { state, random, settings } = call;
    if (typeof url !== 'string') throw new Problem(400, 'url is missing.');
    requireUrl('url', url, settings.allowPrivateTargets);
    if (state.where('webhooks', 'organizationId', organizationId).length >= maxWebhooks) {
      throw new Problem(400, `An organization can have at most ${maxWebhooks} webhooks.`);
    }
    const all = (facetsOf(webhookEvent) as { enum: readonly string[] }).enum;
    const secret = `whs_${randomHex(random, 6)}`;
    const webhook = state.add('webhooks', {
      organizationId,
      url,
      description: description ?? null,
      events: events ?? all,
      secret,
    });
    return { id: webhook.id, url, events: [...webhook.events], secret };
  },
} satisfies Partial<Handlers>;

const values: SortValues<AssetRecord> = {
  id: ({ id }) => id,
  blockedAt: ({ blockedAtMs }) => blockedAtMs,
  content: ({ content }) => content,
  type: ({ type }) => type,
};

const threatHandlers = {
  threatsList(call, input) {
    const organization = organizationOf(call);
    const { state, clock } = call;
    const today = dayOf(clock.now());
    const isInDays = daysIn(input, today - dayMs, today);
    const { query = '', assetType } = input;
    const blockedAt = threatsOf(state, organization.id);
    const isWanted = ({ id, content, type }: AssetRecord): boolean => {
      const atMs = blockedAt.get(id);
      return (
        atMs !== undefined && isInDays(atMs) && content.toLowerCase().includes(query.toLowerCase()) && isAny(assetType, [type])
      );
    };
    const keys = input.sorting?.length ? input.sorting : [{ key: 'id', direction: 'asc' }];
    const page = pageSorted(state.all('assets'), isWanted, values, keys, input.next_page, input.per_page ?? 10);
    return {
      threats: page.items.map((asset) => ({
        id: asset.id,
        content: asset.content,
        type: asset.type,
        blockedAt: iso(blockedAt.get(asset.id)!),
        livenessStatus: livenessOf(call, asset),
      })),
      next_page: page.next,
    };
  },
} satisfies Partial<Handlers>;

/** Every operation except the upload, whose body is a file (records/uploads.ts). */
export const handlers: Handlers<Exclude<OperationName, 'attachmentUpload'>> = {
  ...accountHandlers,
  ...assetHandlers,
  ...blocklistHandlers,
  ...deprecatedHandlers,
  ...detectionHandlers,
  ...disputeHandlers,
  ...figureHandlers,
  ...organizationHandlers,
  ...reportHandlers,
  ...takedownHandlers,
  ...threatHandlers,
  ...webhookHandlers,
};
