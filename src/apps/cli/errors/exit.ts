import { type ErrorCode, isPortcullisError } from '../../../core/errors.js';
import { UsageError } from './usage.js';

/** What the process tells who called it. The numbers are API. */
export const exitCodes = {
  ok: 0,
  unexpected: 1,
  authentication: 2,
  usage: 3,
  notFound: 4,
  forbidden: 5,
  /** A result and no failure: something that was checked is blocked. */
  blocked: 6,
  /** Some of it could not be answered or read. */
  partial: 7,
  network: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const codes: Partial<Record<ErrorCode, ExitCode>> = {
  INVALID_INPUT: exitCodes.usage,
  ALGORITHM_UNKNOWN: exitCodes.usage,
  LIMIT_EXCEEDED: exitCodes.usage,
  BAD_REQUEST: exitCodes.usage,
  PATH_UNKNOWN: exitCodes.usage,
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
  ABORTED: exitCodes.interrupted,
};

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return error.exitCode;
  return (isPortcullisError(error) && codes[error.code]) || exitCodes.unexpected;
}
