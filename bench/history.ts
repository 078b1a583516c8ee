import { readFileSync, writeFileSync } from 'node:fs';
import { type Row, spreadOf } from './question.js';

/** One recorded run: the ratio of ours to each rival, which carries over between machines, by question and row. */
export interface HistoryRecord {
  readonly date: string;
  readonly commit: string | null;
  readonly ratios: Readonly<Record<string, number>>;
}

/** A ratio that is much worse than in the runs before. */
export interface Slower {
  readonly what: string;
  readonly ratio: number;
  readonly median: number;
}

/** The runs that a new one is compared with: enough for a median that one busy machine does not move. */
const comparedRuns = 5;
/** Rounds on a busy machine differ by about this much. */
const tolerance = 1.15;

/** The ratios of some rows, rounded so that the file stays readable. */
export function ratiosOf(question: string, rows: readonly Row[]): Record<string, number> {
  return Object.fromEntries(
    rows.flatMap(({ what, ratio }) => (ratio === undefined ? [] : [[`${question} · ${what}`, rounded(ratio.median)]])),
  );
}

/** The ratios that are more than 15 % above the median of the last five records that have them. All ratios are better when lower. */
export function slowerThan(history: readonly HistoryRecord[], ratios: Readonly<Record<string, number>>): Slower[] {
  return Object.entries(ratios).flatMap(([what, ratio]) => {
    const before = history.flatMap((record) => record.ratios[what] ?? []).slice(-comparedRuns);
    if (before.length === 0) return [];
    const { median } = spreadOf(before);
    return ratio > median * tolerance ? [{ what, ratio, median }] : [];
  });
}

export function readHistory(file: string): HistoryRecord[] {
  return JSON.parse(readFileSync(file, 'utf8')) as HistoryRecord[];
}

/** Writes one ratio a line, so that a difference of two versions shows what changed. */
export function writeHistory(file: string, history: readonly HistoryRecord[]): void {
  writeFileSync(file, `${JSON.stringify(history, null, 2)}\n`);
}

/** A note about each ratio that became worse. */
export function slowerText(slower: readonly Slower[]): string {
  if (slower.length === 0) return '';
  const lines = slower.map(
    ({ what, ratio, median }) =>
      `  ${what}: ${ratio} ×, ${Math.round((ratio / median - 1) * 100)} % worse than ${rounded(median)} ×`,
  );
  return `\nMore than 15 % worse than the median of the last ${comparedRuns} recorded runs:\n${lines.join('\n')}\n`;
}

function rounded(ratio: number): number {
  return Number(ratio.toPrecision(3));
}
