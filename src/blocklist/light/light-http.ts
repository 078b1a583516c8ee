import { PortcullisError, refuse } from '../../core/errors.js';
import { isLoopback } from '../../core/http/address.js';
import { bounded } from '../../core/http/bounded.js';
import { readBody } from '../../core/http/bounded-body.js';
import type { FetchLike } from '../../core/http/fetch.js';
import { requireOk } from '../../core/http/http-status.js';
import type { Download } from '../sources/download.js';
import type { Transport, TransportOptions } from '../sources/source-options.js';

/** What a browser has is used here: `URL` and `TextDecoder`, and its own way to follow redirects. */

export interface LightAddress {
  /** Without slashes at its end. */
  readonly href: string;
  /** Decides like `fetchableFrom`. */
  readonly mayFetch: (url: string) => boolean;
}

/** @throws PortcullisError `INVALID_INPUT` */
export function lightAddressOf(url: string, allowInsecureHttp = false): LightAddress {
  const { href, origin, hostname, protocol, username, search, hash } = parsed(url) ?? refuse('the address must be a URL');
  const isNear = isLoopback(hostname);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && (isNear || allowInsecureHttp));
  if (!isSecure || username + search + hash !== '') refuse('the address must be https, without userinfo, query and fragment');
  return {
    href: href.replace(/([^/])\/+$/, '$1'),
    // A remote server must not direct requests into this machine.
    mayFetch(address) {
      const target = parsed(address);
      if (target === null || (isLoopback(target.hostname) && !isNear)) return false;
      return target.protocol === 'https:' || target.origin === origin;
    },
  };
}

function parsed(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

export function lightTransportOf({
  fetch: given,
  now = Date.now,
  timeoutMs = 10_000,
  artifactTimeoutMs = 300_000,
}: TransportOptions): Transport {
  return {
    fetch: (url, init) => (given ?? (fetch as unknown as FetchLike))(url, { ...init, credentials: 'omit' }),
    now,
    timeoutMs,
    artifactTimeoutMs,
    idleTimeoutMs: artifactTimeoutMs,
  };
}

export const lightTextOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** `download` for browsers, which follow redirects themselves: only the address that they lead to can be checked. */
export const lightDownload: Download = async (url, { fetch, mayFetch, artifactTimeoutMs, maxBytes, init, signal, now }) => {
  const requireAllowed = (address: string): void => {
    if (!mayFetch(address)) throw new PortcullisError('REDIRECTED', 'the file has a URL that must not be fetched');
  };
  const tooLarge = (): PortcullisError => new PortcullisError('LIMIT_EXCEEDED', `the file is larger than ${maxBytes} bytes`);
  requireAllowed(url);
  return bounded(artifactTimeoutMs, signal, async (ended) => {
    const response = await fetch(url, { ...init, signal: ended });
    requireAllowed(response.url || url);
    requireOk(response, now());
    const { status, headers } = response;
    return { status, headers, bytes: await readBody(response, { maxBytes, tooLarge, signal: ended }) };
  });
};
