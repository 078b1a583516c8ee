import { fromUnits } from '../bytes.js';

/** A login's or a gateway's page, also where it says it is something else. As raw prefixes these bytes come once in 2^32 lists. */
export function isPage(bytes: Uint8Array): boolean {
  return /^(\xef\xbb\xbf)?\s*<(!doctype|html|head|body|\?xml)/i.test(fromUnits(bytes.subarray(0, 64)));
}
