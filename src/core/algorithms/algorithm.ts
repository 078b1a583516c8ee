import type { Asset } from '../assets/asset.js';

/**
 * How a kind of list spells the expressions it hashes. A list names its algorithm, and a change of any byte of any expression is a new
 * algorithm with a new name.
 */
export interface Algorithm {
  readonly name: string;
  /** The canonical link of one candidate string, or `null` if it is not a link. */
  canonicalizeUrl(text: string): string | null;
  /** The expressions to look up for a candidate string or an asset, most specific first; none if it is refused. */
  expressionsOf(input: string | Asset): string[];
}
