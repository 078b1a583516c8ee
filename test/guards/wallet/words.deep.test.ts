import { evm } from 'portcullis/core';
import { createLightBlocklist } from 'portcullis/light';
import type { Source } from 'portcullis/sources';
import { guardProvider } from 'portcullis/wallet';
import { concat, type Hex, hexToBytes, pad } from 'viem';
import { expect, test } from 'vitest';
import { PrefixSet } from '../../../src/core/prefixes/prefix-set.js';
import { addressesIn } from '../../../src/guards/wallet/word-scanner.js';
import { account, clean, origin } from './guard-world.js';

const listSize = 1_000_000;

/** The same numbers in each run, spread evenly over 32 bits. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
}

const next = numbers(7);
const randomAddress = (): Hex => `0x${Array.from({ length: 5 }, () => next().toString(16).padStart(8, '0')).join('')}`;
/** Half addresses, half amounts, as the calldata of a long batch has. */
const calldata = (bytes: number): Hex =>
  concat([
    '0x12345678',
    ...Array.from({ length: Math.floor((bytes - 4) / 64) }, () => [pad(randomAddress()), pad('0x0de0b6b3a7640000')]).flat(),
  ]);

/** A million prefixes that nothing is behind, so that each hit is a false one. */
function fullList(): Source & { asked: number[] } {
  const entries = PrefixSet.from(Array.from({ length: listSize }, numbers(1)));
  const asked: number[] = [];
  return {
    id: 'million',
    asked,
    version: async () => ({ algoVersion: 'portcullis-1', snapshot: { token: 'a', count: listSize } }),
    artifact: async () => ({ entries, isProven: true }),
    confirm: async (prefixes) => {
      asked.push(prefixes.length);
      return { hashes: new Map(prefixes.map((prefix) => [prefix, []])) };
    },
  } as Source & { asked: number[] };
}

const sizes = [1_024, 16_384, 131_072];

test('words of calldata as large as nodes accept are found and looked up in bounded time, with few false hits', async () => {
  const rows: string[] = [];
  const source = fullList();
  const blocklist = createLightBlocklist({ source, families: [evm], pollMs: 0 });
  await blocklist.ready();
  for (const screensPacked of [false, true]) {
    for (const size of sizes) {
      let words = 0;
      let scanMs = Number.POSITIVE_INFINITY;
      let lookMs = Number.POSITIVE_INFINITY;
      let hits = 0;
      let questions = 0;
      let looked = 0;
      const rounds = size > 100_000 ? 10 : 40;
      for (let round = 0; round < rounds; round++) {
        const data = calldata(size);
        const bytes = hexToBytes(data).subarray(4);
        let startMs = performance.now();
        words = new Set(addressesIn(bytes, screensPacked)).size;
        scanMs = Math.min(scanMs, performance.now() - startMs);
        source.asked.length = 0;
        let answer = '';
        const provider = guardProvider(
          { request: async ({ method }) => (method === 'eth_getCode' ? '0x6080' : 'sent') },
          {
            blocklist,
            origin,
            screensPacked,
            decide: ({ status }) => {
              answer = status;
              return 'reject';
            },
          },
        );
        startMs = performance.now();
        const sent = await provider
          .request({ method: 'eth_sendTransaction', params: [{ from: account, to: clean, data }] })
          .catch(() => 'rejected');
        lookMs = Math.min(lookMs, performance.now() - startMs);
        expect(sent === 'sent' || answer === 'undecided').toBe(true);
        expect(sent === 'sent').toBe(words <= 8_192);
        looked += Math.min(words, 8_192);
        hits += source.asked.reduce((sum, count) => sum + count, 0);
        questions += source.asked.length;
      }
      const expected = (looked * listSize) / 2 ** 32;
      rows.push(
        `${screensPacked ? 'packed' : 'words'} ${size} bytes: ${words} words, scan ${scanMs.toFixed(2)} ms, request ${lookMs.toFixed(1)} ms, ` +
          `${(hits / rounds).toFixed(2)} false hits in ${(questions / rounds).toFixed(2)} questions, expected ${(expected / rounds).toFixed(2)}`,
      );
      // Five times the standard deviation of a count, and one for small counts.
      expect(Math.abs(hits - expected)).toBeLessThan(5 * Math.sqrt(expected) + 5);
      expect(scanMs).toBeLessThan(5_000);
    }
  }
  await blocklist.close();
  console.log(rows.join('\n'));
});
