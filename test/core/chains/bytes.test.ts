import { createHash } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { type BytesCoder, base16, base32nopad, base36, base58, base64urlnopad } from '@scure/base';
import { bech32, bech32m } from 'bech32';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc16 } from '../../../src/core/assets/chains/chain-bytes.js';
import { blake2bHead, keccakHead, sha512Tail } from '../../../src/core/assets/chains/wide.js';
import {
  base16Alphabet,
  base32Alphabet,
  base36Alphabet,
  base58Alphabet,
  base64UrlAlphabet,
  fromBase,
  fromBits,
  regroup,
  toBase,
  wordOf,
} from '../../../src/core/assets/codecs/bases.js';
import { fromBech32, toBech32 } from '../../../src/core/assets/codecs/bech32.js';
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

test('the first bytes of BLAKE2b match OpenSSL for every length up to a block', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 128 }), (message) => {
      const hash = createHash('blake2b512').update(message).digest();
      expect([...blake2bHead(message, 64, 8)]).toEqual([...hash.subarray(0, 8)]);
      expect([...blake2bHead(message, 64, 2)]).toEqual([...hash.subarray(0, 2)]);
    }),
  );
});

test('a shorter BLAKE2b matches @noble/hashes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 128 }), fc.constantFrom(4, 5, 32), (message, length) => {
      expect([...blake2bHead(message, length, 4)]).toEqual([...blake2b(message, { dkLen: length }).subarray(0, 4)]);
    }),
  );
});

test('the first bytes of Keccak-256 match @noble/hashes for every length below a block', () => {
  expect(Buffer.from(keccakHead(new Uint8Array())).toString('hex')).toBe('c5d24601');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 135 }), (message) => {
      expect([...keccakHead(message)]).toEqual([...keccak_256(message).subarray(0, 4)]);
    }),
  );
});

test('the last bytes of SHA-512/256 match OpenSSL', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (message) => {
      expect([...sha512Tail(message)]).toEqual([...createHash('sha512-256').update(message).digest().subarray(28)]);
    }),
  );
});

test('CRC-16 is the remainder of a division, and gives the check value of XMODEM', () => {
  expect(crc16(Buffer.from('123456789'))).toBe(0x31c3);
  fc.assert(
    fc.property(bytes, (value) => {
      expect(crc16(value)).toBe(slowCrc16(value));
    }),
  );
});

/** Words of the alphabet, words with one wrong letter, any text, and encoded bytes with leading zeros. */
const wordsOf = (alphabet: string, codec: BytesCoder): fc.Arbitrary<string> => {
  const word = fc.array(fc.constantFrom(...alphabet), { maxLength: 80 }).map((letters) => letters.join(''));
  const written = fc
    .tuple(fc.nat({ max: 5 }), bytes)
    .map(([zeros, tail]) => codec.encode(Uint8Array.of(...new Uint8Array(zeros), ...tail)));
  const damaged = fc
    .tuple(word, fc.nat({ max: 80 }), anyString)
    .map(([text, at, other]) => text.slice(0, at) + other + text.slice(at + 1));
  return fc.oneof(word, written, damaged, anyString);
};

test.each<[string, string, BytesCoder, number]>([
  ['base16', base16Alphabet, base16, 4],
  ['base32', base32Alphabet, base32nopad, 5],
  ['base36', base36Alphabet, base36, 0],
  ['base58', base58Alphabet, base58, 0],
  ['base64url', base64UrlAlphabet, base64urlnopad, 6],
])('%s reads and writes what @scure/base does', (_, alphabet, codec, bits) => {
  fc.assert(
    fc.property(wordsOf(alphabet, codec), (word) => {
      const value = bits === 0 ? fromBase(word, alphabet) : fromBits(word, alphabet, bits);
      expect(value).toEqual(orNull(() => codec.decode(word)));
      if (value === null) return;
      expect(bits === 0 ? toBase(value, alphabet) : wordOf(regroup(value, 8, bits)!, alphabet)).toBe(word);
    }),
  );
});

test('bech32 and bech32m are distinguished, read and written as the library does', () => {
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
    fc.property(valid, damaged, (word, wrong) => {
      const read = fromBech32(word);
      expect(read).not.toBeNull();
      expect(read).toEqual(byLibrary(word));
      if (!read!.isModified) expect(toBech32(read!.prefix, read!.digits)).toBe(word.toLowerCase());
      expect(fromBech32(wrong)).toEqual(byLibrary(wrong));
    }),
  );
});
