import { accountHandlers } from './account-handlers.js';
import { assetHandlers } from './asset-handlers.js';
import { blocklistHandlers } from './blocklist-handlers.js';
import { deprecatedHandlers } from './deprecated-handlers.js';
import { detectionHandlers } from './detection-handlers.js';
import { disputeHandlers } from './dispute-handlers.js';
import { figureHandlers } from './figure-handlers.js';
import type { Handlers, OperationName } from './handler-context.js';
import { organizationHandlers } from './organization-handlers.js';
import { reportHandlers } from './report-handlers.js';
import { takedownHandlers } from './takedown-handlers.js';
import { threatHandlers } from './threat-handlers.js';
import { webhookHandlers } from './webhook-handlers.js';

/** Every operation except the upload, whose body is a file (attachment-handlers.ts). */
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
