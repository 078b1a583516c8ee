import { createHash } from 'node:crypto';
import { base32nopad, base58, base64nopad } from '@scure/base';
import { bech32, bech32m } from 'bech32';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBech32 } from '../../../src/core/assets/chains/bech32.js';
import {
  base32Alphabet,
  crc16,
  digitsOf,
  fromBase58,
  regroup,
  toBase58,
  wordOf,
} from '../../../src/core/assets/chains/chain-bytes.js';
import { blake2bHead, sha512Tail } from '../../../src/core/assets/chains/wide.js';
import { anyString } from '../../support/arbitraries.js';
import { slowCrc16 } from './kinds.js';

const bytes = fc.uint8Array({ maxLength: 100 });

const orNull = <Value>(decode: () => Value): Value | null => {
  try {
    return decode();
  } catch {
    return null;
  }
};

test('BLAKE2b begins as in OpenSSL, for every length up to a block', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 128 }), (message) => {
      expect([...blake2bHead(message)]).toEqual([...createHash('blake2b512').update(message).digest().subarray(0, 2)]);
    }),
  );
});

test('SHA-512/256 ends as in OpenSSL', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (message) => {
      expect([...sha512Tail(message)]).toEqual([...createHash('sha512-256').update(message).digest().subarray(28)]);
    }),
  );
});

test('CRC-16 is the remainder of a division, and XMODEM’s check value', () => {
  expect(crc16(Buffer.from('123456789'))).toBe(0x31c3);
  fc.assert(
    fc.property(bytes, (value) => {
      expect(crc16(value)).toBe(slowCrc16(value));
    }),
  );
});

test('base58 is the library’s, zeros in front and all', () => {
  fc.assert(
    fc.property(fc.nat({ max: 5 }), bytes, (zeros, tail) => {
      const value = Uint8Array.from([...new Uint8Array(zeros), ...tail]);
      const word = base58.encode(value);
      expect(toBase58(value)).toBe(word);
      expect(fromBase58(word)).toEqual(value);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(anyString, fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{0,60}$/)), (word) => {
      expect(fromBase58(word)).toEqual(orNull(() => base58.decode(word)));
    }),
  );
});

test('base32 and base64 are the library’s, and what is left over is zero', () => {
  const decode = (word: string, alphabet: string, bits: number): Uint8Array | null => {
    const digits = digitsOf(word, alphabet);
    return digits === null ? null : regroup(digits, bits, 8);
  };
  const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  fc.assert(
    fc.property(bytes, (value) => {
      expect(wordOf(regroup(value, 8, 5)!, base32Alphabet)).toBe(base32nopad.encode(value));
      expect(decode(base32nopad.encode(value), base32Alphabet, 5)).toEqual(value);
      expect(decode(base64nopad.encode(value), base64Alphabet, 6)).toEqual(value);
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z2-7]{0,20}$/), (word) => {
      expect(decode(word, base32Alphabet, 5)).toEqual(orNull(() => base32nopad.decode(word)));
    }),
  );
});

test('bech32 and bech32m are told apart and read as by the library', () => {
  const byLibrary = (word: string) => {
    const [first, second] = [bech32, bech32m].map((codec) => codec.decodeUnsafe(word, 1000));
    const read = first ?? second;
    return read === undefined
      ? null
      : { prefix: read.prefix, digits: Uint8Array.from(read.words), isModified: first === undefined };
  };
  const words = fc.array(fc.nat({ max: 31 }), { maxLength: 60 });
  const prefix = fc.stringMatching(/^[!-@[-~]{1,12}$/);
  const valid = fc
    .tuple(prefix, words, fc.constantFrom(bech32, bech32m), fc.boolean())
    .map(([name, data, codec, isUpper]) => [codec.encode(name, data, 1000), isUpper] as const)
    .map(([word, isUpper]) => (isUpper ? word.toUpperCase() : word));
  const damaged = fc.tuple(valid, fc.nat(), fc.stringMatching(/^[ -~]$/)).map(([word, at, letter]) => {
    const place = at % word.length;
    return word.slice(0, place) + letter + word.slice(place + 1);
  });
  fc.assert(
    fc.property(valid, (word) => {
      expect(fromBech32(word)).toEqual(byLibrary(word));
      expect(fromBech32(word)).not.toBeNull();
    }),
  );
  fc.assert(
    fc.property(damaged, (word) => {
      expect(fromBech32(word)).toEqual(byLibrary(word));
    }),
  );
});
