import { refuse } from '../../core/errors.js';
import type { FindAssets, FindOptions, FoundAsset } from '../../core/find/find.js';
import type { Verdict, VerdictAction } from '../verdict.js';
import type { Blocklist, CheckOptions } from './blocklist-interface.js';

/** Options of `checkText`. */
export interface CheckTextOptions extends CheckOptions, FindOptions {}

/** Options of `checkText` of `/core`. */
export interface CoreCheckTextOptions extends CheckTextOptions {
  /** The finder, made by `createFinder` for the families of the blocklist. */
  readonly findAssets: FindAssets;
}

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

/**
 * Finds links and the assets of the finder's families in a text and checks them, with one request for all hits. Rejects with
 * `LIMIT_EXCEEDED` for a text that is too long or has too many pieces.
 */
export async function checkText(
  blocklist: Pick<Blocklist, 'checkMany'>,
  text: string,
  options: CoreCheckTextOptions,
): Promise<TextVerdict> {
  const { findAssets } = Object(options) as CoreCheckTextOptions;
  if (typeof findAssets !== 'function') refuse('checkText of /core needs a finder; pass findAssets, made by createFinder');
  const found = findAssets(text, options);
  const inputs = found.flatMap(({ plain, shorter }) => (shorter === undefined ? plain : [plain, shorter]));
  const verdicts = await blocklist.checkMany(inputs, options);
  let next = 0;
  const pieces = found.map((piece): CheckedPiece => {
    const own = verdicts[next++]!;
    const other = piece.shorter === undefined ? own : verdicts[next++]!;
    return { ...piece, verdict: actions.indexOf(other.action) < actions.indexOf(own.action) ? other : own };
  });
  return { action: actions.find((action) => pieces.some(({ verdict }) => verdict.action === action)) ?? 'allow', pieces };
}

/** Worst first. */
const actions = ['block', 'warn', 'allow'] as const;
