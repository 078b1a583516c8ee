import type { Family } from '../../core/assets/asset.js';
import { readText } from '../../core/assets/read-text.js';
import type { Link } from '../../core/assets/web/link.js';

/**
 * Whether a line contains several assets: `a.example, b.example`. The link parser alone does not notice: without spaces this is a single
 * host, which browsers open but which cannot exist, and two links separated by a space are one link with an odd path.
 */
export function isSeveral(text: string, link: Link | undefined, families: readonly Family[]): boolean {
  if (link !== undefined && !/[,;]/.test(link.host) && !/\s[a-z]+:\/\//i.test(text)) return false;
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  const isReadable = (part: string): boolean => {
    const { links, typed } = readText(part, {}, families);
    return links.length > 0 || typed.length > 0;
  };
  return parts.length > 1 && parts.every(isReadable);
}
