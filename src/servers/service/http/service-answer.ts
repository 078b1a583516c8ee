import { utf8 } from '../../../core/bytes.js';
import type { FetchResponse } from '../../../core/http/fetch.js';
import { envelopeOf, Problem } from './problem.js';

/** Headers of every response. Pages of any origin may read them, because a caller needs a key that browsers do not store. */
export const common: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, Deprecation, Sunset',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** A response that is not one of the platform yet: Node loads those classes when they are first used, which takes 15 ms. */
export class Answer {
  readonly status: number;
  /** Their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;

  constructor(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array | null) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  toResponse(): Response {
    const { status, headers, body } = this;
    return new Response(body as BodyInit | null, { status, headers });
  }

  /** The same for a caller in this process that needs no more than `FetchResponse`. */
  plain(): FetchResponse {
    const { status, headers, body } = this;
    const bytes = typeof body === 'string' ? utf8(body) : new Uint8Array(body ?? []);
    return {
      status,
      headers: {
        get: (name) => headers[name.toLowerCase()] ?? null,
        forEach: (use) => {
          for (const [name, value] of Object.entries(headers)) use(value, name);
        },
      },
      arrayBuffer: async () => bytes.buffer as ArrayBuffer,
    };
  }
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return new Answer(status, { ...common, 'content-type': 'application/json', ...headers }, JSON.stringify(value ?? null));
}

export function bytes(body: Uint8Array, headers: Readonly<Record<string, string>>): Answer {
  return new Answer(200, { ...common, ...headers }, body);
}

/** The response to an internal failure. It does not give the reason, which may contain file names or the data of others. */
export function failure(nested: boolean): Answer {
  return refusal(new Problem(500, ''), nested);
}

export function refusal(problem: Problem, nested: boolean, headers: Readonly<Record<string, string>> = {}): Answer {
  return json(envelopeOf(problem, nested), problem.status, headers);
}

/** The response to a method that the path does not allow. */
export function notAllowed(methods: readonly string[]): Answer {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return refusal(new Problem(405, `This path allows ${allow}.`), false, { allow });
}

export function preflight(): Answer {
  return empty(204, {
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': '*, Authorization, Content-Type, X-API-KEY',
    'access-control-max-age': '600',
  });
}

export function empty(status: number, headers: Readonly<Record<string, string>>): Answer {
  return new Answer(status, { ...common, ...headers }, null);
}

/** The response to a HEAD request. */
export function withoutBody({ status, headers }: Response): Response {
  return new Response(null, { status, headers });
}
