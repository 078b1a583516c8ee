/** Share of letters that two names must have in common, in the same order. */
const minShare = 0.6;

/** A longer text is not a typing error, and comparing it takes time that grows with its length. */
const maxLength = 40;

/** What to say about a name that does not exist. More of it than any name has would only fill a log. */
export function noSuch(what: string, name: string, names: readonly string[], before = ''): string {
  const nearest = nearestName(name, names);
  const advice = nearest === undefined ? '' : `; did you mean ${before}${nearest}?`;
  return `there is no ${what} ${before}${name.slice(0, maxLength)}${advice}`;
}

/** The name that was probably meant: `apiKey` for `key`, `sync` for `snyc`. */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let most = minShare;
  for (const name of text.length > maxLength ? [] : names) {
    const share = (2 * commonLetters(text.toLowerCase(), name.toLowerCase())) / (text.length + name.length);
    if (share > most) [nearest, most] = [name, share];
  }
  return nearest;
}

/** The length of the longest common subsequence. */
function commonLetters(one: string, other: string): number {
  let row = Array.from(other, () => 0);
  for (const letter of one) {
    let left = 0;
    row = row.map((above, at) => {
      left = letter === other[at] ? (row[at - 1] ?? 0) + 1 : Math.max(left, above);
      return left;
    });
  }
  return row[row.length - 1] ?? 0;
}
