/**
 * Every code this package throws, and what it means. Codes are API: they are never renamed.
 * `docs/errors.md` tells what to do about each; a test keeps that page complete.
 */
export type ErrorCode =
  /** An argument has the right type and a value that cannot be used. */
  | 'INVALID_INPUT'
  /** The named algorithm is not in the registry. */
  | 'ALGORITHM_UNKNOWN'
  /** Bytes are not the artifact or the stored set they should be. */
  | 'INVALID_ARTIFACT'
  /** A size or count is past its limit (`limits.ts`). */
  | 'LIMIT_EXCEEDED'
  /** The caller's signal ended the work. */
  | 'ABORTED'
  /** The service refused the request as it is (400). */
  | 'BAD_REQUEST'
  /** The key is missing, invalid, or has no access to an organization (401). */
  | 'UNAUTHORIZED'
  /** The key may not do this (403). */
  | 'FORBIDDEN'
  /** What the request names does not exist (404). */
  | 'NOT_FOUND'
  /** It clashes with what the service holds (409). */
  | 'CONFLICT'
  /** A report's assets cannot be reported; `assets` has one entry for each (422). */
  | 'UNPROCESSABLE_CONTENT'
  /** Too many requests (429). */
  | 'TOO_MANY_REQUESTS'
  /** The service failed (5xx). */
  | 'INTERNAL_SERVER_ERROR'
  /** An answer with a status this table does not name. */
  | 'UNEXPECTED_STATUS'
  /** No answer in time. */
  | 'TIMEOUT'
  /** No connection, or it broke before the answer was whole. */
  | 'NETWORK'
  /** The answer was a redirect, which is never followed with a key. */
  | 'REDIRECTED'
  /** An answer that is not what it should be: cut, empty, not JSON. */
  | 'INVALID_RESPONSE'
  /** Nobody knows the path of this operation. */
  | 'PATH_UNKNOWN'
  /** The function given as `apiKey` failed or gave no usable key. */
  | 'KEY_UNAVAILABLE'
  /** The client, the service or the store was closed. */
  | 'CLOSED'
  /** A store cannot be opened, read or written. */
  | 'STORE_UNAVAILABLE'
  /** A store has no room left: its disk or its quota is full. */
  | 'STORE_FULL'
  /** A list that lost half its entries or more, which nothing proves. */
  | 'SUSPICIOUS_LIST'
  /** A webhook request carries no signature. */
  | 'SIGNATURE_MISSING'
  /** No secret makes the signature a webhook request carries. */
  | 'SIGNATURE_INVALID'
  /** A signed webhook is older, or more in the future, than the tolerance. */
  | 'TIMESTAMP_OUT_OF_RANGE'
  /** A signed body is not an event. */
  | 'INVALID_WEBHOOK';

/** One thing that is wrong with a value, and where: `assets[0].content`. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Why the service refused one asset of a report. */
export interface AssetIssue {
  readonly asset: string;
  readonly errorType: string;
  readonly message: string;
  readonly suggestion: string;
}

/** What an error tells besides its code; each field is there only where it is known. */
export interface ErrorDetails {
  readonly cause?: unknown;
  /** The HTTP status of the answer. */
  readonly status?: number;
  /** The operation that was called. */
  readonly operation?: string;
  /** What is wrong with an input or an answer. */
  readonly issues?: readonly Issue[];
  /** The assets a report was refused for. */
  readonly assets?: readonly AssetIssue[];
  /** How long the service asks to wait before the next request, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The one error class of this package. A wrong JavaScript type is a plain `TypeError` instead. */
export class PortcullisError extends Error implements ErrorDetails {
  override readonly name: string = 'PortcullisError';
  readonly code: ErrorCode;
  declare readonly status?: number;
  declare readonly operation?: string;
  declare readonly issues?: readonly Issue[];
  declare readonly assets?: readonly AssetIssue[];
  declare readonly retryAfterMs?: number;

  constructor(code: ErrorCode, what: string, details: ErrorDetails = {}) {
    super(what);
    this.code = code;
    // Set by hand, `cause` too: engines older than ES2022 ignore the second argument of `Error`.
    Object.assign(this, details);
    Object.defineProperty(this, brand, { value: true });
  }
}

/** A brand every build and every copy of this package shares, because `instanceof` fails between two copies. */
const brand: symbol = Symbol.for('portcullis.error');

/** Recognises the error of any build of this package, also where `instanceof` cannot. */
export function isPortcullisError(value: unknown): value is PortcullisError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

/** Refuses an argument for its value; `what` says what it must be, and never repeats it. */
export function refuse(what: string): never {
  throw new PortcullisError('INVALID_INPUT', what);
}

/** Guards a public function against a caller who does not use the types; the value itself is never shown. */
export function requireString(value: unknown, name: string): asserts value is string {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string, not ${typeof value}`);
}

/** A number between the two. */
export function requireNumber(value: unknown, name: string, least: number, most: number): number {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number`);
  if (!(value >= least && value <= most)) refuse(`${name} must be a number from ${least} to ${most}`);
  return value;
}

/** By its tag, because `instanceof` fails for an array of another realm, such as a frame or a test runner's. */
export function requireBytes(value: unknown, name: string): asserts value is Uint8Array {
  if (Object.prototype.toString.call(value) !== '[object Uint8Array]') throw new TypeError(`${name} must be a Uint8Array`);
}

/** The part of `AbortSignal` we need; structural, because a bare engine has no such global. */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason?: unknown;
}

/** An `AbortSignal`. */
export interface SignalLike extends Abortable {
  /** Calls when the signal is aborted. */
  addEventListener(type: 'abort', listener: () => void): void;
  /** Ends that. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

export function throwIfAborted(signal: Abortable | undefined): void {
  if (signal?.aborted) throw abortedBy(signal);
}

export function abortedBy({ reason: cause }: Abortable): PortcullisError {
  return new PortcullisError('ABORTED', 'it was ended by its signal', { cause });
}
