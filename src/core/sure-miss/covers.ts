import { isIpHost } from '../assets/web/host.js';
import { prefixOf } from '../hashing/prefix.js';
import { hashOf } from '../hashing/sha256.js';

/**
 * With covers, a check of nearly any link ends after one hash. A list with covers (docs/formats.md §10) holds, for each host of two labels below
 * which it lists something, the hash of that host with its 32nd bit inverted. That is the hash of nothing, and it is beside the hash of the host,
 * so that looking up both takes little longer than one.
 */
export function coverOf(host: string): Uint8Array {
  const cover = hashOf(host);
  cover[3]! ^= 1;
  return cover;
}

/** The first four bytes of a cover. */
export function coverPrefixOf(host: string): number {
  return coverOfPrefix(prefixOf(host));
}

/** The same, from the first four bytes of the hash of the host. */
export function coverOfPrefix(prefix: number): number {
  return (prefix ^ 1) >>> 0;
}

/** A `coveredHost` that leaves out the host of the call before: entries of one site often follow each other. */
export function coveredHostReader(): (expression: string) => string | null {
  let last: string | null = null;
  return (expression) => {
    const host = coveredHost(expression);
    if (host === null || host === last) return null;
    last = host;
    return host;
  };
}

/** The last two labels of the host of a link, if the expression is for something below them; `null` for any other expression. */
export function coveredHost(expression: string): string | null {
  if (/^[\w-]+:/.test(expression)) return null;
  const [host] = expression.split(/[/?]/, 1) as [string];
  const dot = host.lastIndexOf('.', host.lastIndexOf('.') - 1);
  if ((dot < 0 && host.length === expression.length) || host.indexOf('.') < 0 || isIpHost(host)) return null;
  return host.slice(dot + 1);
}
