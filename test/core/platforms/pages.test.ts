import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assetTypePage, withAssetTable } from '../../../tools/asset-type-page.js';

test('docs/asset-types.md matches the tables', () => {
  expect(readFileSync('docs/asset-types.md', 'utf8'), 'run npm run docs:assets').toBe(assetTypePage());
});

test('the table of types in the README matches the tables', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(withAssetTable(readme), 'run npm run docs:assets').toBe(readme);
  expect(readme).toContain('`TWITTER`');
});
