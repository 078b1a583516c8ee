import type { Asset, Family } from '../../core/assets/asset.js';
import type { AssetType } from '../../core/assets/asset-types.js';
import { readTyped } from '../../core/assets/read-text.js';
import type { Link } from '../../core/assets/web/link.js';
import { isPartOf } from '../../core/assets/web/part-of.js';

/**
 * The account, post or work on a platform that a link names: `typed` are the readings of the link. Not what a page belongs to: a row for
 * one message means neither its channel nor its author, a row for one version does not mean the package, and a row for a host means the host.
 */
export function namedBy(link: Link, typed: readonly Asset[], families: readonly Family[]): Asset | undefined {
  // The first one is what the link names; the others are looked up with it.
  const account = typed.find(isOnPlatform);
  if (account === undefined) return undefined;
  const names = (text: string): boolean => isIn(readTyped({ text, hint: {} }, families), account);
  return isPartOf(link.host + link.path, names) ? undefined : account;
}

/** Whether an asset is an account, a post or a work on one platform. */
export function isOnPlatform({ type }: Asset): boolean {
  return !elsewhere.has(type);
}

/** Types that many sites show. A row for one such site means its page, not the address, the mailbox or the file. */
const elsewhere: ReadonlySet<AssetType> = new Set<AssetType>(['URL', 'PAGE', 'ADDRESS', 'EMAIL', 'PHONE_NUMBER', 'IPFS']);

export function isIn(assets: readonly Asset[], { type, canonical }: Asset): boolean {
  return assets.some((asset) => asset.type === type && asset.canonical === canonical);
}
