import { isPortcullisError, PortcullisError } from '../../core/errors.js';

/** The codes of Node and the name of the DOM for a full disk or quota. */
const full = /^(ENOSPC|EDQUOT|QuotaExceededError)$/;

/** Extension storage and Redis have only a message for it: `QUOTA_BYTES quota exceeded`, `OOM command not allowed`. */
const fullInWords = /^OOM |quota|storage (is )?full|no space|database or disk is full/i;

/** A platform's failure as a `PortcullisError`, with the original as its cause. */
export function storeFailure(cause: unknown, what: string): PortcullisError {
  if (isPortcullisError(cause)) return cause;
  const { code, name, message = '' } = Object(cause) as { code?: unknown; name?: unknown; message?: string };
  if ([code, name].some((word) => full.test(String(word))) || fullInWords.test(String(message))) {
    return new PortcullisError('STORE_FULL', `no space left: ${what}`, { cause });
  }
  return new PortcullisError('STORE_UNAVAILABLE', what, { cause });
}

/** The stored value cannot be what was written. Its reader treats it like a wrong checksum. */
export function damaged(what: string, cause?: unknown): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the stored value is damaged: ${what}`, { cause });
}
