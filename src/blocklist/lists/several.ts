import { families } from '../../core/assets/all-families.js';
import { readText } from '../../core/assets/read-text.js';
import type { Link } from '../../core/assets/web/link.js';

/**
 * Whether a line names several things where one is read: `a.example, b.example`. Without spaces that is a host of its own, which
 * browsers open and nobody has; and two links with a space between them are one with a strange path.
 */
export function isSeveral(text: string, link: Link | undefined): boolean {
  if (link !== undefined && !/[,;]/.test(link.host) && !/\s[a-z]+:\/\//i.test(text)) return false;
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  return parts.length > 1 && parts.every(isReadable);
}

function isReadable(part: string): boolean {
  const { links, typed } = readText(part, {}, families);
  return links.length > 0 || typed.length > 0;
}
