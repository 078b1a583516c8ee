import { isPortcullisError, PortcullisError } from '../../core/errors.js';

/** What systems call it when there is no room left: Node's codes, the DOM's name. */
const full = /^(ENOSPC|EDQUOT|QuotaExceededError)$/;

/** Extension storage has words alone for it: `QUOTA_BYTES quota exceeded`. */
const fullInWords = /quota|storage (is )?full|no space|database or disk is full/i;

/** What a platform failed with, as an error of ours; the platform's own is its cause. */
export function storeFailure(cause: unknown, what: string): PortcullisError {
  if (isPortcullisError(cause)) return cause;
  const { code, name, message = '' } = Object(cause) as { code?: unknown; name?: unknown; message?: string };
  if ([code, name].some((word) => full.test(String(word))) || fullInWords.test(String(message))) {
    return new PortcullisError('STORE_FULL', `there is no room left: ${what}`, { cause });
  }
  return new PortcullisError('STORE_UNAVAILABLE', what, { cause });
}

/** What is stored cannot be what was written. Its reader treats it as a record whose checksum does not hold. */
export function damaged(what: string, cause?: unknown): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the stored value is refused: ${what}`, { cause });
}
