import { requireObject } from '../../core/errors.js';
import { findAssets } from '../../core/find/find-all.js';
import type { Blocklist } from './blocklist-interface.js';
import { type CheckTextOptions, checkText as checkCoreText, type TextVerdict } from './check-core-text.js';

/**
 * Finds links, addresses, email addresses and telephone numbers in a text and checks them, with one request for all hits. Rejects with
 * `LIMIT_EXCEEDED` for a text that is too long or has too many pieces. A function of its own, because the finder takes 7 kB.
 *
 * @example
 * const { action, pieces } = await checkText(blocklist, 'Claim at hxxps://claim[.]example/airdrop');
 */
export async function checkText(
  blocklist: Pick<Blocklist, 'checkMany'>,
  text: string,
  options: CheckTextOptions = {},
): Promise<TextVerdict> {
  requireObject(options, 'options');
  return checkCoreText(blocklist, text, { ...options, findAssets });
}
