import { UsageError } from '../errors/usage.js';
import { quoted } from './quoted.js';

/** Longer text is not a typing error, and comparing it takes time that grows with the square of its length. */
const maxLength = 40;

/** The name that was probably meant; up to a third of its letters may differ. */
export function similarTo(text: string, names: Iterable<string>): string | undefined {
  if (text.length > maxLength) return undefined;
  let best: string | undefined;
  let minDistance = Math.floor(Math.max(text.length, 3) / 3) + 1;
  for (const name of names) {
    const distance = distanceBetween(text.toLowerCase(), name.toLowerCase());
    if (distance < minDistance) {
      minDistance = distance;
      best = name;
    }
  }
  return best;
}

/**
 * An error for a name that does not exist.
 *
 * @param line What comes before the name in a command
 */
export function unknownName(what: string, text: string, names: Iterable<string>, line: string, otherwise: string): UsageError {
  const similar = similarTo(text, names);
  const next = similar === undefined ? otherwise : `did you mean: ${line} ${similar}`;
  return new UsageError(`unknown ${what}${quoted(text)}`, next);
}

/** How many letters to insert, delete, replace, or swap with a neighbor. */
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
