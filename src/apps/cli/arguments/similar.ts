/** Longer words are no slip of a finger, and the work grows with the square of their length. */
const lengthMax = 40;

/** The name somebody may have meant; a third of its letters may be wrong. */
export function similarTo(word: string, names: Iterable<string>): string | undefined {
  if (word.length > lengthMax) return undefined;
  let best: string | undefined;
  let least = Math.floor(Math.max(word.length, 3) / 3) + 1;
  for (const name of names) {
    const distance = distanceBetween(word.toLowerCase(), name.toLowerCase());
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

/** Letters to add, drop, replace, or swap with their neighbour. */
function distanceBetween(from: string, to: string): number {
  let [older, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let cost = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwapped) cost = Math.min(cost, older[column - 2]! + 1);
      next.push(cost);
    }
    [older, last] = [last, next];
  }
  return last[to.length]!;
}
