import type { Question, Row, Spread, Unit } from './question.js';

/** One question: names on the left, figures on the right. A quick run has no verdict. */
export function table({ title, name }: Question, rows: Row[], judge: boolean, ms: number): string {
  const head = ['', 'median', 'min … max', 'ours / this', 'min … max', 'budget', ''];
  const lines = [head, ...rows.map((row) => cellsOf(row, judge))];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const text = lines.map((cells) =>
    cells
      .map((cell, column) => padded(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
  return `\n${title} (${name}, ${(ms / 1_000).toFixed(0)} s)\n${text.join('\n')}\n`;
}

/** A sentence about each budget that was not met. */
export function verdict(missed: Row[]): string {
  if (missed.length === 0) return 'All budgets met.';
  const lines = missed.map(({ what, unit, value, ratio, budget }) => {
    const found = ratio ? `ours / this is ${ratioText(ratio.median)}` : `it is ${valueText(value.median, unit)}`;
    return `  ${what}: the budget is ${budget?.limit}, ${found}`;
  });
  return ['Budgets not met:', ...lines].join('\n');
}

function cellsOf(row: Row, judge: boolean): string[] {
  const met = row.budget && judge ? (row.budget.met ? 'met' : 'NOT MET') : '';
  return [
    row.what,
    valueText(row.value.median, row.unit),
    rangeText(row.value, (value) => valueText(value, '')),
    row.ratio ? ratioText(row.ratio.median) : '',
    row.ratio ? rangeText(row.ratio, ratioText) : '',
    row.budget?.limit ?? '',
    met,
  ];
}

function padded(cell: string, width: number, column: number): string {
  return column === 0 || column >= 5 ? cell.padEnd(width) : cell.padStart(width);
}

function valueText(value: number, unit: Unit): string {
  const digits = value >= 1_000 || Number.isInteger(value) ? 0 : value >= 100 ? 1 : 2;
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text} ${unit}`.trimEnd();
}

function ratioText(ratio: number): string {
  return ratio < 0.1 ? `1/${(1 / ratio).toFixed(ratio < 0.01 ? 0 : 1)}` : `${ratio.toFixed(ratio < 10 ? 3 : 1)} ×`;
}

function rangeText(spread: Spread, text: (value: number) => string): string {
  return spread.samples.length > 1 ? `${text(spread.min)} … ${text(spread.max)}` : '';
}
