import fc from 'fast-check';
import { HashSet, isPortcullisError, PrefixSet } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { weighted } from '../support/arbitraries.js';
import { bytesOf, hexOf, seededNumbers, word } from '../support/oracle/artifact.js';
import { isDeep } from '../support/setup.js';

const last = 0xffff_ffff;
const row = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);
const randomNumbers = (count: number, seed = 1): number[] => Array.from({ length: count }, seededNumbers(seed));

function* oneByOne<T>(values: Iterable<T>): Generator<T> {
  yield* values;
}

/** The differences between the two classes. Entries are numbers or strings of hex digits; both compare with `<`. */
interface Kind<Entry, Own extends PrefixSet | HashSet, Item = unknown> {
  readonly type: {
    from(source: Iterable<never>): Own;
    build(source: Iterable<never>): Promise<Own>;
    fromBytes(bytes: Uint8Array): Own;
  };
  /** Entries as the class accepts them, and the same entries in every kind of iterable. */
  items(entries: readonly Entry[]): readonly Item[];
  sources(items: readonly Item[]): Iterable<Item>[];
  listed(set: Own): Entry[];
  /** Whether the set answers every question about an entry as a `Set` of its entries does. */
  answers(expected: ReadonlySet<Entry>): (set: Own, entry: Entry) => boolean;
  neighbors(entry: Entry): Entry[];
  random(count: number, seed?: number): Entry[];
  readonly entry: fc.Arbitrary<Entry>;
  /** Entries that are looked up in every set. */
  readonly others: readonly Entry[];
  /** The fast run asks for the neighbors of this many entries. */
  readonly maxAsked: number;
  readonly maxSmall: number;
  /** Powers of two around which a layout by the top bits of the entries would change. */
  readonly powers: readonly number[];
  readonly samples: readonly (readonly [name: string, entries: readonly Entry[]])[];
  readonly builtSizes: readonly number[];
  readonly storedSizes: readonly number[];
  readonly manySize: number;
  /** Two entries, and the neighboring words of the stored set in which they differ. */
  readonly pairs: readonly (readonly [entries: readonly Entry[], first: number, second: number])[];
  readonly wrongSources: readonly (readonly [name: string, source: unknown])[];
  readonly invalidEntries: readonly unknown[];
}

const prefixes: Kind<number, PrefixSet, number> = {
  type: PrefixSet,
  items: (values) => values,
  sources: (values) => [values, Uint32Array.from(values), new Set(values), oneByOne(values)],
  listed: (set) => [...set],
  answers: (expected) => (set, value) => set.has(value) === expected.has(value),
  // The last two have the same lower bits in another bucket.
  neighbors: (value) => [value - 1, value + 1, value ^ 0x0001_0000, value ^ 0x8000_0000].map((other) => other >>> 0),
  random: randomNumbers,
  entry: weighted(
    [3, fc.integer({ min: 0, max: last })],
    [2, fc.integer({ min: 0, max: 60 })],
    [1, fc.integer({ min: last - 60, max: last })],
    [1, fc.integer({ min: 0x7fff_fff0, max: 0x8000_0010 })],
  ),
  others: [0, 1, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_0000, last],
  maxAsked: 5_000,
  maxSmall: isDeep ? 5_000 : 600,
  powers: isDeep ? [12, 13, 14, 15, 16, 17, 18] : [12, 14, 17],
  samples: [
    ['nothing', []],
    ['the smallest number', [0]],
    ['the largest number', [last]],
    ['both ends', [last, 0]],
    ['one repeated number', new Array<number>(70_000).fill(0xdead_beef)],
    ['the first 5,000 numbers', row(0, 5_000)],
    ['the last 5,000 numbers', row(last - 4_999, 5_000)],
    ['numbers across the sign bit', row(0x8000_0000 - 2_500, 5_000)],
    // From 131,072 entries on the set may use another layout, and here all are in two or three neighboring ranges of 65,536
    // numbers.
    ['131,072 numbers in a row', row(0xabcd_0000, 131_072)],
    ['131,072 numbers in a row up to the largest', row(last - 131_071, 131_072)],
    ['131,073 numbers in a row from the smallest', row(0, 131_073)],
    ['131,072 numbers in a row across a border', row(0x1234_8000, 131_072)],
    ['131,072 numbers, each twice', [...row(0x7777_0000, 65_536), ...row(0x7777_0000, 65_536)]],
    ['131,072 numbers far apart', row(0, 131_072).map((at) => at * 0x8000)],
    ['60,000 numbers in a row among 131,073 others', [...row(0x5555_0000, 60_000), ...randomNumbers(131_073)]],
    ...(isDeep ? [['200,000 numbers', randomNumbers(200_000, 200_000)] as const] : []),
  ],
  builtSizes: [0, 1, 1_000, 131_072, 200_000],
  storedSizes: [0, 1, 2, 17, 5_000, 131_072],
  manySize: 131_072,
  pairs: [
    [[0x1122_3344, 0x1122_3355], 0x1122_3344, 0x1122_3355],
    [row(0, 40).map((at) => 0x4242_0000 + at * 3), 0x4242_0000, 0x4242_0003],
  ],
  wrongSources: [
    ['nothing at all', undefined],
    ['a number', 5],
    ['an object that cannot be iterated', {}],
    ['a string', 'evil.example'],
    ['strings', ['1']],
    ['bigints', [1n]],
    ['null', [null]],
    ['holes', new Array(3)],
  ],
  invalidEntries: [-1, 0.5, 2 ** 32, Number.NaN, Infinity, -0.1],
};

const half = fc.oneof(fc.integer({ min: 0, max: last }), fc.integer({ min: 0, max: 4 }), fc.constant(last));

const hashes: Kind<string, HashSet, Uint8Array> = {
  type: HashSet,
  // Bytes after the eighth are not part of an entry, so another tail makes no difference.
  items: (entries) => entries.map((entry, at) => bytesOf(entry + word(at).repeat((at * 7) % 6))),
  sources(items) {
    const inside = items.map((hash) => Uint8Array.from([9, ...hash, 9]).subarray(1, 1 + hash.length));
    return [items, new Set(items), items.values(), items.map((hash) => Buffer.from(hash)), inside];
  },
  listed: (set) => [...set].map(hexOf),
  answers(expected) {
    const firstHalves = new Set([...expected].map((entry) => entry.slice(0, 8)));
    return (set, entry) => {
      const first = entry.slice(0, 8);
      const isPrefix = set.hasPrefix(Number.parseInt(first, 16)) === firstHalves.has(first);
      return isPrefix && set.has(bytesOf(entry)) === expected.has(entry);
    };
  },
  neighbors(entry) {
    const [first, second] = [entry.slice(0, 8), entry.slice(8)].map((digits) => Number.parseInt(digits, 16)) as [number, number];
    return [
      ...[word(first) + word(second + 1), word(first) + word(second - 1), word(first + 1) + word(second)],
      ...[word(first - 1) + word(second), word(second) + word(first)],
    ];
  },
  random(count, seed = 1) {
    const next = seededNumbers(seed);
    return Array.from({ length: count }, () => word(next()) + word(next()));
  },
  entry: fc.tuple(half, half).map(([first, second]) => word(first) + word(second)),
  others: ['0000000000000000', 'ffffffffffffffff', '00000000ffffffff', 'ffffffff00000000'],
  maxAsked: 2_000,
  maxSmall: isDeep ? 300 : 100,
  powers: isDeep ? [9, 10, 11, 12, 13] : [9, 11],
  samples: [
    ['nothing', []],
    ['both ends', ['ffffffffffffffff', '0000000000000000']],
    ['one hash many times', new Array<string>(70_000).fill('0123456789abcdef')],
    ['5,000 hashes of one prefix', ['deadbef000000000', ...row(0, 5_000).map((at) => `deadbeef${word(at * 256 + 1)}`)]],
    ['2,000 hashes of the greatest prefix', row(0, 2_000).map((at) => `ffffffff${word(at)}`)],
    ['hashes whose second halves descend as the first ones ascend', row(0, 20_000).map((at) => word(at) + word(20_000 - at))],
  ],
  builtSizes: [0, 1, 1_000, 70_000],
  storedSizes: [0, 1, 2, 17, isDeep ? 5_000 : 1_100],
  manySize: isDeep ? 5_000 : 1_100,
  pairs: [[['0102030405060708', '0102030405060709'], 0x0506_0708, 0x0506_0709]],
  wrongSources: [
    ['nothing at all', undefined],
    ['numbers', [1]],
    ['hex', ['0123456789abcdef']],
    ['arrays', [[1, 2, 3, 4, 5, 6, 7, 8]]],
    ['words', [new Uint32Array(8)]],
    ['an ArrayBuffer', [new ArrayBuffer(32)]],
    ['null', [null]],
    ['one hash instead of many', new Uint8Array(32)],
  ],
  invalidEntries: row(0, 8).map((length) => new Uint8Array(length)),
};

/** Loops collect what is wrong instead of asserting, because there are millions of questions. */
function disagreements<Entry extends number | string, Own extends PrefixSet | HashSet>(
  { listed, answers, neighbors, maxAsked, others }: Kind<Entry, Own>,
  set: Own,
  entries: Iterable<Entry>,
): string[] {
  const expected = new Set(entries);
  const isRight = answers(expected);
  const found: string[] = [];
  const ask = (entry: Entry): void => void (isRight(set, entry) || found.push(`is wrong about ${entry}`));
  const list = listed(set);
  if (set.size !== expected.size || list.length !== expected.size) found.push(`size ${set.size}, lists ${list.length}`);
  list.forEach((entry, at) => {
    if (!expected.has(entry) || (at > 0 && !(entry > list[at - 1]!))) found.push(`lists ${entry} after ${list[at - 1]}`);
  });
  const step = isDeep ? 1 : Math.ceil(expected.size / maxAsked);
  let at = 0;
  for (const entry of expected) {
    ask(entry);
    if (at++ % step === 0) neighbors(entry).forEach(ask);
  }
  others.forEach(ask);
  return found.slice(0, 5);
}

function testSet<Entry extends number | string, Own extends PrefixSet | HashSet>(name: string, kind: Kind<Entry, Own>): void {
  const { type, random } = kind;
  const from = (entries: readonly Entry[]): Own => type.from(kind.items(entries) as never);
  const wrong = (set: Own, entries: Iterable<Entry>): string[] => disagreements(kind, set, entries);
  /** Checks what holds for any set: it contains every entry that it lists, lists them in order, and lists as many as its size. */
  const inconsistencies = (set: Own): string[] => wrong(set, kind.listed(set));
  const loadOrRefuse = (bytes: Uint8Array): Own | null => {
    try {
      return type.fromBytes(bytes);
    } catch (error) {
      if (!isPortcullisError(error) || !['INVALID_ARTIFACT', 'LIMIT_EXCEEDED'].includes(error.code)) throw error;
      return null;
    }
  };
  const flipped = (bytes: Uint8Array, bit: number): Uint8Array => bytes.with(bit >> 3, bytes[bit >> 3]! ^ (1 << (bit & 7)));

  describe(name, () => {
    test('agrees with a Set of the same entries, for any kind of iterable', () => {
      fc.assert(
        fc.property(fc.array(kind.entry, { maxLength: 200 }), (entries) => {
          for (const source of kind.sources(kind.items(entries))) expect(wrong(type.from(source as never), entries)).toEqual([]);
        }),
      );
    });

    test('holds what it was given at every small size, and around powers of two', () => {
      const { maxSmall, powers } = kind;
      const many = random(2 ** powers.at(-1)! + 1);
      const some = many.slice(0, maxSmall + 1);
      for (const size of [...row(0, maxSmall + 1), ...powers.flatMap((power) => row(2 ** power - 1, 3))]) {
        const own = many.slice(0, size);
        const set = from(own);
        const isRight = kind.answers(new Set(own));
        // Looking up every entry at every size would take minutes.
        const all = size < 300 || size % 97 === 0 || size > maxSmall;
        expect([size, ...(all ? wrong(set, own) : []), ...some.filter((entry) => !isRight(set, entry))]).toEqual([size]);
      }
    });

    test.each(kind.samples)('holds %s', (_, entries) => {
      expect(wrong(from(entries), entries)).toEqual([]);
      expect(wrong(from(entries.toReversed()), entries)).toEqual([]);
    });

    test.each(kind.builtSizes)('is the same when built in slices, with %i entries', async (size) => {
      const entries = random(size, 7);
      const built = await type.build(oneByOne(kind.items(entries)) as never);
      expect(Buffer.compare(built.toBytes(), from(entries).toBytes())).toBe(0);
    });

    test.each(kind.wrongSources)('throws a TypeError when built from %s', async (_, source) => {
      expect(() => type.from(source as never)).toThrow(TypeError);
      await expect(type.build(source as never)).rejects.toThrow(TypeError);
    });

    test.each(kind.invalidEntries)('rejects %s, which is not an entry', async (entry) => {
      expect(() => type.from([entry] as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
      await expect(type.build([entry] as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    });
  });

  describe(`a stored ${name}`, () => {
    test.each(kind.storedSizes)('loads as the same set, with %i entries', (size) => {
      const entries = random(size, 3);
      const set = from(entries);
      const bytes = set.toBytes();
      expect(bytes.length).toBe(set.byteLength);
      const unaligned = [0, 1, 2, 3].map((offset) => {
        const room = new Uint8Array(bytes.length + 8);
        room.set(bytes, offset);
        return room.subarray(offset, offset + bytes.length);
      });
      const all = [bytes, ...unaligned, Buffer.from(bytes), Buffer.concat([Buffer.from('x'), bytes]).subarray(1)];
      for (const stored of isDeep || size < 10_000 ? all : [bytes, unaligned[1]!]) {
        const loaded = type.fromBytes(stored);
        expect(wrong(loaded, entries)).toEqual([]);
        expect(Buffer.compare(loaded.toBytes(), bytes)).toBe(0);
        expect(loaded.byteLength).toBe(set.byteLength);
      }
    });

    test('does not change when its bytes change', () => {
      for (const size of [20, kind.manySize]) {
        const entries = random(size);
        const set = from(entries);
        const loaded = type.fromBytes(set.toBytes());
        set.toBytes().fill(0);
        loaded.toBytes().fill(0);
        expect([...wrong(set, entries), ...wrong(loaded, entries)]).toEqual([]);
      }
    });

    test('is rejected if truncated anywhere or followed by other bytes', () => {
      const bytes = from(random(20)).toBytes();
      const others: Uint8Array[] = [...bytes.keys()].map((length) => bytes.subarray(0, length));
      for (const more of [1, 2, 4, 8, 16]) others.push(new Uint8Array([...bytes, ...new Uint8Array(more)]));
      for (const other of others) {
        expect(() => type.fromBytes(other)).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
      }
    });

    // A changed bit within the entries may give another valid set. Any other changed bit breaks what a lookup relies on.
    test('is rejected with any bit changed outside its entries, and otherwise is a valid set', () => {
      const sizes = isDeep ? [0, 1, 2, 16, 17, 33] : [0, 1, 2, 17];
      for (const entries of [...sizes.map((size) => random(size, size)), kind.samples[3]![1].slice(0, 10)]) {
        const bytes = from(entries).toBytes();
        const entriesAt = bytes.length - (type === (PrefixSet as unknown) ? 4 : 8) * entries.length;
        for (let bit = 0; bit < bytes.length * 8; bit++) {
          const set = loadOrRefuse(flipped(bytes, bit));
          if (bit >> 3 < entriesAt) expect([entries.length, bit, set]).toEqual([entries.length, bit, null]);
          else if (set !== null) expect(inconsistencies(set)).toEqual([]);
        }
      }
    });

    test('is a valid set or rejected with any bit changed, when it is large', () => {
      const bytes = from(random(kind.manySize)).toBytes();
      const next = seededNumbers(5);
      const runs = isDeep ? 40 : 8;
      let refused = 0;
      for (let run = 0; run < runs; run++) {
        // The first half of the runs changes the first quarter of the bytes, which has everything that is not an entry.
        const set = loadOrRefuse(flipped(bytes, next() % (bytes.length * (run < runs / 2 ? 2 : 8))));
        if (set === null) refused++;
        else expect(inconsistencies(set)).toEqual([]);
      }
      expect(refused).toBeGreaterThan(0);
    });

    test('is rejected with two entries swapped or one repeated', () => {
      for (const [entries, first, second] of kind.pairs) {
        const words = new Uint32Array(from(entries).toBytes().buffer);
        const at = words.indexOf(first);
        expect(words[at + 1]).toBe(second);
        for (const broken of [words.with(at, second).with(at + 1, first), words.with(at + 1, first)]) {
          const load = () => type.fromBytes(new Uint8Array(broken.buffer));
          expect(load).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
        }
      }
    });

    test('is a valid set or rejected when some or all of its bytes are random', () => {
      const stored = [0, 3, 50].map((size) => from(random(size)).toBytes());
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
      fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => loadOrRefuse(bytes) === null));
    });

    test('is rejected when its count exceeds the limit, before anything is allocated', () => {
      const words = new Uint32Array(from(random(1)).toBytes().buffer);
      for (const at of words.keys()) {
        const set = loadOrRefuse(new Uint8Array(words.with(at, last).buffer));
        // The last words contain the entry itself.
        if (at < words.length - 2) expect([at, set]).toEqual([at, null]);
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
      expect(() => type.fromBytes(bytes as Uint8Array)).toThrow(TypeError);
    });
  });
}

testSet('PrefixSet', prefixes);
testSet('HashSet', hashes);

describe('PrefixSet', () => {
  test('reads any number it is asked for as an unsigned 32-bit integer', () => {
    const few = [0, 1, 0x7fff_ffff, 0x8000_0000, last];
    for (const values of [few, [...few, ...randomNumbers(140_000)]]) {
      const set = PrefixSet.from(values);
      const expected = new Set(values);
      for (const asked of [-1, -2, -0x8000_0000, 2 ** 32, 2 ** 32 + 1, 2 ** 52 + 3, 0.5, 1.9, -0, Number.NaN, Infinity]) {
        expect([asked, set.has(asked)]).toEqual([asked, expected.has(asked >>> 0)]);
      }
    }
  });

  test('does not change with the array it was built from', () => {
    for (const values of [Uint32Array.of(1, 2, 3), Uint32Array.of(3, 1, 2), Uint32Array.from(randomNumbers(131_072)).sort()]) {
      const expected = new Set(values);
      const set = PrefixSet.from(values);
      values.fill(9);
      expect(disagreements(prefixes, set, expected)).toEqual([]);
    }
  });

  test('can be iterated twice, even at the same time', () => {
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

  test('passes on the error of its source, and closes a source it rejects', () => {
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

  // These entries ascend however the index divides them, so only the index itself can show the damage.
  test('is a valid set or rejected when its stored index descends', () => {
    const bytes = PrefixSet.from(row(0, 131_072).map((at) => (at >> 1) * 0x1_0000 + (at & 0xffff))).toBytes();
    const words = new Uint32Array(bytes.buffer);
    const at = words.indexOf(1_000);
    expect([...words.subarray(at, at + 3)]).toEqual([1_000, 1_002, 1_004]);
    for (const start of [0, 900, 996, 997, 998, 999, 1_001, 1_002, 1_003, 1_004, 2_000, 131_072, 131_073, last]) {
      let set: PrefixSet;
      try {
        set = PrefixSet.fromBytes(new Uint8Array(words.with(at, start).buffer));
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_ARTIFACT' });
        continue;
      }
      expect([start, disagreements(prefixes, set, set)]).toEqual([start, []]);
    }
  });
});

describe('HashSet', () => {
  test('never has a hash shorter than 8 bytes, and compares only the first 8 of a longer one', () => {
    const set = HashSet.from([bytesOf('00000000000000000000')]);
    for (let length = 0; length <= 40; length++) expect([length, set.has(new Uint8Array(length))]).toEqual([length, length >= 8]);
    expect(set.has(Buffer.alloc(32))).toBe(true);
  });

  test('reads any number as an unsigned 32-bit prefix', () => {
    const set = HashSet.from([bytesOf('ffffffff00000000'), bytesOf('8000000000000000')]);
    for (const prefix of [-1, 2 ** 32 - 1, -0x8000_0000, 0x8000_0000, 2 ** 33 - 1]) expect(set.hasPrefix(prefix)).toBe(true);
    for (const prefix of [0, 1, 2 ** 32, -2, Number.NaN]) expect(set.hasPrefix(prefix)).toBe(false);
  });

  test('does not change when the hashes it was built from or returned change', () => {
    const entries = hashes.random(50);
    const own = entries.map(bytesOf);
    const set = HashSet.from(own);
    for (const hash of [...own, ...set]) hash.fill(0);
    expect(disagreements(hashes, set, entries)).toEqual([]);
  });
});

// To the other class, the same bytes mean different entries.
test('a stored HashSet cannot be loaded as a PrefixSet, nor a PrefixSet as a HashSet', () => {
  for (const size of [0, 1, 30]) {
    const refused = expect.objectContaining({ code: 'INVALID_ARTIFACT' });
    expect(() => PrefixSet.fromBytes(HashSet.from(hashes.random(size).map(bytesOf)).toBytes())).toThrow(refused);
    expect(() => HashSet.fromBytes(PrefixSet.from(randomNumbers(size)).toBytes())).toThrow(refused);
  }
});
