/** Share of letter pairs that two names must have in common: `key` and `apiKey` share more, `lists` and `headers` less. */
const minShare = 0.5;

/**
 * The name that was probably meant: the one with the most pairs of neighboring letters in common. Unlike the edit distance of the command
 * line, this finds `apiKey` for `key`.
 */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const pairs = pairsOf(text);
  let nearest: string | undefined;
  let most = minShare;
  for (const name of names) {
    const others = pairsOf(name);
    const common = [...pairs].filter((pair) => others.has(pair)).length;
    const share = (2 * common) / (pairs.size + others.size);
    if (share >= most) [nearest, most] = [name, share];
  }
  return nearest;
}

/** A longer text is not a typing error. */
const maxLength = 40;

function pairsOf(text: string): ReadonlySet<string> {
  const letters = text.toLowerCase().slice(0, maxLength);
  const pairs = new Set<string>();
  for (let at = 0; at < letters.length - 1; at++) pairs.add(letters.slice(at, at + 2));
  return pairs;
}
