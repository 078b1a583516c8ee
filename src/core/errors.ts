/**
 * Every code this package throws, and its meaning. Codes are API: they are never renamed.
 * `docs/errors.md` says how to handle each; a test keeps that page complete.
 */
export type ErrorCode =
  /** An argument has the right type but an unusable value. */
  | 'INVALID_INPUT'
  /** No algorithm of that name is built in or supplied. */
  | 'ALGORITHM_UNKNOWN'
  /** Bytes are not the expected artifact or stored set. */
  | 'INVALID_ARTIFACT'
  /** A size or count exceeds its limit. */
  | 'LIMIT_EXCEEDED'
  /** The caller's signal aborted the work. */
  | 'ABORTED'
  /** The service rejected the request as malformed (400). */
  | 'BAD_REQUEST'
  /** The API key is missing, invalid, or belongs to no organization (401). */
  | 'UNAUTHORIZED'
  /** The API key lacks the permission for this (403). */
  | 'FORBIDDEN'
  /** The requested object does not exist (404). */
  | 'NOT_FOUND'
  /** The request conflicts with the current state of the service or the store (409). */
  | 'CONFLICT'
  /** Some assets of a report cannot be reported; `assets` has one entry for each (422). */
  | 'UNPROCESSABLE_CONTENT'
  /** Too many requests (429). */
  | 'TOO_MANY_REQUESTS'
  /** The service failed (5xx). */
  | 'INTERNAL_SERVER_ERROR'
  /** The response has a status that no other code covers. */
  | 'UNEXPECTED_STATUS'
  /** No complete response arrived in time. */
  | 'TIMEOUT'
  /** The connection failed or broke before the response was complete. */
  | 'NETWORK'
  /** The response was a redirect; a request that carries a key never follows one. */
  | 'REDIRECTED'
  /** The response is truncated, empty, or not JSON, or it contradicts itself. */
  | 'INVALID_RESPONSE'
  /** The path of this operation is not published; set it in the option `paths`. */
  | 'PATH_UNKNOWN'
  /** An optional package that this part needs is not installed. */
  | 'PEER_MISSING'
  /** The `apiKey` function failed or returned an unusable key. */
  | 'KEY_UNAVAILABLE'
  /** The key of an Oblivious HTTP gateway is missing, or is not one that the gateway has. */
  | 'GATEWAY_KEY_UNKNOWN'
  /** The client, the service or the store was closed. */
  | 'CLOSED'
  /** The store cannot be opened, read or written. */
  | 'STORE_UNAVAILABLE'
  /** The store's disk or quota is full. */
  | 'STORE_FULL'
  /** The new list lacks many entries of the old one, and no checksum confirms it; or it is empty. */
  | 'SUSPICIOUS_LIST'
  /** The source offers an older version of the list than one that this device already had. */
  | 'OLDER_LIST'
  /** The source offers another list than the one that this device has, or than the one it was told to use. */
  | 'OTHER_LIST'
  /** The source offers a version from far ahead of this device's clock. */
  | 'LIST_AHEAD'
  /** The newest version of the list that the source offers has expired. */
  | 'LIST_EXPIRED'
  /** The webhook request or the version document has no signature. */
  | 'SIGNATURE_MISSING'
  /** The signature of the webhook request or the version document is not that of its content. */
  | 'SIGNATURE_INVALID'
  /** No trusted key signed the version document. */
  | 'SIGNATURE_UNTRUSTED'
  /** This platform cannot verify Ed25519 signatures. */
  | 'SIGNATURE_UNSUPPORTED'
  /** There is no proof that the version is in the list's log, or the log lacks a file. */
  | 'LOG_PROOF_MISSING'
  /** The proof does not show that the version is in the list's log. */
  | 'LOG_PROOF_INVALID'
  /** The log shows another past than the one this device has seen. */
  | 'LOG_FORKED'
  /** Too few of the witnesses have signed what the log holds, or too long ago. */
  | 'LOG_NOT_WITNESSED'
  /** The timestamp of the signed webhook is outside the tolerance. */
  | 'TIMESTAMP_OUT_OF_RANGE'
  /** The signed body is not an event. */
  | 'INVALID_WEBHOOK'
  /** A guard or the user rejected what a site asked the wallet, or an agent asked a tool, to do. */
  | 'REJECTED';

/** One problem with a value; `path` says where it is: `assets[0].content`. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Why the service rejected one asset of a report. Fields that are not documented are kept. */
export interface AssetIssue {
  readonly asset: string;
  /** One of the known types, or one that the service added later. Editors offer the known ones. */
  readonly errorType: AssetIssueType | (string & {});
  readonly message: string;
  readonly suggestion: string;
  readonly [field: string]: unknown;
}

/** The documented reasons for which an asset cannot be reported. */
export type AssetIssueType =
  | 'DUPLICATE_ASSETS'
  | 'INVALID_FORMAT'
  | 'ASSET_NOT_FOUND'
  | 'ASSET_ALREADY_CORRECT'
  | 'ALREADY_PENDING_REVIEW'
  | 'REPORT_ALREADY_EXISTS'
  | 'PROCESSING_FAILED'
  | 'DOMAIN_NOT_ALLOWED'
  | 'VALIDATION_ERROR';

/** What an error carries besides its code and message; an unknown field is absent. */
export interface ErrorDetails {
  readonly cause?: unknown;
  /** The HTTP status of the response. */
  readonly status?: number;
  /** The operation that was called. */
  readonly operation?: string;
  /** The problems found in an input or a response. */
  readonly issues?: readonly Issue[];
  /** The assets that the report was rejected for. */
  readonly assets?: readonly AssetIssue[];
  /** How long the service asks the caller to wait before the next request, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The headers of the response, by lower-case name, without cookies. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The header `x-request-id`, by which a service finds the request in its log. */
  readonly requestId?: string;
  /** Without a response: whether any attempt of the client's call left this machine. Absent if that is not known, as with your own `fetch`. */
  readonly sent?: boolean;
  /** What the log of a list has signed. Two of one size that differ prove a fork; two of different sizes do with the files of the larger log. */
  readonly checkpoints?: readonly string[];
  /** The addresses of the files that `uploadAndReport` had uploaded when it failed. */
  readonly attachmentUrls?: readonly string[];
}

/**
 * The only error class of this package. An argument of the wrong JavaScript type throws a plain `TypeError` instead, but options never do:
 * see `readOptions`.
 */
export class PortcullisError extends Error implements ErrorDetails {
  override readonly name: string = 'PortcullisError';
  readonly code: ErrorCode;
  declare readonly status?: number;
  declare readonly operation?: string;
  declare readonly issues?: readonly Issue[];
  declare readonly assets?: readonly AssetIssue[];
  declare readonly retryAfterMs?: number;
  declare readonly headers?: Readonly<Record<string, string>>;
  declare readonly requestId?: string;
  declare readonly sent?: boolean;
  declare readonly checkpoints?: readonly string[];
  declare readonly attachmentUrls?: readonly string[];

  constructor(
    code: ErrorCode,
    message: string,
    details: { readonly [Key in keyof ErrorDetails]: ErrorDetails[Key] | undefined } = {},
  ) {
    super(message);
    this.code = code;
    // `cause` is assigned too: engines older than ES2022 ignore the second argument of `Error`.
    Object.assign(this, details);
    Object.defineProperty(this, brand, { value: true });
  }
}

/** The fields that are not undefined. */
export function known<Fields extends object>(fields: { readonly [Key in keyof Fields]: Fields[Key] | undefined }): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/** A brand shared by every build and copy of this package, because `instanceof` fails between two copies. */
const brand: symbol = Symbol.for('portcullis.error');

/** Recognizes an error of any copy of this package, even where `instanceof` fails. */
export function isPortcullisError(value: unknown): value is PortcullisError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

export function hasCode(error: unknown, code: ErrorCode): error is PortcullisError {
  return isPortcullisError(error) && error.code === code;
}

/** Whether it is about the log of a list. */
export function isLogFault({ code }: Pick<PortcullisError, 'code'>): boolean {
  return code.startsWith('LOG_');
}

/** The cause itself if it is an error of this package, else an error with it as the cause. */
export function wrapError(cause: unknown, code: ErrorCode, message: string): PortcullisError {
  return isPortcullisError(cause) ? cause : new PortcullisError(code, message, { cause });
}

/** Rejects an argument for its value. The message says what the value must be and never repeats it. */
export function refuse(message: string): never {
  throw new PortcullisError('INVALID_INPUT', message);
}

/** Guards a public function against untyped callers. The message never contains the value. */
export function requireString(value: unknown, name: string): asserts value is string {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string, not ${typeof value}`);
}

/** Neither `null` nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function requireObject(value: unknown, name: string): asserts value is object {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object`);
}

export function requireIterable(value: unknown, name: string): void {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value))
    throw new TypeError(`${name} must be an iterable`);
}

/** Compares the tag, because `instanceof` fails for an array of another realm such as a frame. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

export function requireBytes(value: unknown, name: string): asserts value is Uint8Array {
  if (!isBytes(value)) throw new TypeError(`${name} must be a Uint8Array`);
}

/** The part of `AbortSignal` that is read; structural, because a bare engine has no such global. */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason?: unknown;
}

/** An `AbortSignal`, structurally. */
export interface SignalLike extends Abortable {
  /** Adds a listener that is called when the signal is aborted. */
  addEventListener(type: 'abort', listener: () => void): void;
  /** Removes the listener. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

export function throwIfAborted(signal: Abortable | undefined): void {
  if (signal?.aborted) throw abortedBy(signal);
}

export function abortedBy({ reason: cause }: Abortable): PortcullisError {
  return new PortcullisError('ABORTED', 'aborted', { cause });
}
