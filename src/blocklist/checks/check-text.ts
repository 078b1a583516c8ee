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
  const verdicts = await checkMany(
    found.map(({ plain }) => plain),
    options,
  );
  const pieces = found.map((piece, at): CheckedPiece => ({ ...piece, verdict: verdicts[at]! }));
  const actions = verdicts.map(({ action }) => action);
  return { action: (['block', 'warn'] as const).find((action) => actions.includes(action)) ?? 'allow', pieces };
}
