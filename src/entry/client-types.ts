export type {
  AgentOptions,
  CallOptions,
  ClientEvent,
  ClientOf,
  ClientOptions,
  InputOf,
  OutputOf,
  WatchOptions,
} from '../client/types.js';
export type { Client } from '../client/web.js';
export { type AssetIssue, type ErrorCode, type Issue, isPortcullisError, PortcullisError } from '../errors.js';
export type { FetchLike } from '../http/fetch.js';
export type { RetryOptions } from '../http/retry.js';
export type { UploadSource } from '../operations/attachments.js';
