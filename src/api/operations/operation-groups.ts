import { account } from './account.js';
import { assets } from './assets.js';
import { attachments } from './attachments.js';
import { blocklist } from './blocklist.js';
import { deprecated } from './deprecated.js';
import { detections } from './detections.js';
import { disputes } from './disputes.js';
import { healthchecks } from './healthchecks.js';
import { metrics } from './metrics.js';
import type { Operation } from './operation.js';
import { organization } from './organization.js';
import { queues } from './queues.js';
import { reports } from './reports.js';
import { takedowns } from './takedowns.js';
import { webhooks } from './webhooks.js';

/**
 * All known operations by group and verb: 63 from the service's document and two from a draft.
 *
 * The verb is the operation's id after the word of its group (`organizationReportsList` of `reports` is `list`). An id without that word
 * loses only a leading `organization` (`organizationProposalsReview` is `proposalsReview`).
 */
export const operationGroups: OperationGroups = {
  assets,
  blocklist,
  reports,
  attachments,
  disputes,
  webhooks,
  organization,
  detections,
  takedowns,
  metrics,
  account,
  queues,
  healthchecks,
  deprecated,
};

/** Spelled out, so that declarations name the groups instead of repeating them. */
export type OperationGroups = {
  readonly assets: typeof assets;
  readonly blocklist: typeof blocklist;
  readonly reports: typeof reports;
  readonly attachments: typeof attachments;
  readonly disputes: typeof disputes;
  readonly webhooks: typeof webhooks;
  readonly organization: typeof organization;
  readonly detections: typeof detections;
  readonly takedowns: typeof takedowns;
  readonly metrics: typeof metrics;
  readonly account: typeof account;
  readonly queues: typeof queues;
  readonly healthchecks: typeof healthchecks;
  readonly deprecated: typeof deprecated;
};

export type RowsOf<Groups> = { [Group in keyof Groups]: Groups[Group][keyof Groups[Group]] }[keyof Groups] & Operation;
export type RowNamed<Groups, Name> = Extract<RowsOf<Groups>, { readonly name: Name }>;
