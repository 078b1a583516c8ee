/**
 * Status words found in lists. Only these words list an entry: an unknown word may mean that the site is good, and blocking a good site is
 * worse than skipping an entry, which the report mentions.
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

/** Whether a status means that the entry is blocked; an empty one does. */
export function isBlocked(status: string): boolean {
  const word = wordOf(status);
  return word === '' || blockedWords.has(word);
}

/** Whether a cell means that the entry is not blocked. In a column without a name only such words are treated as a status. */
export function isOtherStatus(cell: string): boolean {
  return otherWords.has(wordOf(cell));
}

export function isStatus(cell: string): boolean {
  return blockedWords.has(wordOf(cell)) || isOtherStatus(cell);
}

function wordOf(status: string): string {
  return status.length > maxWordLength ? status : status.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Characters of a status: the longest word above with separators. */
const maxWordLength = 40;
