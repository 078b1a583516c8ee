import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { hashOf, prefixOf } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { createDigest, digestOf } from '../../src/core/hashing/sha256.js';
import { hashedBytesPerSlice } from '../../src/core/limits.js';
import { runNow } from '../../src/core/slices.js';
import { anyCodePoint } from '../support/arbitraries.js';

/** Node writes a lone surrogate as U+FFFD too, so this is the specification for any string. */
const digest = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

const hashHex = (text: string): string => Buffer.from(hashOf(text)).toString('hex');
const prefixHex = (text: string): string => prefixOf(text).toString(16).padStart(8, '0');

function expectHashes(text: string): void {
  const whole = digest(text);
  expect(hashHex(text)).toBe(whole);
  expect(prefixHex(text)).toBe(whole.slice(0, 8));
}

/** Random UTF-16 units, so most surrogates are unpaired. */
const unit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.integer({ min: 0xd7fe, max: 0xe001 }),
  fc.constantFrom(0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xffff),
);
const anyUnits = fc.array(unit, { maxLength: 200 }).map((units) => String.fromCharCode(...units));
const anyText = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: anyCodePoint, maxLength: 200 }), anyUnits);

describe('the hash of an expression', () => {
  test.each([
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    [
      'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
      'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1',
    ],
  ])('matches FIPS 180-4 for %j', (text, expected) => {
    expect(hashHex(text)).toBe(expected);
    expect(prefixHex(text)).toBe(expected.slice(0, 8));
  });

  test('matches FIPS 180-4 for a million letters a', () => {
    const million = 'a'.repeat(1_000_000);
    expect(hashHex(million)).toBe('cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
    expect(prefixOf(million)).toBe(0xcdc76e5c);
  });

  // Lists consist of these numbers, so they may never change.
  test.each([
    ['evil.example', 0x9c18_0de0],
    ['evil.example/', 0xf001_957c],
    ['bücher.example/straße', 0xa6ba_10b5],
    ['address:0x52908400098527886e0f7030069857d2e4169ee7', 0xd2da_59d3],
    ['🦊', 0x0a9f_72e8],
    ['\ufffd', 0x83d5_44cc],
    // A lone surrogate counts as U+FFFD.
    ['\ud800', 0x83d5_44cc],
  ])('has a fixed prefix for %j', (text, expected) => {
    expect(prefixOf(text)).toBe(expected);
  });

  test('is correct for every length of ASCII up to 300', () => {
    for (let length = 0; length <= 300; length++) {
      expectHashes('a'.repeat(length));
      // All characters differ, so that a misplaced word changes the hash.
      expectHashes(Array.from({ length }, (_, at) => String.fromCharCode(33 + ((at * 7) % 94))).join(''));
    }
  });

  // Lengths in bytes at which the padding begins a new block, reached by characters of each width, alone and after a single byte.
  const borders = [55, 56, 57, 63, 64, 65, 119, 120, 121, 127, 128];
  test.each([
    ['one byte', '\u007f', 1],
    ['two bytes', '\u0080', 2],
    ['three bytes', '\u20ac', 3],
    ['four bytes', '\u{1f98a}', 4],
    ['three bytes for a lone high surrogate', '\ud83e', 3],
    ['three bytes for a lone low surrogate', '\udd8a', 3],
  ])('is correct around the block boundaries for characters of %s', (_, character, width) => {
    for (const border of borders) {
      const fitting = Math.floor(border / width);
      expectHashes(character.repeat(fitting) + 'x'.repeat(border - fitting * width));
      expectHashes('x'.repeat(border - fitting * width) + character.repeat(fitting));
      // Lengths in UTF-16 units instead of bytes.
      expectHashes(character.repeat(border));
    }
  });

  test('is correct for any string', () => {
    fc.assert(fc.property(anyText, expectHashes));
  });

  test('is correct for a wide character at any position of a long text', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), unit, (before, after, code) =>
        expectHashes('a'.repeat(before) + String.fromCharCode(code) + 'b'.repeat(after)),
      ),
    );
  });

  // The kernel's tables are shared between its calls, so one call must not affect the next.
  test('does not depend on earlier calls', () => {
    const texts = ['', 'a', '\u20ac'.repeat(40), 'x'.repeat(56), '\ud800', 'y'.repeat(129), '🦊'.repeat(16)];
    for (const first of texts) {
      for (const second of texts) {
        prefixOf(first);
        expect(prefixHex(second)).toBe(digest(second).slice(0, 8));
        hashOf(first);
        expect(hashHex(second)).toBe(digest(second));
      }
    }
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 5 }), (list) => {
        expect(list.map(prefixHex)).toEqual(list.map((text) => digest(text).slice(0, 8)));
      }),
    );
  });

  test('is a new array each time', () => {
    const hash = hashOf('abc');
    hash.fill(0);
    expect(hashHex('abc')).toBe(digest('abc'));
  });
});

describe('the hash of bytes', () => {
  const part = fc.uint8Array({ maxLength: 200 });

  test('is the same whatever parts they arrive in, and whatever is hashed between the parts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(part, fc.option(anyText)), { maxLength: 8 }), (parts) => {
        const own = createDigest();
        const other = createDigest();
        const expected = createHash('sha256');
        for (const [bytes, between] of parts) {
          own.update(bytes);
          expected.update(bytes);
          if (between === null) continue;
          prefixOf(between);
          other.update(Buffer.from(between));
        }
        other.digest();
        expect(Buffer.from(own.digest()).toString('hex')).toBe(expected.digest('hex'));
      }),
    );
  });

  test('is the same in slices', () => {
    const bytes = Uint8Array.from({ length: 2 * hashedBytesPerSlice + 77 }, (_, at) => at * 31);
    const hash = runNow(digestOf(bytes));
    expect(Buffer.from(hash).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});

test.each([undefined, null, 5, {}, []])('refuses to hash %s instead of hashing nothing', (value) => {
  expect(() => prefixOf(value as unknown as string)).toThrow(TypeError);
  expect(() => hashOf(value as unknown as string)).toThrow(TypeError);
});
