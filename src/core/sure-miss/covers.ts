import { isIpHost } from '../assets/web/host.js';
import { readU32 } from '../bytes.js';
import { hashOf } from '../hashing/sha256.js';

/**
 * Covers let a check of nearly any link end after one hash. A list with covers holds, for each host of two labels below which it lists something,
 * bytes 5 to 36 of what would be SHA-256 of that host.
 */

/** The last two labels of the host of a link, if the expression is for something below them; `null` for any other expression. */
export function coveredHost(expression: string): string | null {
  if (/^\w+:/.test(expression)) return null;
  const [host] = expression.split(/[/?]/, 1) as [string];
  const dot = host.lastIndexOf('.', host.lastIndexOf('.') - 1);
  if ((dot < 0 && host.length === expression.length) || host.indexOf('.') < 0 || isIpHost(host)) return null;
  return host.slice(dot + 1);
}

/** The hash that a list with covers holds for the host: SHA-256 without its first four bytes, with which it would be listed. */
export function coverOf(host: string): Uint8Array {
  return hashOf(host).subarray(4);
}

/** The first four bytes of it. */
export function coverPrefixOf(host: string): number {
  return readU32(coverOf(host), 0);
}
