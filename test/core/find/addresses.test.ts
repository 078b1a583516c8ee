import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import { chains } from '../../../src/core/assets/chains/chains.js';
import { evm } from '../../../src/core/assets/evm.js';
import { createFinder } from '../../../src/core/find/find.js';

/** The public vectors, valid and invalid. */
const rows: readonly { readonly inputs: readonly string[] }[] = JSON.parse(
  readFileSync('test/core/chains/addresses.json', 'utf8'),
);

const assets = createAssets({ families: [chains, evm] });
const findAssets = createFinder(assets);

/** Addresses that are read alone but not found in a text; docs/finding.md §4. */
const notFound = [
  'bc1sw50qgdz25j',
  'BC1SW50QGDZ25J',
  `-1:${'3'.repeat(64)}`,
  'net10086:aaag4wt2mbmbb44sp6szd783ry0jtad5benr1ap5gp',
];

test('nearly all addresses of every chain are found between words and punctuation', () => {
  const spellings = rows.flatMap(({ inputs }) => inputs);
  const addresses = spellings.filter((text) => assets.detectAssets(text)[0]?.type === 'ADDRESS' && !/\s/.test(text));
  expect(addresses.length).toBeGreaterThan(100);
  const missed = addresses.filter((address) => {
    const read = assets.detectAssets(address);
    return [`send to ${address}, now`, `Address:${address}.`, `(${address})`, `“${address}”`, `转到${address}，`].some((text) => {
      const [found, ...others] = findAssets(text);
      // A chain name before an address is not a part of the address: `matic:0x…`.
      const isWhole = found?.text === address || (found !== undefined && address.endsWith(`:${found.text}`));
      return !isWhole || others.length > 0 || JSON.stringify(found?.assets) !== JSON.stringify(read);
    });
  });
  expect(missed.sort()).toEqual(notFound.filter((address) => addresses.includes(address)).sort());
});

test('the letters of Kadena before a colon do not hide what a label names', () => {
  for (const letter of ['c', 'k', 'p', 'u', 'w', 'C', 'P', 'W']) {
    for (const [text, canonical] of [
      ['www.evil.example', 'evil.example'],
      ['https://evil.example/a', 'evil.example/a'],
      ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
      ['0x52908400098527886e0f7030069857d2e4169ee7', '0x52908400098527886e0f7030069857d2e4169ee7'],
    ] as const) {
      const found = findAssets(`Contact: ${letter}:${text} now`);
      expect(found.map(({ assets: [asset] }) => asset?.canonical)).toEqual([canonical]);
    }
  }
});
