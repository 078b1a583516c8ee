import type { Asset } from '../assets/asset.js';

/**
 * The expressions of one target, most specific first. Each target that an input names is judged alone: a listing or an override for one
 * target does not affect the others. A target that cannot be read has none.
 */
export type Subject = readonly string[];

/**
 * How a kind of list spells the expressions it hashes. A list names its algorithm; any change to a byte of any expression requires a new
 * algorithm with a new name.
 */
export interface Algorithm {
  readonly name: string;
  /** The canonical link of one candidate string, or `null` if it is not a link. */
  canonicalizeUrl(text: string): string | null;
  /**
   * The targets that a candidate string or an asset names; empty if it is refused. For an asset, a publisher lists the first expression
   * of the first target.
   */
  subjectsOf(input: string | Asset): readonly Subject[];
  /** The links inside a text that its site may or may not open: reasons to warn, and no targets. */
  readonly carriedIn?: ((text: string) => readonly string[]) | undefined;
}

/** All expressions of an input, without duplicates. For a single subject the list is new, so it need not be copied. */
export function expressionsOf(algorithm: Algorithm, input: string | Asset): string[] {
  const subjects = algorithm.subjectsOf(input);
  return subjects.length === 1 ? (subjects[0] as string[]) : [...new Set(subjects.flat())];
}

/** The expression that a publisher lists for an asset. */
export function listedExpression(algorithm: Algorithm, asset: string | Asset): string | undefined {
  return algorithm.subjectsOf(asset)[0]?.[0];
}
