/** Share of letters that two names must have in common, in the same order: `url` and `baseUrl` have it. */
const minShare = 0.6;

/** More than any name has: it would only fill a log, and comparing it takes time that grows with its length. */
const maxLength = 40;

/** What to say about a name that does not exist. */
export function noSuch(what: string, name: string, names: Iterable<string>, before = ''): string {
  const nearest = nearestName(name, names);
  return `there is no ${what} ${before}${name.slice(0, maxLength)}${nearest ? `; did you mean ${before}${nearest}?` : ''}`;
}

/** The name that was probably meant: `apiKey` for `key`, `sync` for `snyc`. */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  const given = text.slice(0, maxLength).toLowerCase();
  let nearest: string | undefined;
  let most = 0;
  for (const name of names) {
    const share = (2 * commonLetters(given, name.toLowerCase())) / (text.length + name.length);
    if (share >= minShare && share > most) [nearest, most] = [name, share];
  }
  return nearest;
}

/** The length of the longest common subsequence. */
function commonLetters(one: string, other: string): number {
  let row: number[] = [];
  let left = 0;
  for (const letter of one) {
    left = 0;
    row = Array.from(other, (same, at) => {
      left = letter === same ? (row[at - 1] ?? 0) + 1 : Math.max(left, row[at] ?? 0);
      return left;
    });
  }
  return left;
}
