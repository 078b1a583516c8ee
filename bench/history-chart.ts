import type { HistoryRecord } from './history.js';

/** The ratios shown, of those in the history: what users wait for and what they store. */
const headlines: readonly { readonly label: string; readonly row: string }[] = [
  { label: 'check of a link, 1M listed, to new URL()', row: 'checks · link, 1M listed: new URL(text)' },
  {
    label: '… to new URL() and a Set of hosts',
    row: 'checks · link, 1M listed: new URL(text).hostname, each suffix in a Set<string>',
  },
  { label: 'check of an EVM address, to new URL()', row: "checks · EVM address: new URL('https://example.com/')" },
  { label: 'first verdict from files, 1M, to reading natively', row: 'load · 1M: every file read and digested, first time' },
  { label: 'file of links, to grep -F -f', row: 'screen · 1M lines, 1M listed: grep -F -f, a plain list of hosts' },
  { label: 'check --list, to node -e 0', row: 'start · portcullis check --list list.txt evil.example: node -e 0' },
  { label: 'check --local, to node -e 0', row: 'start · portcullis check --local evil.example: node -e 0' },
  { label: 'a call of the client, to undici', row: 'call · one at a time: undici.request' },
];

const [width, rowHeight, top] = [760, 44, 40];
const [plotLeft, plotRight, plotHeight] = [370, 650, 30];

/** One line for each headline, each with its own scale from zero. */
export function historyChart(history: readonly HistoryRecord[]): string {
  const shown = headlines.filter(({ row }) => history.some(({ ratios }) => ratios[row] !== undefined));
  const height = top + shown.length * rowHeight + 12;
  const rows = shown.map(({ label, row }, at) => rowOf(history, label, row, top + at * rowHeight));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>Recorded benchmark ratios over time; lower is better</title>
<style>
svg { color: #26231e; font: 13px system-ui, sans-serif } .back { fill: #fbfaf7; stroke: #d9d5cc }
.line { fill: none; stroke: #0f5f5c; stroke-width: 1.5 } .dot { fill: #0f5f5c } .base { stroke: #d9d5cc } text { fill: currentColor }
@media (prefers-color-scheme: dark) {
svg { color: #e4e2dc } .back { fill: #15181a; stroke: #363c40 } .line { stroke: #6cc4bf } .dot { fill: #6cc4bf } .base { stroke: #363c40 } }
</style>
<rect class="back" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<text x="20" y="26" font-weight="600">${headingOf(history)}</text>
${rows.join('\n')}
</svg>
`;
}

function headingOf(history: readonly HistoryRecord[]): string {
  const [first, last] = [history[0]?.date.slice(0, 10), history.at(-1)?.date.slice(0, 10)];
  const runs = history.length === 1 ? '1 run' : `${history.length} runs`;
  return `Ours / rival, lower is better: ${runs}, ${first === last ? first : `${first} to ${last}`}`;
}

function rowOf(history: readonly HistoryRecord[], label: string, row: string, y: number): string {
  const step = (plotRight - plotLeft) / Math.max(1, history.length - 1);
  const base = y + 36;
  const values = history.flatMap(({ ratios }, at) => (ratios[row] === undefined ? [] : [{ at, ratio: ratios[row] }]));
  const most = Math.max(...values.map(({ ratio }) => ratio));
  const points = values.map(
    ({ at, ratio }) => `${(plotLeft + at * step).toFixed(1)},${(base - (ratio / most) * plotHeight).toFixed(1)}`,
  );
  const dots = points.map((point) => `<circle class="dot" r="2.5" cx="${point.split(',')[0]}" cy="${point.split(',')[1]}"/>`);
  const last = values.at(-1)!.ratio;
  return `<text x="20" y="${y + 28}">${escaped(label)}</text><path class="base" d="M${plotLeft} ${base}H${plotRight}"/>${
    points.length > 1 ? `<polyline class="line" points="${points.join(' ')}"/>` : ''
  }${dots.join('')}<text x="${width - 20}" y="${y + 28}" text-anchor="end" font-weight="600">${last} ×</text>`;
}

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
