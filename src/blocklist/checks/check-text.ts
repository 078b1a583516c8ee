import type { FindAssets, FindOptions, FoundAsset } from '../../core/find/find.js';
import type { Verdict, VerdictAction } from '../verdict.js';
import type { CheckOptions } from './blocklist-interface.js';

/** Options of `checkText`. */
export interface CheckTextOptions extends CheckOptions, FindOptions {}

/** A piece of a text, and its verdict. */
export interface CheckedPiece extends FoundAsset {
  readonly verdict: Verdict;
}

/** The verdict about a text. */
export interface TextVerdict {
  /** The worst action of all pieces; `allow` if there are none. */
  readonly action: VerdictAction;
  /** In the order of the text, without overlap. */
  readonly pieces: readonly CheckedPiece[];
}

/** Finds everything in a text that a list could hold, and checks it with one request for all hits. */
export async function checkText(
  text: string,
  options: CheckTextOptions,
  findAssets: FindAssets,
  checkMany: (inputs: readonly string[], options: CheckOptions) => Promise<readonly Verdict[]>,
): Promise<TextVerdict> {
  const found = findAssets(text, options);
  const verdicts = await checkMany(
    found.map(({ plain }) => plain),
    options,
  );
  const pieces = found.map((piece, at): CheckedPiece => ({ ...piece, verdict: verdicts[at]! }));
  const actions = verdicts.map(({ action }) => action);
  return { action: (['block', 'warn'] as const).find((action) => actions.includes(action)) ?? 'allow', pieces };
}
