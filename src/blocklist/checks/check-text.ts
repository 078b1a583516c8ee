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
  const inputs = found.flatMap(({ plain, shorter }) => (shorter === undefined ? plain : [plain, shorter]));
  const verdicts = await checkMany(inputs, options);
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
