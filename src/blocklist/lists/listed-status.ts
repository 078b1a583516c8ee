/**
 * Words that lists write beside an entry. Only the first kind lists it: a word that nobody here knows may say that it is good, and a
 * good site that is blocked is worse than one line less in the list, which the report tells.
 */
const blockedWords: ReadonlySet<string> = new Set(
  [
    'block blocked blocklist blocklisted blacklist blacklisted deny denied denylist banned bad evil malicious malware phish phishing',
    'scam scammer fraud fraudulent fake unsafe dangerous drainer impersonation',
  ].flatMap((line) => line.split(' ')),
);

const otherWords: ReadonlySet<string> = new Set(
  [
    'allow allowed allowlist allowlisted whitelist whitelisted benign safe clean good legit legitimate trusted verified official harmless ham',
    'unknown unrated unblocked unlisted none pending rejected watchlist suspicious falsepositive notblocked notmalicious notphishing inactive',
  ].flatMap((line) => line.split(' ')),
);

/** Whether a status beside an entry says that it is blocked; an empty one says nothing against it. */
export function isBlocked(status: string): boolean {
  const word = wordOf(status);
  return word === '' || blockedWords.has(word);
}

/** Whether it says something else: where nobody named a column, only such a word tells a status from a note. */
export function isOtherStatus(cell: string): boolean {
  return otherWords.has(wordOf(cell));
}

export function isStatus(cell: string): boolean {
  return blockedWords.has(wordOf(cell)) || isOtherStatus(cell);
}

function wordOf(status: string): string {
  return status.length > wordLengthMax ? status : status.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Characters of a status: the longest word above, spaced out. */
const wordLengthMax = 40;
