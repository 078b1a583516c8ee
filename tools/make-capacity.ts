/**
 * Writes the tables of docs/capacity.md.
 *
 *   tsx tools/make-capacity.ts [--measure]
 *
 * `--measure` first encodes lists of each size again.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { type Sizes, sizesOf } from '../bench/capacity-sizes.js';
import { capacityMarks, capacityTables } from './capacity-tables.js';

const page = new URL('../docs/capacity.md', import.meta.url);

if (process.argv.includes('--measure')) {
  const sizes: Sizes[] = [];
  for (const count of [100_000, 1_000_000, 10_000_000]) sizes.push(await sizesOf(count));
  const lines = sizes.map((size) => `  ${JSON.stringify(size)}`).join(',\n');
  await writeFile(new URL('../bench/capacity.json', import.meta.url), `[\n${lines}\n]\n`);
}
const [start, end] = capacityMarks;
const text = await readFile(page, 'utf8');
const [before, after] = [text.slice(0, text.indexOf(start) + start.length), text.slice(text.indexOf(end))];
await writeFile(page, `${before}\n\n${capacityTables()}\n${after}`);
