import { PortcullisError } from 'portcullis';
import { baseUrl, isLoopback } from '../../../src/core/http/address.js';

/**
 * Requires a URL that the library takes, in the words of the command line.
 *
 * @param name What the user calls it
 * @returns It without trailing slashes
 * @throws PortcullisError `INVALID_INPUT`, which names no more of a URL than its origin, because the rest may hold a token
 */
export function requireUrl(url: string, name = 'the URL'): string {
  const base = baseUrl(url, name, { allowInsecureHttp: true });
  const { protocol, host, origin } = new URL(url);
  if (protocol !== 'http:' || isLoopback(host)) return base;
  throw new PortcullisError('INVALID_INPUT', `${name} ${origin} must be https: others can read and change plain http`);
}
