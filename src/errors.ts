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
  | 'ABORTED';

/** The one error class of this package. A wrong JavaScript type is a plain `TypeError` instead. */
export class PortcullisError extends Error {
  override readonly name: string = 'PortcullisError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, what: string, options?: { cause?: unknown }) {
    super(what);
    this.code = code;
    // Set by hand: engines older than ES2022 ignore the second argument of `Error`.
    if (options !== undefined && 'cause' in options) this.cause = options.cause;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** A brand every build and every copy of this package shares, because `instanceof` fails between two copies. */
const brand: symbol = Symbol.for('portcullis.error');

/** Recognises the error of any build of this package, also where `instanceof` cannot. */
export function isPortcullisError(value: unknown): value is PortcullisError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

/** Guards a public function against a caller who does not use the types; the value itself is never shown. */
export function requireString(value: unknown, name: string): asserts value is string {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string, not ${typeof value}`);
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

export function throwIfAborted(signal: Abortable | undefined): void {
  if (signal?.aborted) throw new PortcullisError('ABORTED', 'the work was ended by its signal', { cause: signal.reason });
}
