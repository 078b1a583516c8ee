import { PortcullisError, type SignalLike, wrapError } from '../errors.js';
import { bounded } from './bounded.js';
import { announcedBytes, readBody } from './bounded-body.js';
import type { FetchLike, FetchResponse } from './fetch.js';
import { drop } from './follow.js';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface SendOptions {
  /** `isOurs`: it takes any signal. All others need one of the platform. */
  readonly fetch: FetchLike & { readonly isOurs?: boolean };
  /** Longest time until the last byte of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest response, in bytes, counted as they arrive and after decompression. */
  readonly maxBytes: number;
  readonly signal?: SignalLike | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: FetchResponse['headers'];
  readonly bytes: Uint8Array;
}

/**
 * Sends one request and reads its whole response, whatever its status. A redirect is an error and never followed.
 * @throws TIMEOUT, NETWORK, ABORTED, REDIRECTED, LIMIT_EXCEEDED
 */
export async function send(request: HttpRequest, { fetch, timeoutMs, maxBytes, signal }: SendOptions): Promise<HttpAnswer> {
  const tooLarge = (): PortcullisError => new PortcullisError('LIMIT_EXCEEDED', `the response is larger than ${maxBytes} bytes`);
  try {
    return await bounded(
      timeoutMs,
      signal,
      async (ended) => {
        const { url, ...init } = request;
        const response = await fetch(url, { ...init, redirect: 'manual', signal: ended });
        try {
          refuseRedirect(response);
          const { status, headers } = response;
          const minBytes = announcedBytes(response);
          return { status, headers, bytes: await readBody(response, { maxBytes, tooLarge, minBytes, signal: ended }) };
        } catch (error) {
          // A fetch that ignores its signal would go on reading.
          drop(response);
          throw error;
        }
      },
      false,
      fetch.isOurs,
    );
  } catch (cause) {
    throw wrapError(cause, 'NETWORK', `the request failed: ${reasonOf(cause)}`);
  }
}

function refuseRedirect({ status, redirected, headers }: FetchResponse): void {
  // Browsers hide a redirect behind status 0; a fetch that cannot reject one at least reports that it followed.
  if (status === 0 || (status >= 300 && status < 400) || redirected) {
    throw new PortcullisError('REDIRECTED', `the response is a redirect${targetOf(headers)}`, { status });
  }
}

/** Only the origin, because the rest may hold a token. */
function targetOf(headers: FetchResponse['headers']): string {
  const origin = /^https?:\/\/[\w.:-]+(?=[/?#]|$)/i.exec(headers.get('location') ?? '');
  return origin === null ? '' : ` to ${origin[0]}`;
}

/** The system's own code if there is one: `ECONNREFUSED` says more than "fetch failed". */
function reasonOf(cause: unknown): string {
  try {
    const { message, code, cause: inner } = Object(cause) as Record<string, unknown>;
    return String(Object(inner).code ?? code ?? message ?? 'no reason given');
  } catch {
    return 'unreadable reason';
  }
}
