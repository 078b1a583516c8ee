import { readFileSync } from 'node:fs';
import { detectAssets } from 'portcullis/assets';
import { expect, test } from 'vitest';

/** Links as people share them, with the assets that they name; written independently of the rules and the examples. */
const links = readFileSync('test/core/platforms/links.txt', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('# '))
  .map((line) => line.split(' => ') as [link: string, expected: string]);

const named = (link: string): string => {
  const assets = detectAssets(link).filter(({ type }) => type !== 'URL' && type !== 'PAGE');
  return [...new Set(assets.map(({ canonical }) => canonical))].join(', ') || '-';
};

test('names the account, the work or the address of a shared link, and nothing for a link that has none', () => {
  expect(links.filter(([, expected]) => expected === '-').length).toBeGreaterThan(200);
  expect(links.filter(([, expected]) => expected !== '-').length).toBeGreaterThan(250);
  expect(links.map(([link]) => `${link} => ${named(link)}`)).toEqual(links.map(([link, expected]) => `${link} => ${expected}`));
});
