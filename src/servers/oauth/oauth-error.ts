import { HttpRefusal } from '../../core/http/http-refusal.js';

/** A rejected request, with the error code of OAuth. */
export function oauthError(
  code: string,
  message: string,
  { status = 400, retryAfterMs }: { readonly status?: number; readonly retryAfterMs?: number } = {},
): HttpRefusal {
  return new HttpRefusal(status, code, message, { retryAfterMs });
}

export const invalidRequest = (message: string): HttpRefusal => oauthError('invalid_request', message);
