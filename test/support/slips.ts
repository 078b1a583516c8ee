import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** A user's mistake, and what the answer to it is when it is made. */
export type Slips = Readonly<Record<string, () => Promise<string>>>;

/**
 * Makes every mistake. None may end in `clear` or in a pass without a word, and together with their answers they are a table of
 * docs/slips.md.
 */
export async function requireAnswers(slips: Slips): Promise<void> {
  const rows: string[] = [];
  for (const [slip, made] of Object.entries(slips)) {
    const answer = await made();
    expect(answer, slip).not.toMatch(/`clear`|^$|exit 0: $/);
    rows.push(`| ${slip} | ${answer} |`);
  }
  expect(readFileSync('docs/slips.md', 'utf8')).toContain(`| mistake | answer |\n|---|---|\n${rows.join('\n')}\n`);
}
