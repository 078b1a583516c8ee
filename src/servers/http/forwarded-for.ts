import { networkOf } from '../../core/assets/web/network-of.js';

/** More than anyone chains. */
export const maxProxies = 10;

/**
 * The network of a client behind this number of own proxies, each of which appends to `X-Forwarded-For`; empty if there is none. A header that
 * is missing or too short did not come through them.
 */
export function forwardedFor(request: Request, proxies: number | undefined): string {
  if (proxies === undefined) return '';
  const entries = (request.headers.get('x-forwarded-for') ?? '').split(',');
  return networkOf(entries[entries.length - proxies] ?? '');
}
