import { nearestName } from '../../../src/core/options/nearest-name.js';
import { UsageError } from '../errors/usage.js';
import { quoted } from './quoted.js';

/**
 * An error for a name that does not exist.
 *
 * @param line What comes before the name in a command
 */
export function unknownName(what: string, text: string, names: Iterable<string>, line: string, otherwise: string): UsageError {
  const similar = nearestName(text, names);
  const next = similar === undefined ? otherwise : `did you mean: ${line} ${similar}`;
  return new UsageError(`unknown ${what}${quoted(text)}`, next);
}
