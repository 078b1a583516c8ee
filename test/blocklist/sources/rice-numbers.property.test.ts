import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeRiceEntries,
  decodeRiceNumbers,
  type RiceEntries,
  type RiceNumbers,
} from '../../../src/blocklist/sources/rice-numbers.js';
import { runNow } from '../../../src/core/slices.js';
import { errorOf } from './harness.js';

const decode = (coded: RiceNumbers): number[] => [...runNow(decodeRiceNumbers(coded))];
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Sums of the gaps, which is what the services' own decoders return. */
function sums(first: number, gaps: readonly number[]): number[] {
  const all = [first];
  for (const gap of gaps) all.push(all.at(-1)! + gap);
  return all;
}

/** Public vectors: `v4_rice_unittest.cc` of Chromium has the gaps and the bytes. */
test.each([
  [2, [15, 9], 'f702'],
  [
    28,
    [62_763_050, 1_046_523_781, 192_522_171, 1_800_511_020, 4_442_775, 582_142_548],
    '54607be70a5fc1dcee69defe583ca3d6a5f2108c4a595600',
  ],
  [
    28,
    [
      26_067_715, 344_823_336, 8_420_095, 399_843_890, 95_029_378, 731_622_412, 35_811_335, 1_047_558_127, 1_117_722_715,
      78_698_892,
    ],
    '06861b2314cb46f2af0708c988541f4104d51a03ebe63a8013917bbf83f3b785f12918b36109',
  ],
])('decodes a public vector with the parameter %i', (parameter, gaps, hex) => {
  expect(decode({ first: 0, count: gaps.length, parameter, data: bytes(hex) })).toEqual(sums(0, gaps));
});

/** Bit by bit, as the documentation has it. */
function encode(gaps: readonly number[], parameter: number): Uint8Array {
  const bits: number[] = [];
  for (const gap of gaps) {
    for (let left = Math.floor(gap / 2 ** parameter); left > 0; left--) bits.push(1);
    bits.push(0);
    for (let bit = 0; bit < parameter; bit++) bits.push(Math.floor(gap / 2 ** bit) % 2);
  }
  const data = new Uint8Array(Math.ceil(bits.length / 8));
  for (const [at, bit] of bits.entries()) data[at >>> 3]! |= bit << (at % 8);
  return data;
}

const numbers = fc
  .tuple(fc.integer({ min: 1, max: 30 }), fc.nat(0xffff_ffff), fc.array(fc.nat(200), { maxLength: 60 }), fc.nat())
  .map(([parameter, first, quotients, seed]) => {
    const gaps = quotients.map((quotient, at) => quotient * 2 ** parameter + ((seed * (at + 7)) % 2 ** parameter) || 1);
    const kept = gaps.filter((_, at) => sums(first, gaps.slice(0, at + 1)).at(-1)! <= 0xffff_ffff);
    return { parameter, first, gaps: kept };
  });

test('decodes what a coder writes bit by bit, with every parameter', () => {
  fc.assert(
    fc.property(numbers, fc.nat(3), ({ parameter, first, gaps }, spare) => {
      const data = Uint8Array.of(...encode(gaps, parameter), ...new Uint8Array(spare));
      expect(decode({ first, count: gaps.length, parameter, data })).toEqual(sums(first, gaps));
    }),
  );
});

test('refuses data that ends in the middle, whatever the place', () => {
  fc.assert(
    fc.property(numbers, fc.nat(), ({ parameter, first, gaps }, at) => {
      fc.pre(gaps.length > 0);
      const data = encode(gaps, parameter);
      // The last byte may hold only zeros that are missing for nobody.
      const cut = data.subarray(0, at % Math.max(1, data.length - 1));
      expect(() => decode({ first, count: gaps.length, parameter, data: cut })).toThrow(
        expect.objectContaining({ code: 'INVALID_ARTIFACT' }),
      );
    }),
  );
});

test.each<[string, RiceNumbers]>([
  ['a number that is repeated', { first: 5, count: 1, parameter: 3, data: encode([0], 3) }],
  ['a number above 2^32 - 1', { first: 0xffff_fff0, count: 1, parameter: 3, data: encode([16], 3) }],
  ['a quotient as long as the data', { first: 0, count: 1, parameter: 30, data: new Uint8Array(1_000).fill(0xff) }],
  ['a remainder that is cut', { first: 0, count: 1, parameter: 3, data: encode([6 * 8 + 7], 3).subarray(0, 1) }],
  ['more numbers than the bytes can hold', { first: 0, count: 33_554_432, parameter: 3, data: new Uint8Array(1_000) }],
])('refuses %s', async (_, coded) => {
  expect((await errorOf(Promise.resolve().then(() => decode(coded)))).code).toBe('INVALID_ARTIFACT');
});

test('compares the count with the bytes before anything else', () => {
  const data = new Uint8Array(1_000);
  expect(() => decode({ first: 0, count: 2_001, parameter: 3, data })).toThrow('cannot hold 2001');
  expect(() => decode({ first: 0, count: 2_000, parameter: 3, data })).toThrow('not ascending');
});

test('bytes of any kind are decoded or refused', () => {
  const any = fc.record({
    first: fc.nat(0xffff_ffff),
    count: fc.nat(300),
    parameter: fc.nat(30),
    data: fc.uint8Array({ maxLength: 300 }),
  });
  fc.assert(
    fc.property(any, (coded) => {
      let found: number[];
      try {
        found = decode(coded);
      } catch (error) {
        expect((error as { code: string }).code).toBe('INVALID_ARTIFACT');
        return;
      }
      expect(found).toHaveLength(coded.count + 1);
      expect(found.every((value, at) => at === 0 || (value > found[at - 1]! && value <= 0xffff_ffff))).toBe(true);
    }),
  );
});

/** Numbers of 8, 16 and 32 bytes, in the arithmetic of the platform. */
const sizes = [8, 16, 32] as const;

const hexOf = (value: bigint, size: number): string => value.toString(16).padStart(2 * size, '0');

function decodeEntries(coded: RiceEntries): string[] {
  const all = Buffer.from(runNow(decodeRiceEntries(coded))).toString('hex');
  return all.match(new RegExp(`.{${2 * coded.first.length}}`, 'g'))!;
}

/** Bit by bit, as the documentation has it. */
function encodeLong(gaps: readonly bigint[], parameter: number): Uint8Array {
  const bits = gaps
    .map((gap) => {
      const rest = BigInt.asUintN(parameter, gap).toString(2).padStart(parameter, '0');
      return `${'1'.repeat(Number(gap >> BigInt(parameter)))}0${[...rest].reverse().join('')}`;
    })
    .join('');
  return Uint8Array.from(bits.match(/.{1,8}/g) ?? [], (byte) => Number.parseInt([...byte].reverse().join(''), 2));
}

const entries = fc.constantFrom(...sizes).chain((size) => {
  const max = 2n ** BigInt(8 * size) - 1n;
  return fc
    .tuple(
      fc.integer({ min: 8 * size - 29, max: 8 * size - 2 }),
      fc.oneof(fc.bigInt({ min: 0n, max }), fc.constantFrom(0n, max)),
      fc.array(fc.tuple(fc.nat(40), fc.bigInt({ min: 0n, max }), fc.constantFrom('any', 'one', 'ones')), { maxLength: 20 }),
    )
    .map(([parameter, first, some]) => {
      const gaps: bigint[] = [];
      let last = first;
      for (const [quotient, rest, form] of some) {
        const low = form === 'one' ? 1n : BigInt.asUintN(parameter, form === 'ones' ? max : rest);
        const gap = (BigInt(quotient) << BigInt(parameter)) + low || 1n;
        if (last + gap > max) continue;
        gaps.push(gap);
        last += gap;
      }
      return { size, parameter, first, gaps };
    });
});

const codedOf = (size: number, parameter: number, first: bigint, gaps: readonly bigint[]): RiceEntries => ({
  first: bytes(hexOf(first, size)),
  count: gaps.length,
  parameter,
  data: encodeLong(gaps, parameter),
});

test('decodes entries of 8, 16 and 32 bytes that a coder writes bit by bit, with every parameter', () => {
  let count = 0;
  fc.assert(
    fc.property(entries, ({ size, parameter, first, gaps }) => {
      const expected = [first];
      for (const gap of gaps) expected.push(expected.at(-1)! + gap);
      count += gaps.length;
      expect(decodeEntries(codedOf(size, parameter, first, gaps))).toEqual(expected.map((value) => hexOf(value, size)));
    }),
  );
  expect(count).toBeGreaterThan(100);
});

test('refuses longer entries that end in the middle, are repeated, or do not fit', () => {
  const code = expect.objectContaining({ code: 'INVALID_ARTIFACT' });
  for (const size of sizes) {
    const max = 2n ** BigInt(8 * size) - 1n;
    const parameter = 8 * size - 20;
    const gap = (5n << BigInt(parameter)) + 7n;
    const whole = codedOf(size, parameter, 3n, [gap, gap]);
    expect(decodeEntries(whole)).toHaveLength(3);
    for (let length = 0; length < whole.data.length - 1; length++)
      expect(() => decodeEntries({ ...whole, data: whole.data.subarray(0, length) })).toThrow(code);
    expect(() => decodeEntries(codedOf(size, parameter, 3n, [gap, 0n]))).toThrow(code);
    expect(() => decodeEntries(codedOf(size, parameter, max - gap + 1n, [gap]))).toThrow(code);
    expect(decodeEntries(codedOf(size, parameter, max - gap, [gap]))[1]).toBe(hexOf(max, size));
    // A quotient of more bits than the number has left.
    const wide = { ...whole, count: 1, parameter: 8 * size - 2, data: new Uint8Array(100).fill(0xff, 0, 1) };
    expect(() => decodeEntries(wide)).toThrow(code);
    expect(() => decodeEntries({ ...whole, count: 1_000_000 })).toThrow('cannot hold 1000000');
  }
});
