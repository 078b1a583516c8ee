import type { Handlers, OperationName } from '../context.js';
import { accountHandlers } from './account.js';
import { assetHandlers } from './assets.js';
import { blocklistHandlers } from './blocklist.js';
import { deprecatedHandlers } from './deprecated.js';
import { detectionHandlers } from './detections.js';
import { disputeHandlers } from './disputes.js';
import { healthcheckHandlers } from './healthchecks.js';
import { metricsHandlers } from './metrics.js';
import { operationsHandlers } from './operations.js';
import { organizationHandlers } from './organization.js';
import { reportHandlers } from './reports.js';
import { takedownHandlers } from './takedowns.js';
import { webhookHandlers } from './webhooks.js';

/** Every operation but the upload, whose files do not come as fields. */
export const handlers: Handlers<Exclude<OperationName, 'attachmentUpload'>> = {
  ...accountHandlers,
  ...assetHandlers,
  ...blocklistHandlers,
  ...deprecatedHandlers,
  ...detectionHandlers,
  ...disputeHandlers,
  ...healthcheckHandlers,
  ...metricsHandlers,
  ...operationsHandlers,
  ...organizationHandlers,
  ...reportHandlers,
  ...takedownHandlers,
  ...webhookHandlers,
};
