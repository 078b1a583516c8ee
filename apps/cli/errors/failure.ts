import { type ErrorCode, isPortcullisError } from 'portcullis';
import { known } from '../../../src/core/errors.js';
import { errorText } from './error-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { UsageError } from './usage.js';

/** What went wrong, as `--json` prints it. */
export interface Failure {
  readonly error: {
    /** A code of docs/errors.md, one of the command line's own such as `USAGE`, or `UNEXPECTED`. */
    readonly code: string;
    readonly message: string;
    /** What to do about it. */
    readonly next?: string;
    readonly status?: number;
    readonly operation?: string;
    readonly issues?: readonly unknown[];
    readonly assets?: readonly unknown[];
    readonly retryAfterMs?: number;
    readonly requestId?: string;
  };
  readonly exitCode: ExitCode;
}

/** Every code, so that a new one is not taken for a fault of the command. */
const exitByCode: Readonly<Record<ErrorCode, ExitCode>> = {
  INVALID_INPUT: exitCodes.usage,
  ALGORITHM_UNKNOWN: exitCodes.usage,
  LIMIT_EXCEEDED: exitCodes.usage,
  BAD_REQUEST: exitCodes.usage,
  PATH_UNKNOWN: exitCodes.usage,
  PEER_MISSING: exitCodes.usage,
  UNPROCESSABLE_CONTENT: exitCodes.usage,
  CONFLICT: exitCodes.usage,
  UNAUTHORIZED: exitCodes.authentication,
  KEY_UNAVAILABLE: exitCodes.authentication,
  FORBIDDEN: exitCodes.forbidden,
  NOT_FOUND: exitCodes.notFound,
  TOO_MANY_REQUESTS: exitCodes.network,
  INTERNAL_SERVER_ERROR: exitCodes.network,
  UNEXPECTED_STATUS: exitCodes.network,
  TIMEOUT: exitCodes.network,
  NETWORK: exitCodes.network,
  REDIRECTED: exitCodes.network,
  INVALID_RESPONSE: exitCodes.network,
  GATEWAY_KEY_UNKNOWN: exitCodes.network,
  INVALID_ARTIFACT: exitCodes.network,
  SUSPICIOUS_LIST: exitCodes.network,
  OLDER_LIST: exitCodes.network,
  OTHER_LIST: exitCodes.network,
  LIST_AHEAD: exitCodes.network,
  LIST_EXPIRED: exitCodes.network,
  SIGNATURE_MISSING: exitCodes.network,
  SIGNATURE_INVALID: exitCodes.network,
  SIGNATURE_UNTRUSTED: exitCodes.network,
  LOG_PROOF_MISSING: exitCodes.network,
  LOG_PROOF_INVALID: exitCodes.network,
  LOG_FORKED: exitCodes.network,
  LOG_NOT_WITNESSED: exitCodes.network,
  ABORTED: exitCodes.interrupted,
  CLOSED: exitCodes.unexpected,
  STORE_UNAVAILABLE: exitCodes.unexpected,
  STORE_FULL: exitCodes.unexpected,
  SIGNATURE_UNSUPPORTED: exitCodes.unexpected,
  TIMESTAMP_OUT_OF_RANGE: exitCodes.unexpected,
  INVALID_WEBHOOK: exitCodes.unexpected,
  REJECTED: exitCodes.unexpected,
};

/** A sign-in that cannot be renewed says more than the call that needed it. */
function rootOf(error: unknown): unknown {
  return isPortcullisError(error) && error.code === 'KEY_UNAVAILABLE' && error.cause instanceof UsageError ? error.cause : error;
}

export function exitCodeOf(thrown: unknown): ExitCode {
  const error = rootOf(thrown);
  if (error instanceof UsageError) return error.exitCode;
  return (isPortcullisError(error) && exitByCode[error.code]) || exitCodes.unexpected;
}

const nextByExit: Partial<Record<ExitCode, string>> = {
  [exitCodes.authentication]: 'set PORTCULLIS_API_KEY, or store a key with: portcullis login',
  [exitCodes.forbidden]: 'the key is valid but lacks permission; see whose it is with: portcullis whoami',
  [exitCodes.network]: 'diagnose the connection with: portcullis doctor',
};

/** @param origin The options that name the list of the call, to repeat them in suggested commands */
export function failureOf(thrown: unknown, origin = ''): Failure {
  const error = rootOf(thrown);
  const exitCode = exitCodeOf(error);
  if (error instanceof UsageError)
    return { error: { code: error.code, message: error.message, ...(error.next && { next: error.next }) }, exitCode };
  if (!isPortcullisError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: systemCodeOf(error) ?? 'UNEXPECTED', message }, exitCode };
  }
  const { code, status, operation, issues, assets, retryAfterMs, requestId } = error;
  const next = portNext(error) ?? listNext(error) ?? nextByExit[exitCode]?.replace(/doctor$/, `doctor${origin}`);
  return {
    error: known({ code, message: errorText(error), next, status, operation, issues, assets, retryAfterMs, requestId }),
    exitCode,
  };
}

/** What to do about a list that arrives and cannot be used. */
export function listNext({ code }: { readonly code?: unknown }): string | undefined {
  if (code === 'LOG_FORKED')
    return 'keep what was read as evidence, and ask the publisher; use no version of this list meanwhile';
  if (/^SIGNATURE_/.test(String(code))) return 'compare --public-key with the key that the publisher names';
  if (code === 'OTHER_LIST') return 'ask its publisher; if the new name is meant, set it with --list-name';
  if (code === 'LIST_AHEAD') return 'compare the clock of this machine with the time, then ask the publisher';
  return code === 'INVALID_ARTIFACT' ? 'try again later; if the error persists, the publisher or a proxy is at fault' : undefined;
}

/** What to do about a port that cannot be opened. */
function portNext({ cause }: Error): string | undefined {
  const { syscall, code } = Object(cause) as { syscall?: unknown; code?: unknown };
  if (syscall !== 'listen') return undefined;
  return `${code === 'EADDRINUSE' ? 'the port is in use; ' : ''}choose another with --port, or 0 for any free port`;
}

/** `ENOENT` and the like. */
function systemCodeOf(error: unknown): string | undefined {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : undefined;
}

/** The lines for a person: what happened, where, and what to do. */
export function failureLines({ error }: Failure): string[] {
  const issues = (error.issues ?? []).map((issue) => {
    const { path, message } = issue as { path: string; message: string };
    return `  ${path}: ${message}`;
  });
  const assets = (error.assets ?? []).map((asset) => {
    const { asset: name, message, suggestion } = asset as { asset: string; message: string; suggestion: string };
    return `  ${name}: ${message}${suggestion ? ` (${suggestion})` : ''}`;
  });
  return [
    `portcullis: ${error.message}${error.code === 'USAGE' ? '' : ` [${error.code}]`}`,
    ...issues,
    ...assets,
    ...(error.next ? [`  ${error.next}`] : []),
  ];
}
