/** The reason why a request is rejected before or behind its handler. */
export interface HttpRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response in the format of the service and the relay: `{ message, code }`. */
export function refusalResponse({ status, code, message, headers }: HttpRefusal): Response {
  return Response.json({ message, code }, { status, headers: { ...privateHeaders, ...headers } });
}

/** A cache must keep neither a rejection nor a state. */
export const privateHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export const badRequest = (message: string): HttpRefusal => ({ status: 400, code: 'BAD_REQUEST', message });

/** Does not give the reason, which may contain anything. */
export const failed: HttpRefusal = { status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'the request failed' };
