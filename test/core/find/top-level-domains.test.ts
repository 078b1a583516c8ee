import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isTopLevelDomain } from '../../../src/core/find/top-level-domains.js';
import { hashFile, neverListed, others, topLevelDomains } from '../../../tools/top-level-list.js';

test('the hashes match the installed public suffix list', () => {
  expect(readFileSync('src/core/find/top-level-hashes.ts', 'utf8'), 'run npm run make:domains').toBe(hashFile());
});

test('knows every top-level domain, in Unicode and in Punycode', () => {
  const all = [...topLevelDomains(), ...others];
  expect(all.length).toBeGreaterThan(1400);
  for (const label of 'com org рф 中国 みんな السعودية google'.split(' ')) expect(all).toContain(label);
  expect(all.filter((label) => !isTopLevelDomain(label))).toEqual([]);
  expect(isTopLevelDomain('xn--p1ai')).toBe(true);
  expect(['0', '0-0', 'rc1', 'com-x'].filter(isTopLevelDomain)).toEqual([]);
});

test('accepts no frequent word, no two letters that are not a top-level domain, and few other words', () => {
  const all = new Set([...topLevelDomains(), ...others]);
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  expect([...neverListed, ...pairs].filter((label) => !all.has(label) && isTopLevelDomain(label))).toEqual([]);
  const words = Array.from(
    { length: 50_000 },
    (_, at) => `w${at.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)}`,
  );
  expect(words.filter(isTopLevelDomain).length / words.length).toBeLessThan(1 / 200);
});
