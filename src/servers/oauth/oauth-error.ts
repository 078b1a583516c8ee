/** A rejected request, with the error code of OAuth. */
export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  private readonly retryAfterMs: number | undefined;

  constructor(error: string, message: string, { status = 400, retryAfterMs }: { status?: number; retryAfterMs?: number } = {}) {
    super(message);
    this.error = error;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** Says when to try again. */
  get headers(): Readonly<Record<string, string>> {
    return this.retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(this.retryAfterMs / 1_000)) };
  }
}

export const invalidRequest = (message: string): OAuthError => new OAuthError('invalid_request', message);
