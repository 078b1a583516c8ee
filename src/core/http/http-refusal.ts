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

export function wrongMethod(...methods: readonly string[]): HttpRefusal {
  const message = `method not allowed; use ${methods.join(' or ')}`;
  return new HttpRefusal(405, 'METHOD_NOT_ALLOWED', message, { headers: { allow: methods.join(', ') } });
}

export function noSuchPath(): HttpRefusal {
  return new HttpRefusal(404, 'NOT_FOUND', 'no such path');
}
