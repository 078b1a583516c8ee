/**
 * Whether a delivery is real, what it says, and whether it came before.
 *
 * @packageDocumentation
 */
export { type Abortable, type ErrorCode, type Issue, isPortcullisError, PortcullisError } from '../errors.js';
export {
  createDuplicateFilter,
  type DuplicateFilter,
  type DuplicateFilterOptions,
  webhookFingerprint,
} from '../webhooks/duplicates.js';
export type {
  AssetStatusData,
  AssetStatusEscalatedEvent,
  AssetStatusUpdatedEvent,
  DebugTestEvent,
  ThreatDetectionAddedEvent,
  UnknownWebhookEvent,
  WebhookAssetStatus,
  WebhookEvent,
  WebhookEventBase,
} from '../webhooks/events.js';
export type { WebhookHeaders, WebhookHeaderValue } from '../webhooks/headers.js';
export type { WebhookRequest } from '../webhooks/request.js';
export { readScanCallback, type ScanCallback } from '../webhooks/scan-callback.js';
export {
  verifyWebhook,
  verifyWebhookRequest,
  type WebhookOptions,
  type WebhookRequestOptions,
  type WebhookScheme,
} from '../webhooks/verify.js';
