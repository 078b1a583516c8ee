/** Share of letters that two names must have in common, in the same order. */
const minShare = 0.6;

/** A longer text is not a typing error, and comparing it takes time that grows with its length. */
const maxLength = 40;

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
