import { blake2b } from '@noble/hashes/blake2.js';
import { base32nopad, base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import { chains, solana } from '../../../src/core/assets/chains/chains.js';
import { evm } from '../../../src/core/assets/evm.js';
import { bytes, hex, join } from './kind.js';

const { detectAssets, normalizeAsset } = createAssets({ families: [chains, evm] });

const account = bytes(20);
const address = (value: Uint8Array) => ({ type: 'ADDRESS', canonical: `0x${hex(value)}` });

/** ISO 13616: check digits for which the whole number, with each letter as two digits, has the remainder 1 when divided by 97. */
const icap = (value: Uint8Array): string => {
  const bban = BigInt(`0x${hex(value)}`)
    .toString(36)
    .toUpperCase()
    .padStart(30, '0');
  const digits = `${bban}XE00`.replace(/[A-Z]/g, (letter) => String(Number.parseInt(letter, 36)));
  return `XE${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${bban}`;
};

describe('ICAP', () => {
  test('is read as the account it spells', () => {
    // The example of the specification.
    expect(detectAssets('XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS')).toEqual([
      { type: 'ADDRESS', canonical: '0x00c5496aee77c1ba1f0854206a26dda82a81d6d8' },
    ]);
    fc.assert(
      fc.property(account, fc.nat({ max: 20 }), (value, zeros) => {
        value.fill(0, 0, zeros);
        for (const text of [icap(value), icap(value).toLowerCase(), `iban:${icap(value)}`, `ethereum:${icap(value)}?amount=1`])
          expect(normalizeAsset(text), text).toEqual(address(value));
      }),
    );
  });

  test('is not read in mixed case, in which an address of Dash may have its form and its checksum', () => {
    const canonical = 'Xe97Bh38Eq8ij9JjH5B3iVp4o2FgQB7rGg';
    expect(normalizeAsset(canonical)).toEqual({ type: 'ADDRESS', canonical });
  });

  test('is not read with one digit or letter changed', () => {
    fc.assert(
      fc.property(account, (value) => {
        const text = icap(value);
        for (let at = 2; at < text.length; at++) {
          const same = /\d/.test(text[at]!) ? '0123456789' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
          for (const other of same) {
            const mistaken = text.slice(0, at) + other + text.slice(at + 1);
            if (other !== text[at]) expect(normalizeAsset(mistaken), mistaken).toHaveProperty('refused');
          }
        }
      }),
      { numRuns: 5 },
    );
  });

  test('is not read for more than 20 bytes or for a name in a registry', () => {
    const tooLarge = icap(Uint8Array.from([1, ...new Uint8Array(20)]));
    expect(tooLarge).toHaveLength(35);
    expect(normalizeAsset(tooLarge)).toHaveProperty('refused');
    expect(normalizeAsset('XE81ETHXREGGAVOFYORK')).toHaveProperty('refused');
  });
});

describe('forty bare digits', () => {
  test.each(['eip155:1', 'eip155', 'evm', 'ethereum', 'ETH', 'matic', 'polygon', 'base', 'bnb', 'ronin', 'xdc'])(
    'are an account with the hint %s',
    (chain) => {
      fc.assert(
        fc.property(account, (value) => {
          for (const digits of [hex(value), hex(value).toUpperCase()]) {
            expect(normalizeAsset(digits, { chain })).toEqual(address(value));
            expect(normalizeAsset(`${chain}:${digits}`)).toEqual(address(value));
            expect(normalizeAsset(`0x${digits}`, { chain })).toEqual(address(value));
          }
        }),
        { numRuns: 20 },
      );
    },
  );

  test.each([undefined, 'bitcoin', 'near', 'no such chain', 'sui'])('are not an EVM account with the hint %s', (chain) => {
    expect(normalizeAsset('52908400098527886e0f7030069857d2e4169ee7', { type: 'ADDRESS', chain })).toEqual(
      chain === 'near' ? { type: 'ADDRESS', canonical: '52908400098527886e0f7030069857d2e4169ee7' } : { refused: 'unknown' },
    );
  });

  test('are not an account if there are 39 or 41, or after the name of another kind', () => {
    for (const text of ['a'.repeat(39), 'a'.repeat(41), `git:${'a'.repeat(40)}`, `bitcoin:${'a'.repeat(40)}`])
      expect(normalizeAsset(text)).toHaveProperty('refused');
    expect(normalizeAsset('a'.repeat(41), { chain: 'eth' })).toHaveProperty('refused');
  });
});

test('the XDC form is never a Solana account', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^xdc[1-9a-f]{40}$/), fc.boolean(), (text, isUpper) => {
      const digits = isUpper ? text.slice(3).toUpperCase() : text.slice(3);
      expect(solana.read({ text: `xdc${digits}`, hint: {} })).toEqual([]);
      expect(detectAssets(`xdc${digits}`)).toEqual([{ type: 'ADDRESS', canonical: `0x${text.slice(3)}` }]);
    }),
  );
});

test('a Filecoin f4 address with the namespace of EVM is read as the EVM account', () => {
  // The zero account, as Filecoin wallets write it.
  expect(detectAssets('f410faaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaonc6iji')).toEqual([address(new Uint8Array(20))]);
  fc.assert(
    fc.property(account, fc.constantFrom('f', 't'), fc.nat({ max: 38 }), (value, network, at) => {
      const sum = blake2b(join([4, 10], value), { dkLen: 4 });
      const digits = base32nopad.encode(join(value, sum)).toLowerCase();
      expect(detectAssets(`${network}410f${digits}`)).toEqual([address(value)]);
      const other = digits[at] === 'q' ? 'r' : 'q';
      expect(detectAssets(`${network}410f${digits.slice(0, at)}${other}${digits.slice(at + 1)}`)).toEqual([]);
    }),
  );
});

/** Addresses that docs/algorithm.md §7 distinguishes from keys. */
describe('an account that is as long as a key', () => {
  const read = (text: string): string | undefined => chains.read({ text, hint: {} })[0]?.canonical;

  test('is read for Ergo only with its checksum, and a key is not read', () => {
    // These addresses are published by other implementations.
    for (const text of [
      '9hrokSGy55auFwuRUfYvcmUVAAJwTc5e9EHfGmrzDU6yCke6wQK',
      '9f4T5LJVyibM41bU7Vfrz6FmYbg1jeahHFzkzTbhvsHHRZQFhKX',
    ])
      expect(read(text)).toBe(text);
    fc.assert(
      fc.property(bytes(32), fc.constantFrom(2, 3), fc.nat({ max: 50 }), (key, parity, at) => {
        const body = join([1, parity], key);
        const text = base58.encode(join(body, blake2b(body, { dkLen: 32 }).subarray(0, 4)));
        expect(text).toMatch(/^9[e-i].{49}$/);
        expect(read(text)).toBe(text);
        expect(read(text.slice(0, at) + (text[at] === 'z' ? 'y' : 'z') + text.slice(at + 1))).toBeUndefined();
        // Uncompressed private keys of Bitcoin's test network also begin with 9.
        expect(base58.encode(join([0xef], key, new Uint8Array(4)))).toMatch(/^9[1-3].{49}$/);
      }),
    );
  });

  test('is read for Filecoin f3 only with its checksum', () => {
    fc.assert(
      fc.property(bytes(48), fc.nat({ max: 83 }), (key, at) => {
        const digits = base32nopad.encode(join(key, blake2b(join([3], key), { dkLen: 4 }))).toLowerCase();
        expect(read(`t3${digits}`)).toBe(`f3${digits}`);
        expect(read(`f3${digits.slice(0, at)}${digits[at] === 'q' ? 'r' : 'q'}${digits.slice(at + 1)}`)).toBeUndefined();
      }),
    );
  });
});
