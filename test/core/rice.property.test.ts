import fc from 'fast-check';
import { type ArtifactExpectation, decodeArtifact, encodeArtifact, PrefixSet } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { anyList, setOf } from '../support/entry-lists.js';
import {
  bytesOf,
  forgeContainer,
  hexEntries,
  OracleRefusal,
  oracleEncode,
  oracleList,
  packBits,
  readRice,
  riceBits,
  seededNumbers,
  word,
} from '../support/oracle/artifact.js';
import { isDeep } from '../support/setup.js';

async function read(bytes: Uint8Array, expectation: ArtifactExpectation): Promise<string[]> {
  return hexEntries(await decodeArtifact(bytes, { encoding: 'portcullis-rice', ...expectation } as { entryBytes: 4 }));
}

/** Makes a container with these bits as gaps and a valid checksum for `entries`, so that only the payload can be wrong. */
function forgeRice(entryBytes: 4 | 8, entries: readonly string[], payload: string, count = entries.length): Uint8Array {
  return forgeContainer({ payloadKind: 1, entryBytes, count, payload }, entries);
}

const refused = { code: 'INVALID_ARTIFACT' };

describe('Rice-coded gaps', () => {
  // A set of n random numbers below 2^32 has log2 of "2^32 choose n" bits of information; no code is shorter on average.
  test('take at most 1 % more than the theoretical minimum, at every size a list has', () => {
    const random = seededNumbers(21);
    const sizes = isDeep ? [10_000, 30_000, 100_000, 300_000, 1_000_000, 2_200_000, 4_200_000, 5_000_000] : [10_000, 100_000];
    for (let drawn = 0; isDeep && drawn < 5; drawn++) sizes.push(Math.floor(10_000 * 100 ** (random() / 2 ** 32)));
    sizes.sort((a, b) => a - b);

    let limitBits = 0;
    let counted = 0;
    for (const size of sizes) {
      for (; counted < size; counted++) limitBits += Math.log2((2 ** 32 - counted) / (counted + 1));
      const set = PrefixSet.from(Uint32Array.from({ length: size }, seededNumbers(size)));
      expect(set.size).toBe(size);
      const algorithm = 'portcullis-1';
      const bytes = encodeArtifact(set, { encoding: 'portcullis-rice', algorithm }).length - 48 - algorithm.length;
      expect(bytes / (limitBits / 8), `${size} entries`).toBeLessThan(1.01);
      expect(bytes / (limitBits / 8), `${size} entries`).toBeGreaterThan(0.99);
    }
  });

  const random = (count: number): string[] => Array.from({ length: count }, seededNumbers(count)).map(word);
  const row = (start: number, count: number): string[] => Array.from({ length: count }, (_, at) => word(start + at));
  test.each<[string, string[]]>([
    ['nothing', []],
    ['the least entry', ['00000000']],
    ['the greatest entry', ['ffffffff']],
    ['both ends', ['00000000', 'ffffffff']],
    ['entries in a row from the least', row(0, 500)],
    ['entries in a row to the greatest, so one long run of ones', row(0xffff_ffff - 499, 500)],
    ['entries in the middle', row(0x8000_0000 - 250, 500)],
    ['few entries', random(3)],
    ['some entries', random(1_000)],
    // The divisor is 65,536, so all remainders have the same length.
    ['a count that makes the divisor a power of two', random(45_426)],
    ['more than one slice', random(70_000)],
  ])('match the oracle byte for byte for %s', async (_, entries) => {
    const prefixes = oracleList(entries, 4);
    const own = encodeArtifact(setOf(prefixes.entries, 4), { encoding: 'portcullis-rice' });
    expect(Buffer.compare(own, oracleEncode(prefixes, 'portcullis-rice'))).toBe(0);
    expect(await read(own, {})).toEqual(prefixes.entries);

    // Gives every entry two different second halves, so that first halves repeat.
    const hashes = oracleList(
      entries.slice(0, 5_000).flatMap((entry, at) => [entry + word(at), `${entry}ffffffff`]),
      8,
    );
    const ownHashes = encodeArtifact(setOf(hashes.entries, 8), { encoding: 'portcullis-rice' });
    expect(Buffer.compare(ownHashes, oracleEncode(hashes, 'portcullis-rice'))).toBe(0);
    expect(await read(ownHashes, { entryBytes: 8 })).toEqual(hashes.entries);
  });

  // Each count has its own divisor; these counts have remainders of 23 to 32 bits.
  test('match the specification byte for byte for every count up to 100, or 300 in the deep run', async () => {
    for (let count = 0; count <= (isDeep ? 300 : 100); count++) {
      const list = oracleList(random(count), 4);
      const own = encodeArtifact(setOf(list.entries, 4), { encoding: 'portcullis-rice' });
      expect(Buffer.from(own).toString('hex')).toBe(Buffer.from(oracleEncode(list, 'portcullis-rice')).toString('hex'));
      expect(await read(own, {})).toEqual(list.entries);
    }
  });

  /** The bits are read or rejected as the specification says; with a valid checksum, nothing else can reject them. */
  async function expectReadAsSpecified(payload: Uint8Array, count: number, entryBytes: 4 | 8): Promise<void> {
    const hex = Buffer.from(payload).toString('hex');
    let entries: string[];
    try {
      entries = readRice(payload, count, entryBytes);
    } catch (error) {
      if (!(error instanceof OracleRefusal)) throw error;
      // The payload must be the reason for the rejection, although the checksum is wrong too.
      const reason = { ...refused, message: expect.not.stringContaining('checksum') };
      await expect(read(forgeRice(entryBytes, [], hex, count), { entryBytes })).rejects.toMatchObject(reason);
      return;
    }
    expect(await read(forgeRice(entryBytes, entries, hex), { entryBytes })).toEqual(entries);
  }

  test('are read from any bits as the oracle reads them', async () => {
    const bits = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.array(fc.constantFrom(0, 0xff, 0x80, 1), { maxLength: 20 }).map((bytes) => Uint8Array.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(bits, fc.nat(8), fc.constantFrom<4 | 8>(4, 8), async (payload, count, entryBytes) => {
        await expectReadAsSpecified(payload, count, entryBytes);
      }),
    );
  });

  test('are read as the oracle reads them after bits are changed, added or removed', async () => {
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom('set', 'insert', 'remove') });
    await fc.assert(
      fc.asyncProperty(anyList, fc.array(change, { minLength: 1, maxLength: 3 }), async ({ entries, entryBytes }, changes) => {
        const payload = [...bytesOf(packBits(riceBits(entries, entryBytes)))];
        for (const { at, byte, kind } of changes) {
          const place = at % (payload.length + 1);
          if (kind === 'set' && place < payload.length) payload[place]! ^= 1 << (byte & 7);
          else payload.splice(place, kind === 'remove' ? 1 : 0, ...(kind === 'insert' ? [byte] : []));
        }
        await expectReadAsSpecified(Uint8Array.from(payload), entries.length, entryBytes);
      }),
    );
  });

  test.each([
    [4, random(7)],
    [8, random(7).flatMap((entry) => [entry + word(5), entry + word(6)])],
  ] as const)(
    'are read as the specification reads them after any bit of %i-byte entries is changed',
    async (entryBytes, unsorted) => {
      const { entries } = oracleList(unsorted, entryBytes);
      const payload = bytesOf(packBits(riceBits(entries, entryBytes)));
      for (let bit = 0; bit < payload.length * 8; bit++) {
        const changed = payload.with(bit >> 3, payload[bit >> 3]! ^ (0x80 >> (bit & 7)));
        await expectReadAsSpecified(changed, entries.length, entryBytes);
      }
    },
  );

  test('are rejected in any but the canonical form', async () => {
    const { entries } = oracleList(random(5), 4);
    const bits = riceBits(entries, 4);
    const free = (8 - (bits.length % 8)) % 8;
    expect(free).toBeGreaterThan(0);
    // The checksum covers the entries, so these containers differ only in their payload.
    expect(await read(forgeRice(4, entries, packBits(bits)), {})).toEqual(entries);
    for (let at = 0; at < free; at++) {
      const filled = `${bits}${'0'.repeat(at)}1`;
      await expect(read(forgeRice(4, entries, packBits(filled)), {})).rejects.toMatchObject(refused);
    }
    // There is one byte too many, whether or not the previous byte ends in padding.
    const fills = new Set<number>();
    for (let count = 1; count <= 40; count++) {
      const some = oracleList(random(count), 4).entries;
      const own = riceBits(some, 4);
      fills.add(own.length % 8);
      await expect(read(forgeRice(4, some, `${packBits(own)}00`), {})).rejects.toMatchObject(refused);
    }
    expect(fills).toContain(0);
  });

  test('are rejected after an empty list', async () => {
    for (const entryBytes of [4, 8] as const) {
      expect(await read(forgeRice(entryBytes, [], ''), { entryBytes })).toEqual([]);
      await expect(read(forgeRice(entryBytes, [], '00'), { entryBytes })).rejects.toMatchObject(refused);
    }
  });

  test('are read up to the largest number and rejected beyond it', async () => {
    // One entry has the divisor 2,977,044,472, and remainders from 1,317,922,824 on have 32 bits.
    const coded = (value: number): string => {
      const rest = value - 2_977_044_472;
      return packBits(
        rest < 1_317_922_824
          ? `10${rest.toString(2).padStart(31, '0')}`
          : `10${(rest + 1_317_922_824).toString(2).padStart(32, '0')}`,
      );
    };
    expect(await read(forgeRice(4, ['ffffffff'], coded(2 ** 32 - 1)), {})).toEqual(['ffffffff']);
    await expect(read(forgeRice(4, ['00000000'], coded(2 ** 32)), {})).rejects.toMatchObject(refused);
    await expect(read(forgeRice(4, ['00000001'], coded(2 ** 32 + 1)), {})).rejects.toMatchObject(refused);
  });

  test('are rejected if second halves of the same first half do not ascend', async () => {
    const { entries } = oracleList(['0000000100000005', '0000000100000006'], 8);
    const bits = riceBits(entries, 8);
    for (const second of [4, 5]) {
      const broken = bits.slice(0, -32) + second.toString(2).padStart(32, '0');
      const claimed = [entries[0]!, `00000001${word(second)}`];
      await expect(read(forgeRice(8, claimed, packBits(broken)), { entryBytes: 8 })).rejects.toMatchObject(refused);
    }
    expect(await read(forgeRice(8, entries, packBits(bits)), { entryBytes: 8 })).toEqual(entries);
  });

  test.each([
    ['ones', 0xff],
    ['zeros', 0],
  ])('are read as the oracle reads them if all bits are %s, even a megabyte of them', async (_, byte) => {
    for (const entryBytes of [4, 8] as const) {
      for (const count of [0, 1, 2, 3, 10, 1_000]) {
        for (let length = 0; length < 12; length++) {
          await expectReadAsSpecified(new Uint8Array(length).fill(byte), count, entryBytes);
        }
      }
      const large = Buffer.alloc(1 << 20, byte).toString('hex');
      for (const count of [1, 100_000, 500_000, 2 ** 25]) {
        await expect(read(forgeRice(entryBytes, [], large, count), { entryBytes })).rejects.toMatchObject(refused);
      }
    }
  });
});
