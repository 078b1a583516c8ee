import type { Blocklist, VerdictStatus } from 'portcullis';
import type { Example } from '../shared/playground-config.js';

/** Reserved names only, so that none belongs to a real site. */
const candidates: readonly (Example & { readonly status: VerdictStatus })[] = [
  { name: 'Not listed', text: 'https://example.net/', status: 'clear' },
  { name: 'A message', text: 'Write to help@example.net or open hxxps://shop.example[.]net/now', status: 'clear' },
  { name: 'A look-alike', text: 'https://sc\u0430m-mint.example/', status: 'clear' },
  { name: 'Not listable', text: 'http://localhost:3000/', status: 'not-listable' },
  { name: 'A private key', text: `${'00'.repeat(31)}01`, status: 'not-listable' },
];

/**
 * Examples for a list that brings none. A list holds only hashes, so that none of its entries can be derived from it; these are not on it,
 * and the list itself is asked whether that is true.
 */
export function derivedExamples(blocklist: Pick<Blocklist, 'test' | 'status'>): readonly Example[] {
  if (blocklist.status().sources.every(({ list }) => list === null)) return [];
  return candidates.filter(({ text, status }) => blocklist.test(text).status === status);
}

export const derivedNote =
  'The list holds only hashes, so it cannot show an entry of its own. To see one blocked, enter an entry that you know.';
