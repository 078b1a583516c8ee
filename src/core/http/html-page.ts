import { fromUnits } from '../bytes.js';

/** Whether the bytes are a login or gateway page, whatever their content type. One binary list in 2^32 starts like this. */
export function isPage(bytes: Uint8Array): boolean {
  return /^(\xef\xbb\xbf)?\s*<(!doctype|html|head|body|\?xml)/i.test(fromUnits(bytes.subarray(0, 64)));
}
