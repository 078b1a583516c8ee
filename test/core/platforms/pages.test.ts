import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { algorithmTables } from '../../../tools/algorithm-tables.js';
import { assetTypePage } from '../../../tools/asset-type-page.js';

test('docs/asset-types.md matches the tables', () => {
  const page = readFileSync('docs/asset-types.md', 'utf8');
  expect(page, 'run npm run docs:assets').toBe(assetTypePage());
  expect(page).toContain('`TWITTER`, `FACEBOOK`');
});

test.each([...algorithmTables()])('%s matches the tables', (path, text) => {
  expect(readFileSync(path, 'utf8'), 'run npm run docs:assets').toBe(text);
  expect((JSON.parse(text) as { rows: unknown[] }).rows.length).toBeGreaterThan(2);
});
