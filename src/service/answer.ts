import { envelopeOf, type Problem } from './problem.js';

/** Headers of every answer. Any page may read it: who calls needs the key, and none is kept by a browser. */
const common: Readonly<Record<string, string>> = {
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

export function refusal(problem: Problem, nested: boolean, headers: Readonly<Record<string, string>> = {}): Response {
  return json(envelopeOf(problem, nested), problem.status, headers);
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

/** The answer to a HEAD. */
export function withoutBody({ status, headers }: Response): Response {
  return new Response(null, { status, headers });
}
