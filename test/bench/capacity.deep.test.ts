import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sizesOf } from '../../bench/capacity-sizes.js';
import { capacityMarks, capacityTables, measuredSizes } from '../../tools/capacity-tables.js';

test('docs/capacity.md has the tables of the simulation', async () => {
  const page = await readFile(new URL('../../docs/capacity.md', import.meta.url), 'utf8');
  expect(page, 'run npm run docs:capacity').toContain(`${capacityMarks[0]}\n\n${capacityTables()}\n${capacityMarks[1]}`);
});

test('the recorded sizes are those that the library encodes', async () => {
  const [smallest] = measuredSizes();
  expect(await sizesOf(smallest!.count), 'run npm run docs:capacity -- --measure').toEqual(smallest);
});
