import { HttpRefusal } from '../../core/http/http-refusal.js';

/** The response in the format of the service and the relay: `{ message, code }`. */
export function refusalResponse({ status, code, message, headers }: HttpRefusal): Response {
  return Response.json({ message, code }, { status, headers: { ...privateHeaders, ...headers } });
}

/** A cache must keep neither a rejection nor a state. */
export const privateHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export const badRequest = (message: string): HttpRefusal => new HttpRefusal(400, 'BAD_REQUEST', message);

/** Does not give the reason, which may contain anything. */
export const failed: HttpRefusal = /* @__PURE__ */ new HttpRefusal(500, 'INTERNAL_SERVER_ERROR', 'the request failed');
