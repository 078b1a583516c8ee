import { type ErrorCode, isPortcullisError, PortcullisError } from '../../core/errors.js';
import { resultOf, type ToolResult } from './tool-result.js';

/** Assets and problems that one error lists; a model reads no more. */
const maxListed = 20;
/** A client of one's own may put a whole page into a message. */
const maxMessageLength = 2_000;
const maxErrorChars = 20_000;

/** What to do next, by the code of an error. */
const adviceBy: Readonly<Partial<Record<ErrorCode, string>>> = {
  INVALID_INPUT: 'Correct the arguments that issues names, and call the tool again.',
  BAD_REQUEST: 'Correct the arguments, and call the tool again.',
  UNAUTHORIZED: 'The credentials were rejected. Ask the user to sign in again or to set another key.',
  FORBIDDEN: 'The key may not do this. Ask the user; do not try again.',
  NOT_FOUND: 'Check the id or slug. Slugs come from user_orgs.',
  CONFLICT: 'Read the current state first, then decide whether the change is still needed.',
  UNPROCESSABLE_CONTENT: 'Nothing was filed. Correct or leave out the listed assets, and call the tool again.',
  TOO_MANY_REQUESTS: 'Wait as long as retryAfterMs says before the next call.',
  TIMEOUT: 'The service may have acted. Read the state before you repeat a call that writes.',
  NETWORK: 'The service cannot be reached. Read the state before you repeat a call that writes.',
  PATH_UNKNOWN: 'The address of this operation is not published, so it cannot be called.',
  KEY_UNAVAILABLE: 'No service is configured. The local tools work without one.',
  CLOSED: 'The server is stopping. Try again later.',
  LIMIT_EXCEEDED: 'Send less at once.',
};

/**
 * An error as a result, with what to do next. The client has removed secrets from its errors. The message of any other error may name files
 * or repeat arguments, so it is not shown.
 */
export function errorResult(error: unknown): ToolResult {
  const known = isPortcullisError(error) ? error : new PortcullisError('INTERNAL_SERVER_ERROR', 'the tool failed');
  const { code, message, status, issues, assets, retryAfterMs } = known;
  const shown = {
    code,
    message: message.slice(0, maxMessageLength),
    ...(status !== undefined && { status }),
    ...(issues !== undefined && { issues: issues.slice(0, maxListed) }),
    ...(assets !== undefined && { assets: assets.slice(0, maxListed) }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    advice: adviceBy[code] ?? 'Tell the user; do not repeat the call.',
  };
  return { ...resultOf(shown, maxErrorChars), isError: true };
}
