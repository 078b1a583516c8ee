import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** A user's mistake, and what the answer to it is when it is made. */
export type Slips = Readonly<Record<string, () => Promise<string>>>;

/**
 * Makes every mistake. None may end in `clear` or in a pass without a word. Together with their answers they are a table of
 * docs/slips.md, in which mistakes with the same answer share a row.
 */
export async function requireAnswers(slips: Slips): Promise<void> {
  const byAnswer = new Map<string, string[]>();
  for (const [slip, made] of Object.entries(slips)) {
    const answer = await made();
    expect(answer, slip).not.toMatch(/`clear`|^$|exit 0: $/);
    byAnswer.set(answer, [...(byAnswer.get(answer) ?? []), slip]);
  }
  const rows = [...byAnswer].map(([answer, same]) => `| ${same.join('<br>')} | ${answer} |`);
  expect(readFileSync('docs/slips.md', 'utf8')).toContain(`| mistake | answer |\n|---|---|\n${rows.join('\n')}\n`);
}
