import type { Asset } from '../assets/asset.js';

/**
 * How one kind of list spells what it hashes. A list names its algorithm, and no two versions of one share a name: a change of
 * any byte of any expression is a new algorithm.
 */
export interface Algorithm {
  readonly name: string;
  /** The canonical link of one candidate string, or `null` if it is none. */
  canonicalizeUrl(text: string): string | null;
  /** What to look up for a candidate string or an asset, most specific first; nothing for what is refused. */
  expressionsOf(input: string | Asset): string[];
}
