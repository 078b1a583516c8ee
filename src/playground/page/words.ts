import type { HeldIn, Known, VerdictReason, VerdictStatus } from 'portcullis';

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

export const reasons: Readonly<Record<VerdictReason, string>> = {
  confirmed: 'The list’s server confirmed it by its full hash.',
  'confirmed-earlier': 'It was confirmed earlier, and cannot be asked about now.',
  listed: 'The list itself holds its full hash.',
  override: 'Somebody said so on this device.',
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
  unreadable: 'No link, address or name was read in it.',
  'self-test-failed': 'This browser computes wrong hashes.',
  'internal-scheme': 'A page of the browser, a script or a local file: no list can hold it.',
  'not-a-host': 'It leads nowhere that others can reach.',
  'private-address': 'An address inside a private network.',
  secret: 'It has the shape of a private key or a recovery phrase. Nothing of it was hashed or sent.',
};

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
