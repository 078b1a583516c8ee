import { envelopeOf, Problem } from './problem.js';

/** Headers of every response. Pages of any origin may read them, because a caller needs a key that browsers do not store. */
export const common: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, Deprecation, Sunset',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value ?? null), {
    status,
    headers: { ...common, 'content-type': 'application/json', ...headers },
  });
}

export function bytes(body: Uint8Array, headers: Readonly<Record<string, string>>): Response {
  return new Response(body as BodyInit, { headers: { ...common, ...headers } });
}

/** The response to an internal failure. It does not give the reason, which may contain file names or the data of others. */
export function failure(nested: boolean): Response {
  return refusal(new Problem(500, ''), nested);
}

export function refusal(problem: Problem, nested: boolean, headers: Readonly<Record<string, string>> = {}): Response {
  return json(envelopeOf(problem, nested), problem.status, headers);
}

/** The response to a method that the path does not allow. */
export function notAllowed(methods: readonly string[], nested: boolean): Response {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return refusal(new Problem(405, `This path allows ${allow}.`), nested, { allow });
}

export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...common,
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': '*, Authorization, Content-Type, X-API-KEY',
      'access-control-max-age': '600',
    },
  });
}

export function empty(status: number, headers: Readonly<Record<string, string>>): Response {
  return new Response(null, { status, headers: { ...common, ...headers } });
}

/** The response to a HEAD request. */
export function withoutBody({ status, headers }: Response): Response {
  return new Response(null, { status, headers });
}
