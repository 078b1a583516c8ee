import { ASSET_TYPES, type AssetType, type CachedAnswer, type HeldIn, type VerdictReason, type VerdictStatus } from 'portcullis';
import { plainTypeName } from './asset-type-names.js';
import type { Judgment } from './judge.js';
import { shown } from './shown.js';
import { looksLikeKey, type Subject } from './subject.js';

export const titles: Readonly<Record<VerdictStatus, string>> = {
  blocked: 'Blocked',
  allowed: 'Allowed',
  // Not “clear”, which would promise more than a list can know.
  clear: 'Not on the list',
  unconfirmed: 'Unconfirmed',
  unknown: 'Unknown',
  'not-listable': 'Not listable',
};

/** Shown with the color, so that the verdict does not depend on seeing it. */
export const signs: Readonly<Record<VerdictStatus, string>> = {
  blocked: '✕',
  allowed: '✓',
  clear: '○',
  unconfirmed: '!',
  unknown: '?',
  'not-listable': '–',
};

const reasons: Readonly<Record<VerdictReason, string>> = {
  confirmed: 'The list’s server has confirmed it.',
  'confirmed-earlier': 'It was confirmed earlier; the server is asked again.',
  listed: 'The list contains it.',
  override: 'You set this in this browser.',
  'source-allows': 'The list allows it.',
  'not-listed': 'The list does not contain it. This is no promise of safety.',
  disproved: 'Four bytes of its hash are in the list, but they belong to another entry. This is no promise of safety.',
  offline: 'Four bytes of its hash are in the list; the server cannot be asked about the rest now.',
  deadline: 'Four bytes of its hash are in the list; the server did not answer in time.',
  budget: 'Four bytes of its hash are in the list; too many requests were made in the last minute.',
  'not-asked': 'Four bytes of its hash are in the list; the server was not asked.',
  'older-answer': 'Four bytes of its hash are in the list; the server denies it, but has lately offered an older list.',
  'bad-answer': 'Four bytes of its hash are in the list; the server rejected the request.',
  carried: 'Its site may open the listed link that is inside it.',
  loading: 'The stored list is still being read.',
  'no-list': 'There is no list yet.',
  'list-stale': 'The list is too old to say what is not on it.',
  'algorithm-unknown': 'The list uses an algorithm that this release does not know.',
  'algorithm-mismatch': 'The list was not made with the algorithm it names.',
  unreadable: 'No link or address found. To check a user name, choose its type below the box.',
  'self-test-failed': 'This browser computes wrong hashes.',
  'internal-scheme':
    'Its scheme leads to no host, like that of a browser page, a script or a local file; no list can contain it.',
  'not-a-host': 'It is not a public host.',
  'private-address': 'It is an address in a private network.',
  secret: 'It looks like a private key or a recovery phrase. It was neither hashed nor sent.',
};

/** The reason for the verdict, in words about this text. */
export function reasonText({ subject, verdict: { status, reason, expression } }: Pick<Judgment, 'subject' | 'verdict'>): string {
  const named = expression === undefined ? undefined : shown(expression);
  if (reason === 'override' && named !== undefined) return `You ${status} ${named} in this browser.`;
  const sentences = [reasonOf(subject, reason)];
  if (named !== undefined && status === 'blocked') sentences.unshift(`${named} is listed.`);
  if (named !== undefined && status === 'unconfirmed')
    sentences.unshift(reason === 'carried' ? `${named} is listed.` : `${named} may be listed.`);
  if (looksLikeKey(subject) && reason !== 'secret')
    sentences.push('It looks like a private key or a transaction hash, so the buttons do not send it.');
  return sentences.join(' ');
}

function reasonOf({ text, type }: Subject, reason: VerdictReason): string {
  if (reason === 'unreadable' && type !== undefined) return `It cannot be read as this type: ${plainTypeName(type)}.`;
  const named = reason === 'internal-scheme' ? typeBefore(text) : undefined;
  if (named !== undefined)
    return `To check a name alone, choose its type (${plainTypeName(named)}) below the box and enter only the name.`;
  return reasons[reason];
}

/** The type in `TWITTER:@example_user`, the notation of lists. */
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

/** What words of the list mean, for readers who see them for the first time. */
export const meanings = {
  snapshot: 'the whole list as it was last published',
  recent: 'what was added since the snapshot',
} as const;

export const memories: Readonly<Record<CachedAnswer, string>> = {
  blocked: 'confirmed',
  earlier: 'confirmed earlier',
  disproved: 'belongs to another entry',
  unknown: 'not confirmed',
};
