/**
 * Verifies webhook deliveries, parses their events and detects duplicates.
 *
 * @packageDocumentation
 */

export { readScanCallback, type ScanCallback } from '../api/webhooks/scan-callback.js';
export {
  verifyWebhook,
  verifyWebhookRequest,
  type WebhookOptions,
  type WebhookRequestOptions,
  type WebhookScheme,
} from '../api/webhooks/verify-webhook.js';
export {
  createDuplicateFilter,
  type DuplicateFilter,
  type DuplicateFilterOptions,
  webhookFingerprint,
} from '../api/webhooks/webhook-duplicates.js';
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
} from '../api/webhooks/webhook-events.js';
export type { WebhookHeaders, WebhookHeaderValue } from '../api/webhooks/webhook-headers.js';
export type { WebhookRequest } from '../api/webhooks/webhook-request.js';
export { type Abortable, type ErrorCode, type Issue, isPortcullisError, PortcullisError } from '../core/errors.js';
