/** A rejected request, with the error code of OAuth. */
export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(error: string, message: string, { status = 400, retryAfterMs }: { status?: number; retryAfterMs?: number } = {}) {
    super(message);
    this.error = error;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export const invalidRequest = (message: string): OAuthError => new OAuthError('invalid_request', message);
