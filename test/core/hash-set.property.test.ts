import fc from 'fast-check';
import { HashSet, isPortcullisError, PrefixSet } from 'portcullis/prefixes';
import { describe, expect, test } from 'vitest';
import { seededNumbers } from '../support/oracle/artifact.js';
import { isDeep } from '../support/setup.js';

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const word = (value: number): string => value.toString(16).padStart(8, '0');

/** This many entries as hex; the same seed gives the same ones. */
function randomEntries(count: number, seed = 1): string[] {
  const next = seededNumbers(seed);
  return Array.from({ length: count }, () => word(next()) + word(next()));
}

/** Everything a set says, compared with the entries as hex, which sort as the numbers do; in the fast run of 2,000 entries at most. */
function disagreements(set: HashSet, entries: Iterable<string>): string[] {
  const expected = new Set(entries);
  const prefixes = new Set([...expected].map((entry) => entry.slice(0, 8)));
  const found: string[] = [];
  if (set.size !== expected.size) found.push(`size ${set.size}, not ${expected.size}`);
  const listed = [...set].map(hexOf);
  const ordered = [...expected].sort();
  if (listed.length !== ordered.length || listed.some((entry, at) => entry !== ordered[at])) found.push('lists others');
  const ask = (entry: string): void => {
    if (set.has(bytesOf(entry)) !== expected.has(entry)) found.push(`is wrong about ${entry}`);
    const prefix = entry.slice(0, 8);
    if (set.hasPrefix(Number.parseInt(prefix, 16)) !== prefixes.has(prefix)) found.push(`is wrong about the prefix ${prefix}`);
  };
  const step = isDeep ? 1 : Math.ceil(expected.size / 2_000);
  for (const entry of ordered.filter((_, at) => at % step === 0)) {
    const [first, second] = [entry.slice(0, 8), entry.slice(8)].map((half) => Number.parseInt(half, 16)) as [number, number];
    ask(entry);
    ask(word(first) + word((second + 1) >>> 0));
    ask(word(first) + word((second - 1) >>> 0));
    ask(word((first + 1) >>> 0) + word(second));
    ask(word((first - 1) >>> 0) + word(second));
    ask(word(second) + word(first));
  }
  for (const entry of ['0000000000000000', 'ffffffffffffffff', '00000000ffffffff', 'ffffffff00000000']) ask(entry);
  return found.slice(0, 5);
}

function loadOrRefuse(bytes: Uint8Array): HashSet | null {
  try {
    return HashSet.fromBytes(bytes);
  } catch (error) {
    if (!isPortcullisError(error) || !['INVALID_ARTIFACT', 'LIMIT_EXCEEDED'].includes(error.code)) throw error;
    return null;
  }
}

const inconsistencies = (set: HashSet): string[] => disagreements(set, [...set].map(hexOf));

const half = fc.oneof(fc.integer({ min: 0, max: 0xffff_ffff }), fc.integer({ min: 0, max: 4 }), fc.constant(0xffff_ffff));
const entry = fc.tuple(half, half).map(([first, second]) => word(first) + word(second));
const entries = fc.array(entry, { maxLength: 100 });

describe('HashSet', () => {
  test('agrees with a Set of the first 8 bytes, for any kind of iterable', () => {
    fc.assert(
      fc.property(entries, fc.array(fc.uint8Array({ maxLength: 24 }), { minLength: 1, maxLength: 5 }), (list, tails) => {
        // Bytes behind the eighth are no part of an entry: the same one with another tail is the same.
        const hashes = list.map((own, at) => Uint8Array.from([...bytesOf(own), ...tails[at % tails.length]!]));
        const inside = hashes.map((hash) => Uint8Array.from([9, ...hash, 9]).subarray(1, 1 + hash.length));
        for (const source of [hashes, new Set(hashes), hashes.values(), hashes.map((hash) => Buffer.from(hash)), inside]) {
          expect(disagreements(HashSet.from(source), list)).toEqual([]);
        }
      }),
    );
  });

  test('holds what it was given at every size up to 100, or to 300 in the deep run, and around powers of two', () => {
    const all = randomEntries(8_200);
    const borders = (isDeep ? [9, 10, 11, 12, 13] : [9, 11]).flatMap((bits) => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]);
    for (const size of [...Array(isDeep ? 301 : 101).keys(), ...borders]) {
      const own = all.slice(0, size);
      expect([size, disagreements(HashSet.from(own.map(bytesOf)), own)]).toEqual([size, []]);
    }
  });

  const repeated = (count: number, make: (at: number) => string): string[] => Array.from({ length: count }, (_, at) => make(at));
  test.each<[string, string[]]>([
    ['nothing', []],
    ['both ends', ['ffffffffffffffff', '0000000000000000']],
    ['one hash many times', repeated(70_000, () => '0123456789abcdef')],
    ['2,000 hashes of one prefix', repeated(2_000, (at) => `deadbeef${word(at * 5)}`)],
    ['2,000 hashes of the greatest prefix', repeated(2_000, (at) => `ffffffff${word(at)}`)],
    ['hashes that differ in their second half as the first ones do', repeated(20_000, (at) => word(at) + word(20_000 - at))],
    ['more hashes than one slice', randomEntries(70_000)],
  ])('holds %s', (_, list) => {
    expect(disagreements(HashSet.from(list.map(bytesOf)), list)).toEqual([]);
    expect(disagreements(HashSet.from(list.toReversed().map(bytesOf)), list)).toEqual([]);
  });

  test('never has a hash shorter than 8 bytes, and compares only the first 8 of a longer one', () => {
    const set = HashSet.from([bytesOf('00000000000000000000')]);
    for (let length = 0; length < 8; length++) expect([length, set.has(new Uint8Array(length))]).toEqual([length, false]);
    for (let length = 8; length <= 40; length++) expect([length, set.has(new Uint8Array(length))]).toEqual([length, true]);
    expect(set.has(Buffer.alloc(32))).toBe(true);
  });

  test('reads any number as an unsigned 32-bit prefix', () => {
    const set = HashSet.from([bytesOf('ffffffff00000000'), bytesOf('8000000000000000')]);
    expect([-1, 2 ** 32 - 1, -0x8000_0000, 0x8000_0000, 2 ** 33 - 1].map((prefix) => set.hasPrefix(prefix))).toEqual(
      Array(5).fill(true),
    );
    expect([0, 1, 2 ** 32, -2, Number.NaN].map((prefix) => set.hasPrefix(prefix))).toEqual(Array(5).fill(false));
  });

  test.each([0, 1, 1_000, 70_000])('is the same built in slices, with %i hashes', async (size) => {
    const hashes = randomEntries(size).map(bytesOf);
    const built = await HashSet.build(hashes.values());
    expect(Buffer.compare(built.toBytes(), HashSet.from(hashes).toBytes())).toBe(0);
  });

  test('does not change when the hashes it was built from or returned change', () => {
    const list = randomEntries(50);
    const hashes = list.map(bytesOf);
    const set = HashSet.from(hashes);
    for (const hash of [...hashes, ...set]) hash.fill(0);
    expect(disagreements(set, list)).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['nothing at all', undefined],
    ['numbers', [1]],
    ['hex', ['0123456789abcdef']],
    ['arrays', [[1, 2, 3, 4, 5, 6, 7, 8]]],
    ['words', [new Uint32Array(8)]],
    ['an ArrayBuffer', [new ArrayBuffer(32)]],
    ['null', [null]],
    ['one hash instead of many', new Uint8Array(32)],
  ])('throws a TypeError when built from %s', async (_, source) => {
    expect(() => HashSet.from(source as Uint8Array[])).toThrow(TypeError);
    await expect(HashSet.build(source as Uint8Array[])).rejects.toThrow(TypeError);
  });

  test('refuses a hash of fewer than 8 bytes', async () => {
    for (let length = 0; length < 8; length++) {
      const short = [new Uint8Array(length)];
      expect(() => HashSet.from(short)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
      await expect(HashSet.build(short)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
  });
});

describe('a stored HashSet', () => {
  test.each([0, 1, 2, 17, isDeep ? 5_000 : 1_100])('is the set it was, with %i hashes', (size) => {
    const list = randomEntries(size, 3);
    const set = HashSet.from(list.map(bytesOf));
    const bytes = set.toBytes();
    expect(bytes.length).toBe(set.byteLength);
    const unaligned = [0, 1, 2, 3].map((offset) => {
      const room = new Uint8Array(bytes.length + 8);
      room.set(bytes, offset);
      return room.subarray(offset, offset + bytes.length);
    });
    for (const stored of [bytes, ...unaligned, Buffer.from(bytes), Buffer.from([0, ...bytes]).subarray(1)]) {
      const loaded = HashSet.fromBytes(stored);
      expect(disagreements(loaded, list)).toEqual([]);
      expect(Buffer.compare(loaded.toBytes(), bytes)).toBe(0);
    }
  });

  test('does not change when its bytes change', () => {
    const list = randomEntries(20);
    const set = HashSet.from(list.map(bytesOf));
    set.toBytes().fill(0);
    expect(disagreements(set, list)).toEqual([]);
  });

  test('is refused if truncated anywhere or followed by other bytes', () => {
    const bytes = HashSet.from(randomEntries(20).map(bytesOf)).toBytes();
    for (let length = 0; length < bytes.length; length++) expect(loadOrRefuse(bytes.subarray(0, length))).toBeNull();
    for (const more of [1, 4, 8]) expect(loadOrRefuse(new Uint8Array([...bytes, ...new Uint8Array(more)]))).toBeNull();
  });

  test('is refused with any bit changed outside its entries, and otherwise is a valid set', () => {
    const crowd = Array.from({ length: 10 }, (_, at) => `11223344${word(at)}`);
    for (const list of [[], randomEntries(1), randomEntries(17), crowd]) {
      const bytes = HashSet.from(list.map(bytesOf)).toBytes();
      const entriesAt = bytes.length - 8 * list.length;
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = bytes.slice();
        changed[bit >> 3]! ^= 1 << (bit & 7);
        const set = loadOrRefuse(changed);
        if (bit >> 3 < entriesAt) expect([bit, set]).toEqual([bit, null]);
        else if (set !== null) expect(inconsistencies(set)).toEqual([]);
      }
    }
  });

  test('is refused with entries out of order or repeated, even if only their second halves show it', () => {
    const stored = HashSet.from([bytesOf('0102030405060708'), bytesOf('0102030405060709')]).toBytes();
    const words = new Uint32Array(stored.buffer);
    const at = words.indexOf(0x0506_0708);
    expect(words[at + 1]).toBe(0x0506_0709);
    for (const pair of [
      [0x0506_0709, 0x0506_0708],
      [0x0506_0708, 0x0506_0708],
    ]) {
      const broken = words.slice();
      broken.set(pair, at);
      const load = () => HashSet.fromBytes(new Uint8Array(broken.buffer));
      expect(load).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
    }
  });

  test('is a valid set or refused when some or all of its bytes are random', () => {
    const stored = [0, 3, 30].map((size) => HashSet.from(randomEntries(size).map(bytesOf)).toBytes());
    const edit = fc.record({ at: fc.nat(), value: fc.nat(255) });
    fc.assert(
      fc.property(fc.nat(2), fc.array(edit, { minLength: 1, maxLength: 4 }), (which, edits) => {
        const bytes = stored[which]!.slice();
        for (const { at, value } of edits) bytes[at % bytes.length] = value;
        const set = loadOrRefuse(bytes);
        if (set !== null) expect(inconsistencies(set)).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(loadOrRefuse(bytes)).toBeNull();
      }),
    );
  });

  // The same bytes mean other entries to the other class.
  test('cannot be loaded as a PrefixSet, nor a PrefixSet as a HashSet', () => {
    for (const size of [0, 1, 30]) {
      const hashes = HashSet.from(randomEntries(size).map(bytesOf)).toBytes();
      const prefixes = PrefixSet.from(Array.from({ length: size }, seededNumbers(4))).toBytes();
      expect(() => PrefixSet.fromBytes(hashes)).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
      expect(() => HashSet.fromBytes(prefixes)).toThrow(expect.objectContaining({ code: 'INVALID_ARTIFACT' }));
    }
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a string', 'PCLS'],
    ['an ArrayBuffer', new ArrayBuffer(36)],
  ])('throws a TypeError when loaded from %s', (_, bytes) => {
    expect(() => HashSet.fromBytes(bytes as Uint8Array)).toThrow(TypeError);
  });
});

test('finds every entry among many that share their first half', () => {
  const hashes = Array.from({ length: 5_000 }, (_, at) => Uint8Array.of(7, 7, 7, 7, 0, at >> 8, at & 255, 1));
  const set = HashSet.from([...hashes, Uint8Array.of(7, 7, 7, 8, 0, 0, 0, 0), Uint8Array.of(255, 255, 255, 255, 1, 1, 1, 1)]);
  for (const hash of hashes) expect(set.has(hash)).toBe(true);
  for (const hash of hashes) expect(set.has(hash.with(7, 2))).toBe(false);
  expect(set.has(Uint8Array.of(7, 7, 7, 8, 0, 0, 0, 0))).toBe(true);
  expect(set.has(Uint8Array.of(255, 255, 255, 255, 1, 1, 1, 1))).toBe(true);
});
