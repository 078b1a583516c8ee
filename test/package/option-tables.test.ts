import { expect, test } from 'vitest';
import { optionTables } from '../../tools/option-tables.js';

test('the tables of options in the guides are those of the code', () => {
  const tables = optionTables();
  expect(tables.length).toBeGreaterThan(0);
  for (const { file, text, made } of tables) expect(text, `${file}: run npm run docs:options`).toBe(made);
});
