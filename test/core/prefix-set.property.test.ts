import fc from 'fast-check';
import { isPortcullisError, PrefixSet } from 'portcullis/prefixes';
import { describe, expect, test } from 'vitest';
import { seededNumbers } from '../support/oracle/artifact.js';
import { isDeep } from '../support/setup.js';

const last = 0xffff_ffff;

function randomNumbers(count: number, seed = 1): Uint32Array {
  return Uint32Array.from({ length: count }, seededNumbers(seed));
}

/**
 * Everything a set says, compared with a `Set`. The loops collect what is wrong instead of asserting, because there are millions of
 * questions; the fast run asks for the neighbours of 5,000 entries at most.
 */
function disagreements(set: PrefixSet, expected: ReadonlySet<number>): string[] {
  const found: string[] = [];
  if (set.size !== expected.size) found.push(`size ${set.size}, not ${expected.size}`);
  let previous = -1;
  let listed = 0;
  for (const value of set) {
    if (!(value > previous)) found.push(`${value} after ${previous}`);
    if (!expected.has(value)) found.push(`lists ${value}`);
    previous = value;
    listed++;
  }
  if (listed !== expected.size) found.push(`lists ${listed}`);
  const ask = (value: number): void => {
    if (set.has(value) !== expected.has(value)) found.push(`has(${value}) is ${set.has(value)}`);
  };
  const step = isDeep ? 1 : Math.ceil(expected.size / 5_000);
  let at = 0;
  for (const value of expected) {
    ask(value);
    if (at++ % step > 0) continue;
    ask(value === 0 ? last : value - 1);
    ask(value === last ? 0 : value + 1);
    // The same place in another bucket.
    ask((value ^ 0x0001_0000) >>> 0);
    ask((value ^ 0x8000_0000) >>> 0);
  }
  for (const value of [0, 1, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_0000, last]) ask(value);
  return found.slice(0, 5);
}

/** True of any set, whatever it holds: what it lists it has, in order, and it lists as many as it says. */
function inconsistencies(set: PrefixSet): string[] {
  return disagreements(set, new Set(set));
}

function loadOrRefuse(bytes: Uint8Array): PrefixSet | null {
  try {
    return PrefixSet.fromBytes(bytes);
  } catch (error) {
    if (!isPortcullisError(error) || !['INVALID_ARTIFACT', 'LIMIT_EXCEEDED'].includes(error.code)) throw error;
    return null;
  }
}

const number32 = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: last }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: last - 60, max: last }) },
  { weight: 1, arbitrary: fc.integer({ min: 0x7fff_fff0, max: 0x8000_0010 }) },
);
const numbers = fc.array(number32, { maxLength: 200 });

function* oneByOne<T>(values: Iterable<T>): Generator<T> {
  yield* values;
}

describe('PrefixSet', () => {
  test('agrees with a Set of the same numbers, for any kind of iterable', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const expected = new Set(values);
        for (const source of [values, Uint32Array.from(values), expected, oneByOne(values)]) {
          expect(disagreements(PrefixSet.from(source), expected)).toEqual([]);
        }
      }),
    );
  });

  test('holds what it was given at every size up to 600, or to 5,000 in the deep run', () => {
    const values = randomNumbers(isDeep ? 5_000 : 600);
    const wrong: string[] = [];
    for (let size = 0; size <= values.length; size++) {
      const set = PrefixSet.from(values.subarray(0, size));
      if (set.size !== size) wrong.push(`${size}: has size ${set.size}`);
      for (let at = 0; at < values.length; at++) {
        if (set.has(values[at]!) !== at < size) wrong.push(`${size}: is wrong about ${values[at]}`);
      }
      // Every question at every size would take minutes.
      if (size < 300 || size % 97 === 0) wrong.push(...disagreements(set, new Set(values.subarray(0, size))));
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  // Around powers of two, where a layout by the top bits of the values would change.
  const bits = isDeep ? [12, 13, 14, 15, 16, 17, 18] : [12, 14, 17];
  const borders = bits.flatMap((power) => [2 ** power - 1, 2 ** power, 2 ** power + 1]);
  test.each(isDeep ? [...borders, 200_000] : borders)('holds what it was given at a size of %i', (size) => {
    const values = randomNumbers(size, size);
    expect(disagreements(PrefixSet.from(values), new Set(values))).toEqual([]);
  });

  const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);
  test.each<[string, number[]]>([
    ['nothing', []],
    ['the smallest number', [0]],
    ['the largest number', [last]],
    ['both ends', [last, 0]],
    ['one repeated number', new Array<number>(70_000).fill(0xdead_beef)],
    ['the first 5,000 numbers', range(0, 5_000)],
    ['the last 5,000 numbers', range(last - 4_999, 5_000)],
    ['numbers across the sign bit', range(0x8000_0000 - 2_500, 5_000)],
    // From 131,072 entries on the set may be laid out otherwise, and here all are in two or three neighbours of 65,536 numbers.
    ['131,072 numbers in a row', range(0xabcd_0000, 131_072)],
    ['131,072 numbers in a row up to the largest', range(last - 131_071, 131_072)],
    ['131,073 numbers in a row from the smallest', range(0, 131_073)],
    ['131,072 numbers in a row across a border', range(0x1234_8000, 131_072)],
    ['131,072 numbers, each twice', [...range(0x7777_0000, 65_536), ...range(0x7777_0000, 65_536)]],
    ['131,072 numbers far apart', range(0, 131_072).map((at) => at * 0x8000)],
    ['60,000 numbers in a row among 131,073 others', [...range(0x5555_0000, 60_000), ...randomNumbers(131_073)]],
  ])('holds %s', (_, values) => {
    const expected = new Set(values);
    expect(disagreements(PrefixSet.from(values), expected)).toEqual([]);
    expect(disagreements(PrefixSet.from(values.toReversed()), expected)).toEqual([]);
  });

  test('reads any number it is asked for as an unsigned 32-bit integer', () => {
    const few = [0, 1, 0x7fff_ffff, 0x8000_0000, last];
    const many = [...few, ...randomNumbers(140_000)];
    for (const values of [few, many]) {
      const set = PrefixSet.from(values);
      const expected = new Set(values);
      for (const asked of [-1, -2, -0x8000_0000, 2 ** 32, 2 ** 32 + 1, 2 ** 52 + 3, 0.5, 1.9, -0, Number.NaN, Infinity]) {
        expect([asked, set.has(asked)]).toEqual([asked, expected.has(asked >>> 0)]);
      }
    }
  });

  test.each([0, 1, 1_000, 131_072, 200_000])('is the same built in slices, with %i numbers', async (size) => {
    const values = randomNumbers(size, 7);
    const built = await PrefixSet.build(oneByOne(values));
    expect(Buffer.compare(built.toBytes(), PrefixSet.from(values).toBytes())).toBe(0);
  });

  test('does not change with the array it was built from', () => {
    for (const values of [Uint32Array.of(1, 2, 3), Uint32Array.of(3, 1, 2), randomNumbers(131_072).sort()]) {
      const expected = new Set(values);
      const set = PrefixSet.from(values);
      values.fill(9);
      expect(disagreements(set, expected)).toEqual([]);
    }
  });

  test('can be iterated twice, also at the same time', () => {
    const set = PrefixSet.from([5, 3, 4]);
    const [one, other] = [set[Symbol.iterator](), set[Symbol.iterator]()];
    expect([one.next().value, one.next().value, other.next().value, one.next().value]).toEqual([3, 4, 3, 5]);
    expect([...set]).toEqual([3, 4, 5]);
  });

  test('takes 2.3 bytes per entry at a million', () => {
    const set = PrefixSet.from(randomNumbers(1_000_000));
    expect(set.size).toBe(1_000_000);
    expect(set.byteLength / set.size).toBeLessThan(2.3);
  });

  test.each<[string, unknown]>([
    ['nothing at all', undefined],
    ['a number', 5],
    ['an object that cannot be iterated', {}],
    ['a string', 'evil.example'],
    ['strings', ['1']],
    ['bigints', [1n]],
    ['null', [null]],
    ['holes', new Array(3)],
  ])('throws a TypeError when built from %s', async (_, source) => {
    expect(() => PrefixSet.from(source as number[])).toThrow(TypeError);
    await expect(PrefixSet.build(source as number[])).rejects.toThrow(TypeError);
  });

  test.each([-1, 0.5, 2 ** 32, Number.NaN, Infinity, -0.1])('refuses %d, which is not a prefix', async (value) => {
    expect(() => PrefixSet.from([1, value])).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    await expect(PrefixSet.build([1, value])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('passes on the error of its source, and closes a source it refuses', () => {
    const failure = new Error('the disk is gone');
    const failing = function* (): Generator<number> {
      yield 1;
      throw failure;
    };
    expect(() => PrefixSet.from(failing())).toThrow(failure);

    let ended = false;
    const wrong = function* (): Generator<number> {
      try {
        yield -1;
      } finally {
        ended = true;
      }
    };
    expect(() => PrefixSet.from(wrong())).toThrow(/prefix/);
    expect(ended).toBe(true);
  });
});

describe('a stored PrefixSet', () => {
  test.each([0, 1, 2, 17, 5_000, 131_072])('is the set it was, with %i numbers', (size) => {
    const values = randomNumbers(size, 3);
    const set = PrefixSet.from(values);
    const bytes = set.toBytes();
    expect(bytes.length).toBe(set.byteLength);
    const unaligned = [0, 1, 2, 3].map((offset) => {
      const room = new Uint8Array(bytes.length + 8);
      room.set(bytes, offset);
      return room.subarray(offset, offset + bytes.length);
    });
    const buffers = [Buffer.from(bytes), Buffer.concat([Buffer.from('x'), bytes]).subarray(1)];
    const all = [bytes, ...unaligned, ...buffers];
    for (const stored of isDeep || size < 10_000 ? all : [bytes, unaligned[1]!]) {
      const loaded = PrefixSet.fromBytes(stored);
      expect(disagreements(loaded, new Set(values))).toEqual([]);
      expect(Buffer.compare(loaded.toBytes(), bytes)).toBe(0);
      expect(loaded.byteLength).toBe(set.byteLength);
    }
  });

  test('does not change when its bytes change', () => {
    for (const size of [20, 131_072]) {
      const values = randomNumbers(size);
      const set = PrefixSet.from(values);
      const loaded = PrefixSet.fromBytes(set.toBytes());
      set.toBytes().fill(0);
      loaded.toBytes().fill(0);
      expect(disagreements(set, new Set(values))).toEqual([]);
      expect(disagreements(loaded, new Set(values))).toEqual([]);
    }
  });

  test('is refused if truncated anywhere or followed by other bytes', () => {
    const bytes = PrefixSet.from(randomNumbers(20)).toBytes();
    for (let length = 0; length < bytes.length; length++) {
      expect(() => PrefixSet.fromBytes(bytes.subarray(0, length))).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
    }
    for (const more of [1, 2, 4, 16]) expect(loadOrRefuse(new Uint8Array([...bytes, ...new Uint8Array(more)]))).toBeNull();
  });

  // A changed value may make another set that is as good as the first; anything else that changes breaks what a lookup relies on.
  test('is refused with any bit changed outside its values, and otherwise is a valid set', () => {
    for (const size of [0, 1, 2, 16, 17, 33]) {
      const bytes = PrefixSet.from(randomNumbers(size, size)).toBytes();
      const valuesAt = bytes.length - 4 * size;
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = bytes.slice();
        changed[bit >> 3]! ^= 1 << (bit & 7);
        const set = loadOrRefuse(changed);
        if (bit >> 3 < valuesAt) expect([size, bit, set]).toEqual([size, bit, null]);
        else if (set !== null) expect(inconsistencies(set)).toEqual([]);
      }
    }
  });

  test('is a valid set or refused with any bit changed, when it is large', () => {
    const bytes = PrefixSet.from(randomNumbers(131_072)).toBytes();
    const next = seededNumbers(5);
    const runs = isDeep ? 40 : 8;
    let refused = 0;
    for (let run = 0; run < runs; run++) {
      const changed = bytes.slice();
      // The first half in the quarter of the bytes at their beginning, where what is not a value has to be.
      const bit = next() % (changed.length * (run < runs / 2 ? 2 : 8));
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const set = loadOrRefuse(changed);
      if (set === null) refused++;
      else expect(inconsistencies(set)).toEqual([]);
    }
    expect(refused).toBeGreaterThan(0);
  });

  test('is refused with two values swapped or one repeated', () => {
    for (const values of [[0x1122_3344, 0x1122_3355], range16(40)]) {
      const set = PrefixSet.from(values);
      const words = new Uint32Array(set.toBytes().buffer);
      const at = words.indexOf(values[0]!);
      expect(words[at + 1]).toBe(values[1]);
      const swapped = words.slice();
      swapped[at] = values[1]!;
      swapped[at + 1] = values[0]!;
      const repeated = words.slice();
      repeated[at + 1] = values[0]!;
      for (const broken of [swapped, repeated]) {
        const load = () => PrefixSet.fromBytes(new Uint8Array(broken.buffer));
        expect(load).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
      }
    }
  });

  // Every entry here ascends whatever part of the others is read before it, so only the index itself can tell.
  test('is a valid set or refused when its index descends', () => {
    const values = Array.from({ length: 131_072 }, (_, at) => (at >> 1) * 0x1_0000 + (at & 0xffff));
    const bytes = PrefixSet.from(values).toBytes();
    const words = new Uint32Array(bytes.buffer);
    const at = words.indexOf(1_000);
    expect([...words.subarray(at, at + 3)]).toEqual([1_000, 1_002, 1_004]);
    for (const start of [0, 900, 996, 997, 998, 999, 1_001, 1_002, 1_003, 1_004, 2_000, 131_072, 131_073, last]) {
      const changed = bytes.slice();
      new Uint32Array(changed.buffer)[at] = start;
      const set = loadOrRefuse(changed);
      if (set !== null) expect([start, inconsistencies(set)]).toEqual([start, []]);
    }
  });

  test('is a valid set or refused when some or all of its bytes are random', () => {
    const stored = [0, 3, 50].map((size) => PrefixSet.from(randomNumbers(size)).toBytes());
    const edit = fc.record({ at: fc.nat(), value: fc.nat(255) });
    fc.assert(
      fc.property(fc.nat(2), fc.array(edit, { minLength: 1, maxLength: 4 }), fc.nat(40), (which, edits, cut) => {
        const bytes = stored[which]!.slice();
        for (const { at, value } of edits) bytes[at % bytes.length] = value;
        for (const candidate of [bytes, bytes.subarray(0, Math.max(0, bytes.length - cut))]) {
          const set = loadOrRefuse(candidate);
          if (set !== null) expect(inconsistencies(set)).toEqual([]);
        }
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(loadOrRefuse(bytes)).toBeNull();
      }),
    );
  });

  test('is refused when its count exceeds the limit, before anything is allocated', () => {
    const bytes = PrefixSet.from([1]).toBytes();
    for (let at = 0; at + 4 <= bytes.length; at += 4) {
      const lying = bytes.slice();
      new Uint32Array(lying.buffer)[at / 4] = last;
      expect([at, loadOrRefuse(lying)]).toEqual([at, null]);
    }
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a string', 'PCLS'],
    ['an array', [1, 2, 3]],
    ['an ArrayBuffer', new ArrayBuffer(36)],
    ['a DataView', new DataView(new ArrayBuffer(36))],
    ['words', new Uint32Array(9)],
  ])('throws a TypeError when loaded from %s', (_, bytes) => {
    expect(() => PrefixSet.fromBytes(bytes as Uint8Array)).toThrow(TypeError);
  });
});

/** Numbers that share their upper 16 bits. */
function range16(count: number): number[] {
  return Array.from({ length: count }, (_, at) => 0x4242_0000 + at * 3);
}
