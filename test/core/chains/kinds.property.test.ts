import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import type { AssetHint } from '../../../src/core/assets/asset.js';
import * as families from '../../../src/core/assets/chains/chains.js';
import { chains, polkadot, solana } from '../../../src/core/assets/chains/chains.js';
import { evm } from '../../../src/core/assets/evm.js';
import { anyString } from '../../support/arbitraries.js';
import { expectLinearTime } from '../../support/growth.js';
import { propertyRuns } from '../../support/setup.js';
import { kinds } from './kinds.js';

const { normalizeAsset, expressionsOf } = createAssets({ families: [chains, evm] });

const read = (text: string, hint: AssetHint = {}): string | undefined => chains.read({ text, hint })[0]?.canonical;

/** Replaces every letter by every other letter: two thousand mistakes per address. */
const mistakenRuns = Math.max(2, Math.ceil(propertyRuns / 50));

describe.each(kinds)('$name', ({ account, letters, labelLength = 0, checksumBits }) => {
  test('is one account in every spelling', () => {
    fc.assert(
      fc.property(account, ({ canonical, spellings, chain }) => {
        for (const spelling of spellings) {
          expect(normalizeAsset(spelling, chain === undefined ? {} : { chain }), spelling).toEqual({
            type: 'ADDRESS',
            canonical,
          });
        }
      }),
    );
  });

  test('is the same account in every family that reads it', () => {
    fc.assert(
      fc.property(account, ({ canonical, spellings, chain }) => {
        for (const text of spellings) {
          const hint = chain === undefined ? {} : { chain };
          for (const [name, family] of Object.entries(families)) {
            // Any 32 to 44 letters can be a Solana account, also those of a short bech32 address. One base58 text in 65,536 has the checksum
            // of Polkadot's, and numbers that begin with 0x41 can be accounts of Tron.
            if (family === solana || family === polkadot || /^0x41[\da-f]{40}$/i.test(text)) continue;
            for (const found of family.read({ text, hint })) expect(found.canonical, `${name}: ${text}`).toBe(canonical);
          }
        }
      }),
    );
  });

  test('reads its own canonical form, which is the listed one', () => {
    fc.assert(
      fc.property(account, ({ canonical, chain }) => {
        expect(read(canonical, chain === undefined ? {} : { chain })).toBe(canonical);
        expect([canonical, undefined]).toContain(read(canonical, { type: 'ADDRESS' }));
        expect(expressionsOf({ type: 'ADDRESS', canonical })).toEqual([`address:${canonical}`]);
      }),
    );
  });

  test('is the same after a URI or CAIP-10 prefix, and before a query', () => {
    fc.assert(
      fc.property(account, ({ canonical, spellings, chain }) => {
        const hint = chain === undefined ? {} : { chain };
        const plain = spellings[0]!;
        const named = plain.includes(':') ? [] : [`a:b-1:${plain}`, `a://${plain}?amount=1&label=x`, `a:pay/${plain}#x`];
        for (const text of [`${plain}?amount=1`, `${plain}#a`, ...named]) expect(read(text, hint), text).toBe(canonical);
      }),
    );
  });

  // Without a checksum, a changed letter gives another account.
  if (letters === undefined) return;
  test('is not an address with one letter changed', () => {
    let mistakes = 0;
    let accepted = 0;
    fc.assert(
      fc.property(account, ({ spellings, chain }) => {
        const spelling = spellings[0]!;
        const start = spelling.indexOf(':') + 1 + labelLength;
        for (let at = start; at < spelling.length; at++) {
          for (const letter of letters!) {
            if (letter === spelling[at]) continue;
            const mistaken = spelling.slice(0, at) + letter + spelling.slice(at + 1);
            // Filecoin's networks differ in one letter.
            if (spellings.includes(mistaken)) continue;
            mistakes++;
            // Any 43 letters can be a Solana account, which has no checksum. Rejecting one would be a way around a list.
            if (read(mistaken, { chain }) !== undefined && solana.read({ text: mistaken, hint: {} }).length === 0) accepted++;
          }
        }
      }),
      { numRuns: mistakenRuns },
    );
    // A checksum of two bytes misses one mistake in 65,536; ten times as many would mean that it is not checked.
    expect(mistakes).toBeGreaterThan(1000);
    expect(accepted).toBeLessThanOrEqual(checksumBits === 16 ? 4 + (10 * mistakes) / 2 ** 16 : 0);
  });
});

describe('any text', () => {
  const chain = fc.constantFrom(
    ...[undefined, 'bch', 'ltc', 'near', 'sui', 'starknet', 'hedera', 'bitcoin', 'no such chain'],
    ...['eip155:1', 'xec', 'icp', 'fil', 'eos', 'wax', 'ar', 'flow', 'kadena'],
  );
  const spelling = fc.oneof(...kinds.map((kind) => kind.account)).map(({ spellings }) => spellings[spellings.length - 1]!);
  const damaged = fc
    .tuple(spelling, fc.nat(), fc.nat({ max: 3 }), anyString)
    .map(([text, at, length, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + length));

  test('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyString, damaged), chain, (text, name) => {
        const canonical = read(text, { chain: name });
        if (canonical === undefined) return;
        expect(canonical).toMatch(/^[!-~]+$/);
        expect([canonical, undefined]).toContain(read(canonical, { type: 'ADDRESS' }));
        expect(read(canonical, { chain: name })).toBe(canonical);
      }),
    );
  });

  test('is not read with a hint of another type', () => {
    fc.assert(
      fc.property(spelling, (text) => {
        expect(read(text, { type: 'EMAIL' })).toBeUndefined();
      }),
    );
  });

  test('is read by its structure with an unknown hint', () => {
    fc.assert(
      fc.property(spelling, fc.oneof(anyString, fc.constantFrom('constructor', 'bitcoin', 'solana:x', 'yz')), (text, name) => {
        fc.pre(
          !/^(?:a|bitcoin-?cash|bch|bip122|e|fil|flow|hedera|hbar|i|kadena|kda|litecoin|ltc|near|starknet|strk|sui|t|wax|x)/i.test(
            name,
          ),
        );
        expect(read(text, { chain: name })).toBe(read(text));
      }),
    );
  });
});

describe('a long text', () => {
  test.each([
    ['letters', 'a'],
    ['digits', '1'],
    ['colons', ':'],
    ['slashes', '/'],
    ['names', 'bitcoin:'],
    ['TON', '0:'],
    ['dots', '0.0.'],
    ['hyphens', '-a'],
    ['fields of Conflux', 'cfx:a.b:'],
    ['Kadena', 'u:a.b:'],
    ['bech32m with an underscore', 'a_rdx1q'],
    ['addresses', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4:'],
    ['queries', '?'],
  ])('takes time in proportion to its length: %s', (_, part) => {
    expectLinearTime(
      (text) => {
        for (const name of [undefined, 'near', 'hedera']) {
          read(text, { chain: name });
          read(`bitcoin:${text}`, { chain: name });
          read(`a:b/c:d:${text}`, { chain: name });
        }
      },
      (size) => part.repeat(size / part.length),
    );
  });

  test('is a query if it follows an address', () => {
    expect(read(`bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?label=${'x'.repeat(2 ** 20)}`)).toBe(
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    );
  });
});
