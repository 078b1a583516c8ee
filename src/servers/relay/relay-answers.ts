import { utf8 } from '../../core/bytes.js';
import { isPortcullisError } from '../../core/errors.js';
import { matchesTag } from '../../core/http/entity-tags.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { isTransient } from '../../core/http/retry.js';
import type { Settings } from './relay-options.js';
import { methods, type RelayRoute } from './relay-routes.js';

export function unavailable(retryAfterMs: number): HttpRefusal {
  return new HttpRefusal(503, 'SERVICE_UNAVAILABLE', 'the service is unavailable', { retryAfterMs });
}

/** `Retry-After` where nothing else determines it, in milliseconds. */
export const defaultRetryMs = 1_000;

/** Codes, besides those of any request, after which the same request may succeed later. */
const otherTransientCodes: ReadonlySet<string> = new Set([
  'ABORTED',
  'CLOSED',
  'KEY_UNAVAILABLE',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
]);

/** Maps a failure to the client's answer, without the service's message, which may contain anything. `null` for a bug in this package. */
export function refusalOf(error: unknown, retryAfterMs: number = defaultRetryMs): HttpRefusal | null {
  if (error instanceof HttpRefusal) return error;
  if (!isPortcullisError(error)) return null;
  if (isTransient(error) || otherTransientCodes.has(error.code)) return unavailable(retryAfterMs);
  return badGateway(retryAfterMs);
}

export function badGateway(retryAfterMs: number): HttpRefusal {
  return new HttpRefusal(502, 'BAD_GATEWAY', 'the service returned an unusable response', { retryAfterMs });
}

export interface Content {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bytes copied for a client at a time, which is all the memory a slow client holds. */
const chunkBytes = 64 * 1024;

/** 200, or 304 if the client already has the content. */
export function contentAnswer(request: Request, { bytes, headers }: Content, cors: Headers): Response {
  for (const [name, value] of Object.entries(headers)) cors.set(name, value);
  const etag = cors.get('etag');
  if (etag !== null && matchesTag(request.headers.get('if-none-match'), etag)) {
    cors.delete('content-type');
    return new Response(null, { status: 304, headers: cors });
  }
  cors.set('content-length', String(bytes.length));
  return new Response(request.method === 'HEAD' ? null : streamOf(bytes), { status: 200, headers: cors });
}

/** A `Response` made of bytes copies all of them at once, for each client. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      pull(controller) {
        // A copy, because a platform may modify the chunk and must not change the cache.
        if (at < bytes.length) controller.enqueue(bytes.slice(at, at + chunkBytes));
        at += chunkBytes;
        if (at >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

export function refusalAnswer(request: Request, { status, code, message, headers }: HttpRefusal, cors: Headers): Response {
  const bytes = utf8(JSON.stringify({ message, code }));
  cors.set('content-type', 'application/json');
  cors.set('content-length', String(bytes.length));
  // A CDN would serve a cached rejection to every client.
  cors.set('cache-control', 'no-store');
  for (const [name, value] of Object.entries(headers)) cors.set(name, value);
  return new Response(request.method === 'HEAD' ? null : streamOf(bytes), { status, headers: cors });
}

export function preflightAnswer(route: RelayRoute, cors: Headers): Response {
  cors.set('access-control-allow-methods', methods[route].join(', '));
  cors.set('access-control-allow-headers', 'content-type, if-none-match');
  // A day; browsers apply lower caps of their own.
  cors.set('access-control-max-age', '86400');
  return new Response(null, { status: 204, headers: cors });
}

/** Headers of every response. */
export function headersFor(request: Request, origins: Settings['origins']): Headers {
  const headers = new Headers({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'access-control-expose-headers': 'ETag, Age, Retry-After',
  });
  if (origins === '*') headers.set('access-control-allow-origin', '*');
  else {
    headers.set('vary', 'Origin');
    const origin = request.headers.get('origin');
    if (origin !== null && origins.includes(origin)) headers.set('access-control-allow-origin', origin);
  }
  return headers;
}
