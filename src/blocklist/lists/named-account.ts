import type { Asset, Family } from '../../core/assets/asset.js';
import type { AssetType } from '../../core/assets/asset-types.js';
import { readTyped } from '../../core/assets/read-text.js';
import type { Link } from '../../core/assets/web/link.js';

/**
 * The account, post or work on a platform that a link names: `typed` are the readings of the link. Not what a page belongs to: a row for
 * one message means neither its channel nor its author, a row for one version does not mean the package, and a row for a host means the host.
 */
export function namedBy(link: Link, typed: readonly Asset[], families: readonly Family[]): Asset | undefined {
  // The first one is what the link names; the others are looked up with it.
  const account = typed.find(isOnPlatform);
  const end = link.path.lastIndexOf('/');
  if (account === undefined || version.test(link.path.slice(end + 1))) return undefined;
  const above = link.host + link.path.slice(0, Math.max(0, end));
  // The last segment is no part of the name if the link means the same without it, or with another one.
  const isBelow = [above, `${above}/other`].some((text) => isIn(readTyped({ text, hint: {} }, families), account));
  return isBelow ? undefined : account;
}

/** `package@1.2.3` and `package-1.2.3.tar`, but not `@name` and `12345@N00`. */
const version = /.@v?\d|\.(?:tar|tgz|zip|crate|apk)$/;

/** Whether an asset is an account, a post or a work on one platform. */
export function isOnPlatform({ type }: Asset): boolean {
  return !elsewhere.has(type);
}

/** Types that many sites show. A row for one such site means its page, not the address, the mailbox or the file. */
const elsewhere: ReadonlySet<AssetType> = new Set<AssetType>(['URL', 'PAGE', 'ADDRESS', 'EMAIL', 'PHONE_NUMBER', 'IPFS']);

export function isIn(assets: readonly Asset[], { type, canonical }: Asset): boolean {
  return assets.some((asset) => asset.type === type && asset.canonical === canonical);
}
