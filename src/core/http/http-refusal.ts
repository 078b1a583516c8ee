/** A request that a server rejects, before, in or behind its handler. The client gets the status, the code and the message. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, { headers = {}, retryAfterMs }: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    const retryAfter = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
    this.headers = { ...headers, ...retryAfter };
  }
}

interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** When to try again, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}
