import { createFinder, type FindAssets, type FindOptions, type FoundAsset, findKinds } from '../../core/find/find.js';
import { isTopLevelDomain } from '../../core/find/top-level-domains.js';
import { type Filled, func, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import { knownAssets } from '../engine/internals.js';
import type { Blocklist } from '../model/blocklist-interface.js';
import type { CheckOptions } from '../model/blocklist-options.js';
import { checkKinds } from '../model/blocklist-options.js';
import type { Verdict, VerdictAction } from '../model/verdict.js';

/** Options of `checkText`. */
export interface CheckTextOptions extends CheckOptions, FindOptions {
  /** Finds the pieces of the text; see `createFinder`. @default a finder of what the blocklist reads */
  readonly findAssets?: FindAssets | undefined;
}

export const checkTextKinds = (): KindsOf<Filled<CheckTextOptions, 'findAssets' | 'signal' | 'deadlineMs'>> => ({
  ...checkKinds(),
  ...findKinds(),
  findAssets: optional(func),
});

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
 * Finds links, addresses, email addresses and telephone numbers in a text and checks them, with one request for all hits. Rejects with
 * `LIMIT_EXCEEDED` for a text that is too long or has too many pieces. A function of its own, because the finder takes 8 kB.
 *
 * @example
 * const { action, pieces } = await checkText(blocklist, 'Claim at hxxps://claim[.]example/airdrop');
 */
export async function checkText(
  blocklist: Pick<Blocklist, 'checkMany'>,
  text: string,
  options?: CheckTextOptions,
): Promise<TextVerdict> {
  const { findAssets: given, maxResults, topLevelDomains, ...check } = readOptions('checkText', checkTextKinds(), options);
  if (typeof blocklist?.checkMany !== 'function')
    throw new TypeError('the first argument must be a blocklist with checkMany; a light list has none');
  const findAssets = given ?? finderOf(blocklist);
  const found = findAssets(text, { maxResults, topLevelDomains });
  const inputs = found.flatMap(({ plain, shorter }) => (shorter === undefined ? plain : [plain, shorter]));
  const verdicts = await blocklist.checkMany(inputs, check);
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

/**
 * The finder of what a blocklist reads. A finder of other families would miss pieces, and so allow them.
 *
 * @throws TypeError
 */
export function finderOf(blocklist: object): FindAssets {
  const assets = knownAssets(blocklist);
  if (assets === undefined)
    throw new TypeError('checkText does not know which assets this blocklist reads; pass findAssets, made by createFinder');
  return createFinder(assets, { isTopLevelDomain });
}
