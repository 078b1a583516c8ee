import type { Family } from '../../core/assets/asset.js';
import { cleanText } from '../../core/assets/clean.js';
import { isSecret as isSecretIn } from '../../core/assets/read-text.js';
import { isKey } from '../../core/assets/secrets.js';
import { textToEnd } from '../../core/assets/web/escapes.js';
import type { Link } from '../../core/assets/web/link.js';

/**
 * Finds secrets inside a link. A lookup must accept every link (docs/algorithm.md §7); a list need not: listing a link with a key in it
 * protects no one, and people who must not see the key may read the report about it.
 */

/** Matches wrappers and scheme with their slashes, userinfo, host and path, query, fragment. */
const parts =
  /^((?:(?:blob|filesystem|https?|wss?|ftp):|[a-z][a-z\d+.-]*:(?=[\\/]))*[\\/]*)([^\\/?#]*@)?([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/i;

function partsOf(text: string) {
  const [, start = '', user = '', place = '', query = '', fragment = ''] = parts.exec(cleanText(text).link) ?? [];
  return { start, user, place, query, fragment };
}

/** Whether the text's userinfo, or the query of a link found in it, contains a private key or recovery phrase. */
export function holdsSecret(text: string, links: readonly Link[], families: readonly Family[]): boolean {
  const isSecret = secretIn(families);
  if (links.some(({ query }) => query.split(/[&;=]/).some(isSecret))) return true;
  return text.indexOf('@') >= 0 && partsOf(text).user.slice(0, -1).split(':').some(isSecret);
}

/** The link as a report shows it. Passwords and tokens cannot be recognized, so userinfo, query and fragment are always hidden. */
export function withoutSecrets(text: string, families: readonly Family[]): string {
  const isSecret = secretIn(families);
  const { start, user, place, query, fragment } = partsOf(text);
  const shown = place.replace(/[^\\/]+/g, (segment) => (isSecret(segment) ? '…' : segment));
  return `${start}${user && '…@'}${shown}${query && '?…'}${fragment && '#…'}`;
}

function secretIn(families: readonly Family[]): (part: string) => boolean {
  return (part) => {
    if (part.length < minSecretLength) return false;
    const decoded = textToEnd(part.replace(/\+/g, ' '));
    return decoded !== null && (isKey(decoded.trim(), false) || isSecretIn(decoded, families));
  };
}

/** Twelve words of one character and the spaces between them. */
const minSecretLength = 23;
