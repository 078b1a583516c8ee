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

/** Addresses that are read alone but not found in a text; docs/finding.md §3. */
const notFound = ['bc1sw50qgdz25j', 'BC1SW50QGDZ25J', `-1:${'3'.repeat(64)}`];

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
