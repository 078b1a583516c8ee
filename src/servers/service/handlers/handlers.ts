import { accountHandlers } from './account-handlers.js';
import { assetHandlers } from './asset-handlers.js';
import { blocklistHandlers } from './blocklist-handlers.js';
import { deprecatedHandlers } from './deprecated-handlers.js';
import { detectionHandlers } from './detection-handlers.js';
import { disputeHandlers } from './dispute-handlers.js';
import type { Handlers, OperationName } from './handler-context.js';
import { healthcheckHandlers } from './healthcheck-handlers.js';
import { metricsHandlers } from './metrics-handlers.js';
import { operationsHandlers } from './operations-handlers.js';
import { organizationHandlers } from './organization-handlers.js';
import { reportHandlers } from './report-handlers.js';
import { takedownHandlers } from './takedown-handlers.js';
import { webhookHandlers } from './webhook-handlers.js';

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
