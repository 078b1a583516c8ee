import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assetTypePage } from '../../../tools/asset-type-page.js';

test('docs/asset-types.md matches the tables', () => {
  const page = readFileSync('docs/asset-types.md', 'utf8');
  expect(page, 'run npm run docs:assets').toBe(assetTypePage());
  expect(page).toContain('`TWITTER`, `FACEBOOK`');
});
