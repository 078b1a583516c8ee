export type {
  AgentOptions,
  Asset,
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
  Takedown,
  Threat,
  Watched,
  WatchGroups,
  WatchInput,
  WatchItem,
  WatchOptions,
} from '../api/client/client-types.js';
export type { Client } from '../api/client/web-client.js';
export type { UploadSource } from '../api/operations/attachments.js';
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
