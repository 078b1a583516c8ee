export type {
  AgentOptions,
  Brand,
  CallName,
  CallOptions,
  ClientEvent,
  ClientOptions,
  Detection,
  InputOf,
  Organization,
  OutputOf,
  PartialClient,
  Proposal,
  RawInput,
  RawOptions,
  RawResponse,
  Report,
  ResponseMeta,
  ServiceAsset,
  Takedown,
  Threat,
  Watched,
  WatchGroups,
  WatchInput,
  WatchItem,
  WatchOptions,
} from '../api/client/client-types.js';
export {
  type AcceptedReport,
  type HealthcheckOutcome,
  type ReportWithFiles,
  reportAcceptable,
  runHealthchecks,
  type ScanWaitOptions,
  uploadAndReport,
  waitForScan,
} from '../api/client/tasks.js';
export { watch } from '../api/client/watch.js';
export type { Client } from '../api/client/web-client.js';
export { account } from '../api/operations/account.js';
export { allOperations, type FullOperation, type OperationName, type Provenance } from '../api/operations/all-operations.js';
export { assets } from '../api/operations/assets.js';
export type { UploadSource } from '../api/operations/attachments.js';
export { attachments, maxUploadBytes, maxUploadFiles } from '../api/operations/attachments.js';
export { blocklist } from '../api/operations/blocklist.js';
export { deprecated } from '../api/operations/deprecated.js';
export { detections } from '../api/operations/detections.js';
export { disputes } from '../api/operations/disputes.js';
export { healthchecks } from '../api/operations/healthchecks.js';
export { metrics } from '../api/operations/metrics.js';
export { inputSchemaOf, type JsonSchema, openApi } from '../api/operations/openapi.js';
export type { Mark, Method, Operation, Paging, Route, SlugKey } from '../api/operations/operation.js';
export { type OperationGroups, operationGroups } from '../api/operations/operation-groups.js';
export { organization } from '../api/operations/organization.js';
export { queues } from '../api/operations/queues.js';
export { reports } from '../api/operations/reports.js';
export { takedowns } from '../api/operations/takedowns.js';
export { webhooks } from '../api/operations/webhooks.js';
export {
  type AssetIssue,
  type AssetIssueType,
  type ErrorCode,
  type Issue,
  isPortcullisError,
  PortcullisError,
} from '../core/errors.js';
export type { FetchLike } from '../core/http/fetch.js';
export type { RetryOptions } from '../core/http/retry.js';
