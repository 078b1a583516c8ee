import type { FindAssets } from '../../core/find/find.js';
import type { Verdict } from '../verdict.js';
import type { CheckedPiece, CheckOptions, CheckTextOptions, TextVerdict } from './blocklist-interface.js';

/** Finds everything in a text that a list could hold, and checks it with one request for all hits. */
export async function checkText(
  text: string,
  options: CheckTextOptions,
  findAssets: FindAssets,
  checkMany: (inputs: readonly string[], options: CheckOptions) => Promise<readonly Verdict[]>,
): Promise<TextVerdict> {
  const found = findAssets(text, options);
  const shorter = found.filter((piece) => piece.shorter !== undefined);
  const verdicts = await checkMany([...found.map(({ plain }) => plain), ...shorter.map((piece) => piece.shorter!)], options);
  const pieces = found.map((piece, at): CheckedPiece => {
    const other = verdicts[found.length + shorter.indexOf(piece)];
    const own = verdicts[at]!;
    return { ...piece, verdict: piece.shorter !== undefined && rank(other!) < rank(own) ? other! : own };
  });
  return { action: actions[Math.min(...verdicts.map(rank), actions.length - 1)]!, pieces };
}

/** Worst first. */
const actions = ['block', 'warn', 'allow'] as const;

function rank({ action }: Verdict): number {
  return actions.indexOf(action);
}
