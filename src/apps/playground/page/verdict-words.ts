import { ASSET_TYPES, type AssetType, type HeldIn, type Known, type VerdictReason, type VerdictStatus } from 'portcullis';
import type { Judgement } from './judge.js';
import { shown } from './shown.js';
import { looksLikeKey, type Subject } from './subject.js';

export const titles: Readonly<Record<VerdictStatus, string>> = {
  blocked: 'Blocked',
  allowed: 'Allowed',
  clear: 'Clear',
  unconfirmed: 'Unconfirmed',
  unknown: 'Unknown',
  'not-listable': 'Not listable',
};

/** Beside the colour, for who does not see it. */
export const signs: Readonly<Record<VerdictStatus, string>> = {
  blocked: '✕',
  allowed: '✓',
  clear: '✓',
  unconfirmed: '!',
  unknown: '?',
  'not-listable': '–',
};

const reasons: Readonly<Record<VerdictReason, string>> = {
  confirmed: 'The list’s server confirmed it by its full hash.',
  'confirmed-earlier': 'It was confirmed earlier, and cannot be asked about now.',
  listed: 'The list itself holds its full hash.',
  override: 'Somebody said so in this browser.',
  'source-allows': 'The list says that it is fine.',
  'not-listed': 'The list is fresh and holds none of its prefixes.',
  disproved: 'The list holds the same four bytes, and they are another’s.',
  offline: 'The list holds its four bytes, and nobody can be asked whether they are its own.',
  deadline: 'The list holds its four bytes, and the answer about them did not come in time.',
  budget: 'The list holds its four bytes, and too much was asked in the last minute.',
  'not-asked': 'The list holds its four bytes, and nobody was asked.',
  'bad-answer': 'The list holds its four bytes, and the server refused to say more.',
  'no-list': 'There is no list yet.',
  'list-stale': 'The list is too old to say what is not on it.',
  'algorithm-unknown': 'The list is made in a way that this release does not know.',
  'algorithm-mismatch': 'The list is made in another way than it says.',
  unreadable: 'No link or address was read in it. A name alone needs its type: choose it below the box.',
  'self-test-failed': 'This browser computes wrong hashes.',
  'internal-scheme':
    'It begins with a scheme that leads to no host, as a page of the browser, a script or a local file does: no list can hold it.',
  'not-a-host': 'It is no host that others can reach.',
  'private-address': 'An address inside a private network.',
  secret: 'It has the shape of a private key or a recovery phrase. Nothing of it was hashed or sent.',
};

/** Why the verdict is what it is, of this very text. */
export function reasonText({ subject, verdict: { status, reason, expression } }: Pick<Judgement, 'subject' | 'verdict'>): string {
  const named = expression === undefined ? undefined : shown(expression);
  if (reason === 'override' && named !== undefined) return `In this browser somebody ${status} ${named}.`;
  const sentences = [reasonOf(subject, reason)];
  if (named !== undefined && status === 'blocked') sentences.unshift(`${named} is listed.`);
  if (named !== undefined && status === 'unconfirmed') sentences.unshift(`${named} may be listed.`);
  if (looksLikeKey(subject) && reason !== 'secret')
    sentences.push('It has the shape of a private key, or of a transaction: the buttons do not send it.');
  return sentences.join(' ');
}

function reasonOf({ text, type }: Subject, reason: VerdictReason): string {
  if (reason === 'unreadable' && type !== undefined) return `It cannot be read as ${type}.`;
  const named = reason === 'internal-scheme' ? typeBefore(text) : undefined;
  if (named !== undefined) return `To check a name as ${named}, choose that type below the box, and write the name alone.`;
  return reasons[reason];
}

/** `TWITTER:@somebody` as lists write it. */
function typeBefore(text: string): AssetType | undefined {
  const [before] = text.trim().split(':', 1);
  return ASSET_TYPES.find((type) => type === before?.toUpperCase());
}

export const places: Readonly<Record<HeldIn, string>> = {
  nothing: 'not in the list',
  base: 'in the snapshot',
  recent: 'in the recent feed',
  removed: 'removed since the snapshot',
  allowed: 'allowed by the list',
};

export const memories: Readonly<Record<Known, string>> = {
  blocked: 'confirmed',
  earlier: 'confirmed earlier',
  disproved: 'another’s, not this',
  unknown: 'not confirmed',
};
