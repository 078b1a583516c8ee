import { readFileSync } from 'node:fs';
import { UsageError } from '../errors/usage.js';
import { aligned, wrap } from './help.js';

/** Sections of the documentation, which is part of the package. */
const topics: Readonly<Record<string, readonly [page: string, section: string]>> = {
  'exit-codes': ['command-line.md', 'Exit codes'],
  output: ['command-line.md', 'Conventions'],
  lists: ['command-line.md', 'Where the list comes from'],
  environment: ['command-line.md', 'Environment'],
  reasons: ['verdicts.md', 'Reasons'],
  policies: ['verdicts.md', 'Which policy'],
};

export const topicNames: readonly string[] = Object.keys(topics);

export function topicText(name: string, columns: number): string | undefined {
  if (!Object.hasOwn(topics, name)) return undefined;
  const [page, section] = topics[name]!;
  const [, marks, text = ''] = new RegExp(`\\n(##+) ${section}\\n([\\s\\S]*)`).exec(pageText(page)) ?? [];
  if (marks === undefined) throw new Error(`docs/${page} has no section "${section}"`);
  // The section ends at the next heading of its level or above.
  const [own = ''] = text.split(new RegExp(`\\n#{1,${marks.length}} `));
  const body = blocksOf(own).map((block) => shownBlock(block, columns));
  return `${[section, ...body].join('\n\n')}\n\n${wrap(`See also docs/${page}.`, columns, '')}\n`;
}

function pageText(page: string): string {
  for (const up of ['..', '../..', '../../..', '../../../..']) {
    try {
      return readFileSync(new URL(`${up}/docs/${page}`, import.meta.url), 'utf8');
    } catch {
      // Tries the next folder: the file may be built or not.
    }
  }
  throw new UsageError(`docs/${page} of this package is not installed`, 'see the documentation of portcullis');
}

function blocksOf(markdown: string): string[] {
  return markdown.split(/\n{2,}/).filter((block) => block.trim() !== '');
}

/** The Markdown of our own pages as text: fences, tables, lists and paragraphs. */
function shownBlock(block: string, columns: number): string {
  const lines = block.trim().split('\n');
  if (lines[0]!.startsWith('```'))
    return lines
      .slice(1, -1)
      .map((line) => `  ${line}`)
      .join('\n');
  if (lines[0]!.startsWith('|')) return tableText(lines, columns);
  // A line that begins an item or none continues the one before.
  const items = block.trim().split(/\n(?=[*-] )/);
  return items
    .map((item) => {
      const isItem = /^[*-] /.test(item);
      const text = withoutMarkup(item.replace(/^[*-] /, '').replace(/\n\s*/g, ' '));
      return isItem ? `  * ${wrap(text, columns, '    ').trimStart()}` : wrap(text, columns, '');
    })
    .join('\n');
}

/** A cell such as "yes" says nothing without the title of its column; a sentence does. */
const maxNamed = 20;

function tableText(lines: readonly string[], columns: number): string {
  const rows = lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => withoutMarkup(cell.trim())),
  );
  const [titles = [], , ...body] = rows;
  const isNamed = titles.map((_, at) => at > 1 && body.every((cells) => cells[at]!.length <= maxNamed));
  const shown = titles.filter(Boolean).length > 1 ? [titles, ...body] : body;
  const entries = shown.map(([head = '', ...cells], row) => {
    const text = cells.filter((cell, at) => cell !== '' && !isNamed[at + 1]).join(': ');
    const named = cells.flatMap((cell, at) =>
      row > 0 && cell !== '' && isNamed[at + 1] ? [`; ${titles[at + 1]}: ${cell}`] : [],
    );
    return [head, text + named.join('')] as const;
  });
  return aligned(entries, columns).join('\n');
}

/** Text without marks. Of a link only the words stay, because its target is beside the page it is on. */
function withoutMarkup(text: string): string {
  return text
    .replace(/\[([^[\]]*)\]\([^()[]*\)/g, '$1')
    .replace(/\*\*|`/g, '')
    .replace(/\\([|\\])/g, '$1');
}
