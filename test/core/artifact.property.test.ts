import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  type ArtifactEncoding,
  type ArtifactExpectation,
  decodeArtifact,
  encodeArtifact,
  HashSet,
  isPortcullisError,
  PrefixSet,
} from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { anyList, setOf } from '../support/entry-lists.js';
import {
  bytesOf,
  type ContainerParts,
  forgeContainer,
  hexEntries,
  hexOf,
  ORACLE_ENCODINGS,
  type OracleExpectation,
  OracleRefusal,
  oracleDecode,
  oracleEncode,
  oracleList,
  packBits,
  riceBits,
  seededNumbers,
  word,
} from '../support/oracle/artifact.js';
import { isDeep } from '../support/setup.js';

const textBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function read(bytes: Uint8Array, expectation: ArtifactExpectation = {}): Promise<string[]> {
  const set = await decodeArtifact(bytes, expectation);
  expect(set).toBeInstanceOf(expectation.entryBytes === 8 ? HashSet : PrefixSet);
  const entries = hexEntries(set);
  expect(set.size).toBe(entries.length);
  return entries;
}

async function expectRefused(bytes: Uint8Array, expectation: ArtifactExpectation = {}): Promise<void> {
  await expect(read(bytes, expectation)).rejects.toMatchObject({ name: 'PortcullisError', code: 'INVALID_ARTIFACT' });
}

function randomEntries(count: number, entryBytes: 4 | 8, seed = 1): string[] {
  const next = seededNumbers(seed);
  return Array.from({ length: count }, () => (entryBytes === 4 ? word(next()) : word(next()) + word(next()))).sort();
}

/** The set the specification gives, or a rejection where it gives none. */
async function expectAsSpecified(bytes: Uint8Array, expected: ArtifactExpectation): Promise<void> {
  let entries: readonly string[] | null = null;
  try {
    entries = oracleDecode(bytes, expected as OracleExpectation).entries;
  } catch (error) {
    if (!(error instanceof OracleRefusal)) throw error;
  }
  try {
    expect(await read(bytes, expected)).toEqual(entries);
  } catch (error) {
    if (!isPortcullisError(error)) throw error;
    expect(entries).toBeNull();
    const argument = expected.encoding === 'raw' && expected.count === undefined;
    expect(argument ? ['INVALID_INPUT'] : ['INVALID_ARTIFACT', 'LIMIT_EXCEEDED']).toContain(error.code);
  }
}

const containers = ['portcullis', 'portcullis-rice'] as const;
const texts = ['hex', 'json'] as const;
const lengths = [4, 8] as const;

/** A small list in each container encoding, with entries of each length. */
const smallContainers = containers.flatMap((encoding) =>
  lengths.map((entryBytes) => {
    const entries = randomEntries(5, entryBytes);
    return { encoding, entryBytes, entries, bytes: encodeArtifact(setOf(entries, entryBytes), { encoding }) };
  }),
);

describe('an artifact', () => {
  // Formats are API: every later release must read these bytes, and write the same.
  test.each<[ArtifactEncoding, 4 | 8, string]>([
    [
      'portcullis',
      4,
      '8950434c0d0a1a0a0100040c000000049f14ba66af7a435f5af61d49c791d072' +
        '653c18212c717978da348445f54e8efe706f727463756c6c69732d3100000000' +
        '9c180de0d2da59d3f001957c',
    ],
    [
      'portcullis-rice',
      4,
      '8950434c0d0a1a0a0101040c000000045a1c31ad5b4ca3c3fb389b8fbe4439eb' +
        'c43784a2417658df33b679babac6f045706f727463756c6c69732d3100000003' +
        'aaa5f5e794cb8be8c32ad6a8',
    ],
    [
      'portcullis',
      8,
      '8950434c0d0a1a0a0100080c00000003eb4d84a8cbc401c4eee3f9e14dcdaa0d' +
        '445c200176d782e8315c68858b2e65dd706f727463756c6c69732d319c180de0' +
        'cd699ee79c180de0cd699ee8f001957c833da353',
    ],
    [
      'portcullis-rice',
      8,
      '8950434c0d0a1a0a0101080c00000003ef1942c95e74b05711af1171ff3deac7' +
        'af5b33c87f51b4ca9a2cb5db949f71a8706f727463756c6c69732d31d552faf4' +
        'e6b4cf73800000019ad33dd13b3aef45067b46a6',
    ],
    ['raw', 4, '000000009c180de0d2da59d3f001957c'],
    ['raw', 8, '9c180de0cd699ee79c180de0cd699ee8f001957c833da353'],
    ['hex', 4, hexOf(textBytes('00000000\n9c180de0\nd2da59d3\nf001957c\n'))],
    ['hex', 8, hexOf(textBytes('9c180de0cd699ee7\n9c180de0cd699ee8\nf001957c833da353\n'))],
    ['json', 4, hexOf(textBytes('["00000000","9c180de0","d2da59d3","f001957c"]'))],
    ['json', 8, hexOf(textBytes('["9c180de0cd699ee7","9c180de0cd699ee8","f001957c833da353"]'))],
  ])('is exactly these bytes as %s with %i-byte entries', async (encoding, entryBytes, expected) => {
    const entries =
      entryBytes === 4
        ? ['00000000', '9c180de0', 'd2da59d3', 'f001957c']
        : ['9c180de0cd699ee7', '9c180de0cd699ee8', 'f001957c833da353'];
    expect(hexOf(encodeArtifact(setOf(entries, entryBytes), { encoding }))).toBe(expected);
    expect(await read(bytesOf(expected), { encoding, entryBytes, count: entries.length })).toEqual(entries);
  });

  test.each(ORACLE_ENCODINGS)('is what the oracle writes as %s, and is read back', async (encoding) => {
    await fc.assert(
      fc.asyncProperty(anyList, async (expected) => {
        const { entries, entryBytes } = expected;
        const count = entries.length;
        const own = encodeArtifact(setOf(entries, entryBytes), { encoding, algorithm: expected.algorithm });
        expect(hexOf(own)).toBe(hexOf(oracleEncode(expected, encoding)));
        expect(oracleDecode(own, { encoding, entryBytes, count }).entries).toEqual(entries);
        expect(await read(own, { encoding, entryBytes, count })).toEqual(entries);
        // Also without the encoding's name, and without count and algorithm if the encoding carries them.
        expect(await read(own, { entryBytes, count, sha256: sha256Of(own) })).toEqual(entries);
        if (encoding !== 'raw' && own.length > 0) expect(await read(own, { entryBytes })).toEqual(entries);
        if (encoding.startsWith('portcullis')) {
          expect(await read(own, { entryBytes, algorithm: expected.algorithm })).toEqual(entries);
        }
      }),
    );
  });

  test.each(ORACLE_ENCODINGS)('is what the oracle writes as %s, over several slices', async (encoding) => {
    for (const entryBytes of lengths) {
      const entries = randomEntries(66_000, entryBytes);
      const own = encodeArtifact(setOf(entries, entryBytes), { encoding });
      expect(Buffer.compare(own, oracleEncode(oracleList(entries, entryBytes), encoding))).toBe(0);
      const found = await read(own, { entryBytes, count: 66_000 });
      expect(createHash('sha256').update(found.join('')).digest('hex')).toBe(
        createHash('sha256').update(entries.join('')).digest('hex'),
      );
    }
  });

  test.each(ORACLE_ENCODINGS)('holds the entries of a set in the large layout as %s', async (encoding) => {
    const set = PrefixSet.from(Uint32Array.from({ length: 140_000 }, seededNumbers(2)));
    const bytes = encodeArtifact(set, { encoding });
    const again = await decodeArtifact(bytes, { encoding, count: 140_000, sha256: sha256Of(bytes) });
    expect(Buffer.compare(again.toBytes(), set.toBytes())).toBe(0);
    expect(Buffer.compare(encodeArtifact(PrefixSet.fromBytes(set.toBytes()), { encoding }), bytes)).toBe(0);
  });

  test('has the size that the table of formats states', () => {
    const set = PrefixSet.from(Uint32Array.from({ length: 100_000 }, seededNumbers(100_000)));
    const size = (encoding: ArtifactEncoding): number => encodeArtifact(set, { encoding }).length;
    expect(['raw', 'hex', 'json', 'portcullis'].map((encoding) => size(encoding as ArtifactEncoding))).toEqual([
      400_000, 900_000, 1_100_001, 400_060,
    ]);
    // The gaps of another random list take a few bytes more or less.
    expect(Math.abs(size('portcullis-rice') - 210_885)).toBeLessThan(100);
  });

  test('is read from a Buffer and from the middle of other bytes', async () => {
    for (const { bytes, entries, entryBytes } of smallContainers) {
      const around = Buffer.concat([Buffer.from('abc'), bytes, Buffer.from('abc')]);
      expect(await read(around.subarray(3, 3 + bytes.length), { entryBytes })).toEqual(entries);
      expect(await read(new Uint8Array(around.buffer, around.byteOffset + 3, bytes.length), { entryBytes })).toEqual(entries);
    }
  });

  test('does not share memory with the set it came from or became', async () => {
    for (const encoding of ORACLE_ENCODINGS) {
      for (const entryBytes of lengths) {
        const entries = randomEntries(20, entryBytes);
        const set = setOf(entries, entryBytes);
        const bytes = encodeArtifact(set, { encoding });
        const again = await decodeArtifact(bytes, { encoding, count: 20, entryBytes } as { entryBytes: 4 });
        bytes.fill(0);
        expect(hexEntries(set)).toEqual(entries);
        expect(hexEntries(again)).toEqual(entries);
      }
    }
  });
});

describe('a list as text', () => {
  const [a, b, c] = ['0123abcd', '89abcdef', 'fedcba98'] as const;
  test.each<[string, 'hex' | 'json', string, string[]]>([
    ['with a last line end', 'hex', `${a}\n${b}\n`, [a, b]],
    ['without a last line end', 'hex', `${a}\n${b}`, [a, b]],
    ['with CR LF', 'hex', `${a}\r\n${b}\r\n`, [a, b]],
    ['with CR LF and no last line end', 'hex', `${a}\r\n${b}`, [a, b]],
    ['in both cases', 'hex', '0123aBCd\n', [a]],
    ['of one entry', 'hex', a, [a]],
    ['of nothing', 'json', '[]', []],
    ['of nothing in space', 'json', ' \t\r\n[ \t\r\n] \t\r\n', []],
    ['printed', 'json', `[\n  "${a}",\n  "${b}"\n]\n`, [a, b]],
    ['printed on the other system', 'json', `[\r\n\t"${a}",\r\n\t"${b}"\r\n]\r\n`, [a, b]],
  ])('%s is read: %s %j', async (_, encoding, text, expected) => {
    const bytes = textBytes(text);
    expect(await read(bytes, { encoding })).toEqual(expected);
    expect(await read(bytes, {})).toEqual(expected);
    expect(oracleDecode(bytes, { encoding }).entries).toEqual(expected);
    // The same lists with entries twice as long.
    const wide = textBytes(text.replaceAll(/[0-9a-f]{8}/gi, (entry) => entry + entry));
    expect(await read(wide, { encoding, entryBytes: 8 })).toEqual(expected.map((entry) => entry + entry));
    expect(await read(wide, { entryBytes: 8 })).toEqual(expected.map((entry) => entry + entry));
  });

  const notHex = [
    ...['', '\n', `\n${a}\n`, `${a}\n\n`, `${a}\n\n${b}\n`, `${a}\r`, `${a}\r${b}\n`, `${a}\r\r\n`],
    ...[`${a}\n\r`, ` ${a}\n`, `${a} \n`, `${a}${b}${c}\n`, '0123abc\n', '0123abcd0\n', '0123abcg\n'],
    ...[`0x${a}\n`, '0x0123ab\n', '-123abcd\n', `${a},${b}\n`, `${a}\0\n`, `\ufeff${a}\n`, '０１２３ａｂｃｄ\n'],
    ...[`["${a}"]`],
  ];
  const notJson = [
    ...['', ' ', '[', ']', '[,]', '[[]]', '{}', 'null', `"${a}"`, `["${a}"`, `["${a}]`, `["${a}",]`],
    ...[`[,"${a}"]`, `["${a}",,"${b}"]`, `["${a}" "${b}"]`, `["${a}";"${b}"]`, `["${a}":"${b}"]`],
    ...[`{"${a}":"${b}"}`, `["${a}"}`, `{"${a}"]`, `["${a}"]]`, `["${a}"][]`, `["${a}"] x`, `["${a}"]\0`],
    ...[`\ufeff["${a}"]`, `\u00a0["${a}"]`, `\v["${a}"]`, `[ "${a} "]`, `[" ${a}"]`, `['${a}']`, `[${a}]`],
    ...['[12345678]', '["0123abc"]', '["0123abcd0"]', '[""]', `["${a}","${b}${c}"]`, '["\\u0030123abcd"]'],
    ...[`["${a}"]//`, `${a}\n`],
  ];
  test.each<['hex' | 'json', string]>([
    ...notHex.map((text) => ['hex', text] as ['hex', string]),
    ...notJson.map((text) => ['json', text] as ['json', string]),
  ])('is refused if it is malformed: %s %j', async (encoding, text) => {
    await expectRefused(textBytes(text), { encoding });
    await expectRefused(textBytes(text), { encoding, entryBytes: 8 });
    expect(() => oracleDecode(textBytes(text), { encoding })).toThrow(OracleRefusal);
  });

  test('may have any whitespace between JSON tokens', async () => {
    const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n'), maxLength: 4 });
    const spaces = fc.array(space, { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(anyList, spaces, async ({ entries, entryBytes }, gaps) => {
        let at = 0;
        const text = JSON.stringify(entries).replaceAll(/[[\],]|"\w+"/g, (part) => part + gaps[at++ % gaps.length]);
        expect(await read(textBytes(gaps[7] + text), { entryBytes })).toEqual(entries);
      }),
    );
  });

  test('may have unsorted and repeated entries, in either case and with either line end', async () => {
    await fc.assert(
      fc.asyncProperty(anyList, fc.infiniteStream(fc.nat(0xffff)), async ({ entries, entryBytes }, stream) => {
        const choose = (below: number): number => (stream.next().value ?? 0) % below;
        const spread = entries
          .flatMap((entry) => new Array<string>(1 + choose(3)).fill(entry))
          .map((entry) => ({ entry, key: choose(0xffff) }));
        const mixed = spread
          .sort((one, other) => one.key - other.key)
          .map(({ entry }) => (choose(2) ? entry : entry.toUpperCase()));
        if (mixed.length > 0) {
          const lines = mixed.map((entry) => entry + (choose(2) ? '\n' : '\r\n')).join('');
          expect(await read(textBytes(lines), { entryBytes })).toEqual(entries);
        }
        expect(await read(textBytes(JSON.stringify(mixed)), { entryBytes })).toEqual(entries);
      }),
    );
  });
});

describe('the decoder with expectations', () => {
  const container = encodeArtifact(PrefixSet.from([1]), { encoding: 'portcullis' });

  const written = ORACLE_ENCODINGS.flatMap((encoding) => lengths.map((length) => [encoding, length] as const));
  test.each(written)('agrees with the oracle about an artifact as %s with %i-byte entries', async (written, length) => {
    for (const name of ['portcullis-1', 'a.list']) {
      const bytes = oracleEncode(oracleList(randomEntries(20, length), length, name), written);
      for (const encoding of [undefined, ...ORACLE_ENCODINGS])
        for (const entryBytes of [undefined, ...lengths])
          for (const count of [undefined, 0, 1, 10, 19, 20, 21, 40, 2 ** 25])
            for (const algorithm of [undefined, 'a.list', 'a.lis', 'a.lists', 'A.LIST', 'portcullis-1', ''])
              await expectAsSpecified(bytes, { encoding, entryBytes, count, algorithm });
    }
  });

  test.each([...containers, ...texts, 'raw'] as const)('rejects a count larger than a set can hold, as %s', async (encoding) => {
    const bytes = encodeArtifact(PrefixSet.from([1]), { encoding });
    for (const count of [2 ** 25 + 1, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      await expect(decodeArtifact(bytes, { encoding, count })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    }
  });

  test('does not read a text as raw entries, even if it has their length', async () => {
    const json = Uint8Array.from(Buffer.from('["00aa00ff"]'));
    expect(await read(json, { count: 3 })).toEqual(['00aa00ff']);
    const hex = Uint8Array.from(Buffer.from('00aa00ff\n00aa01ff\n00aa02ff\n00aa03ff'.replaceAll('\n', '\r\n').slice(0, 36)));
    await expectRefused(hex, { count: 9 });
  });

  test('allows whitespace between the tokens of JSON, up to a limit', async () => {
    const json = (spaces: number): Uint8Array => Uint8Array.from(Buffer.from(`[${' '.repeat(spaces)}"00aa00ff"]`));
    expect(await read(json(1024), { encoding: 'json' })).toEqual(['00aa00ff']);
    await expectRefused(json(1025), { encoding: 'json' });
  });

  // A publisher may count expressions, of which some share a prefix: chance explains n²/2^33 of them.
  test.each(texts)('allows a count slightly above the number of entries, as %s', async (encoding) => {
    const sizes: [entries: number, fits: number[], fails: number[]][] = [
      [0, [0], [1, 2, 17]],
      [1, [1, 2, 16, 17], [0, 18]],
      [20, [20, 21, 36], [19, 37, 1_000]],
    ];
    // 262,144² / 2^32 is 16, 262,145 allow no whole entry more, and 300,000 allow 20.
    if (isDeep) sizes.push([262_128, [262_128, 262_144], [262_127, 262_145]], [299_980, [299_980, 300_000], [299_979, 300_001]]);
    for (const [size, fits, fails] of sizes) {
      const entries = randomEntries(size, 4);
      const bytes = oracleEncode(oracleList(entries, 4), encoding);
      for (const count of fits) {
        expect((await decodeArtifact(bytes, { encoding, count })).size).toBe(size);
        if (size < 100) expect(oracleDecode(bytes, { encoding, count }).entries).toEqual(entries);
      }
      for (const count of fails) await expectRefused(bytes, { encoding, count });
    }
  });

  test.each(texts)('counts a repeated entry once, as %s', async (encoding) => {
    const lines = new Array<string>(100).fill('0123abcd');
    const bytes = textBytes(encoding === 'hex' ? lines.join('\n') : JSON.stringify(lines));
    expect(await read(bytes, { encoding, count: 1 })).toEqual(['0123abcd']);
    expect(await read(bytes, { encoding, count: 17 })).toEqual(['0123abcd']);
    await expectRefused(bytes, { encoding, count: 18 });
    await expectRefused(bytes, { encoding, count: 100 });
  });

  test.each(ORACLE_ENCODINGS)('verifies the SHA-256 of the bytes, as %s', async (encoding) => {
    const entries = randomEntries(5, 4);
    const bytes = encodeArtifact(setOf(entries, 4), { encoding });
    const sha256 = sha256Of(bytes);
    for (const given of [sha256, sha256.toUpperCase(), bytesOf(sha256), Buffer.from(sha256, 'hex')]) {
      expect(await read(bytes, { encoding, count: 5, sha256: given })).toEqual(entries);
    }
    const other = bytesOf(sha256);
    other[31]! ^= 1;
    for (const wrong of [sha256Of(new Uint8Array(0)), hexOf(other), other, '0'.repeat(64), new Uint8Array(32)]) {
      await expectRefused(bytes, { encoding, count: 5, sha256: wrong });
    }
  });

  test('checks the SHA-256 before anything else', async () => {
    const bytes = textBytes('<html>');
    await expect(decodeArtifact(bytes, { sha256: '0'.repeat(64), encoding: 'hex' })).rejects.toThrow(/checksum/);
    await expect(decodeArtifact(bytes, { sha256: sha256Of(bytes), encoding: 'hex' })).rejects.not.toThrow(/checksum/);
  });

  test('verifies the SHA-256 of large artifacts', async () => {
    const set = PrefixSet.from(Uint32Array.from({ length: 300_000 }, seededNumbers(1)));
    // Sizes around a megabyte, where hashing pauses.
    for (const size of [2 ** 18 - 1, 2 ** 18, 2 ** 18 + 1, 300_000]) {
      const bytes = encodeArtifact(set, { encoding: 'raw' }).subarray(0, size * 4);
      expect((await decodeArtifact(bytes, { count: size, sha256: sha256Of(bytes) })).size).toBe(size);
      await expectRefused(bytes, { count: size, sha256: sha256Of(bytes.subarray(1)) });
    }
  });

  test('needs a count for raw entries', async () => {
    const raw = encodeArtifact(PrefixSet.from([1, 2, 3]), { encoding: 'raw' });
    await expect(read(raw, { encoding: 'raw' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expectRefused(raw);
    // These begin like hex lines, JSON and a container; their exact length still makes them raw.
    for (const first of [0x30_30_30_30, 0x5b_22_30_30, 0x20_20_20_20]) {
      expect(await read(bytesOf(word(first)), { count: 1 })).toEqual([word(first)]);
      await expectRefused(bytesOf(word(first)), { count: 2 });
    }
    const likeContainer = bytesOf('8950434c0d0a1a0a');
    expect(await read(likeContainer, { encoding: 'raw', entryBytes: 8, count: 1 })).toEqual(['8950434c0d0a1a0a']);
    await expectRefused(likeContainer, { entryBytes: 8, count: 1 });
  });

  test.each<[string, unknown]>([
    ['an unknown encoding', { encoding: 'csv' }],
    ['an encoding in capitals', { encoding: 'HEX' }],
    ['an encoding named like a method of every object', { encoding: 'toString' }],
    ['an empty encoding', { encoding: '' }],
    ['another entry length', { entryBytes: 5 }],
    ['an entry length of 0', { entryBytes: 0 }],
    ['an entry length in words', { entryBytes: '4' }],
    ['a negative count', { count: -1 }],
    ['half a count', { count: 1.5 }],
    ['NaN as a count', { count: Number.NaN }],
    ['an endless count', { count: Infinity }],
    ['a short SHA-256', { sha256: 'abcd' }],
    ['an empty SHA-256', { sha256: '' }],
    ['a SHA-256 of other characters', { sha256: 'g'.repeat(64) }],
    ['a SHA-256 with a line end', { sha256: `${'0'.repeat(64)}\n` }],
    ['a SHA-256 of 31 bytes', { sha256: new Uint8Array(31) }],
    ['a SHA-256 of 33 bytes', { sha256: new Uint8Array(33) }],
  ])('rejects %s', async (_, expectation) => {
    const bytes = textBytes('0123abcd\n');
    await expect(read(bytes, expectation as ArtifactExpectation)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test.each<[string, unknown, unknown?]>([
    ['nothing', undefined],
    ['null', null],
    ['a string', '0123abcd\n'],
    ['an array', [0x30]],
    ['an ArrayBuffer', new ArrayBuffer(8)],
    ['words', new Uint16Array(8)],
    ...[{ sha256: 5 }, { count: '1' }, { count: null }, { algorithm: 5 }, { encoding: { toString: () => 'raw' } }].map(
      (expectation): [string, unknown, unknown] => [
        `bytes with ${Object.keys(expectation)} of another type`,
        container,
        expectation,
      ],
    ),
  ])('rejects %s', async (_, bytes, expectation) => {
    const wrong = expectation === undefined ? TypeError : expect.objectContaining({ code: 'INVALID_INPUT' });
    await expect(decodeArtifact(bytes as Uint8Array, expectation as object)).rejects.toThrow(wrong);
  });
});

describe('writing an artifact', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an array', [1, 2]],
    ['a Set', new Set([1])],
    ['stored bytes', PrefixSet.from([1]).toBytes()],
  ])('needs a set, not %s', (_, set) => {
    expect(() => encodeArtifact(set as PrefixSet, { encoding: 'raw' })).toThrow(TypeError);
  });

  test.each(['csv', '', 'RAW', 'toString', undefined, 5, {}])('is rejected for the encoding %j', (encoding) => {
    const write = () => encodeArtifact(PrefixSet.from([1]), { encoding: encoding as ArtifactEncoding });
    expect(write).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  test.each(['', '-a', '.a', 'A', 'a_b', 'a b', 'a\n', 'ä', 'a'.repeat(65)])('is rejected for an algorithm named %j', (name) => {
    for (const encoding of containers) {
      const write = () => encodeArtifact(PrefixSet.from([1]), { encoding, algorithm: name });
      expect(write).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    }
  });

  test.each(['a', '0', 'portcullis-1', 'a.b-c', 'a-', '1.', 'z'.repeat(64)])(
    'round-trips an algorithm named %s',
    async (name) => {
      for (const encoding of containers) {
        const bytes = encodeArtifact(PrefixSet.from([1]), { encoding, algorithm: name });
        expect(await read(bytes, { algorithm: name })).toEqual(['00000001']);
      }
    },
  );
});

describe('other bytes', () => {
  const page = '<!DOCTYPE html><html><head><title>Welcome to our Wi-Fi</title></head><body><h1>Please log in</h1></body></html>';

  test.each(ORACLE_ENCODINGS)('are rejected as %s: no bytes', async (encoding) => {
    const nothing = new Uint8Array(0);
    for (const entryBytes of lengths) {
      if (encoding === 'raw') {
        await expect(read(nothing, { encoding, entryBytes })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      } else await expectRefused(nothing, { encoding, entryBytes });
      await expectRefused(nothing, { encoding, entryBytes, count: 1 });
      await expectRefused(nothing, { entryBytes });
      // An empty list has no bytes in two encodings, and only a count distinguishes it from a list that did not arrive.
      const own = encoding === 'raw' || encoding === 'hex';
      if (own) expect(await read(nothing, { encoding, entryBytes, count: 0 })).toEqual([]);
      else await expectRefused(nothing, { encoding, entryBytes, count: 0 });
    }
  });

  test.each([...ORACLE_ENCODINGS, undefined])('are rejected as %s: a page instead of the list', async (encoding) => {
    for (const text of [page, `\n${page}`, `${page}\n`, `[${page}]`, '[{"error":"not found"}]', '4040 Not Found']) {
      // A captive portal's page may have exactly the length of the list: 4 or 8 bytes for each entry counted.
      for (const length of [text.length, Math.ceil(text.length / 8) * 8, Math.ceil(text.length / 4) * 4]) {
        for (const entryBytes of lengths) {
          const bytes = textBytes(text.padEnd(length, ' '));
          await expectRefused(bytes, { encoding, entryBytes, count: Math.floor(length / entryBytes) });
          if (encoding !== 'raw') await expectRefused(bytes, { encoding, entryBytes });
        }
      }
    }
  });

  test.each(smallContainers)(
    'are rejected as $encoding with $entryBytes-byte entries: truncated anywhere, or followed by other bytes',
    async ({ bytes, encoding, entryBytes }) => {
      const others: Uint8Array[] = [...bytes.keys()].map((length) => bytes.subarray(0, length));
      for (const behind of ['00', 'ff', '0a', '00'.repeat(4), '00'.repeat(8), 'ff'.repeat(8), '00'.repeat(100)]) {
        others.push(bytesOf(hexOf(bytes) + behind));
      }
      for (const other of others) {
        await expectRefused(other, { entryBytes });
        await expectRefused(other, { encoding, entryBytes });
        await expectRefused(other, { encoding, entryBytes, count: 5 });
      }
    },
  );

  test('are rejected as raw entries, or as text with a count, truncated anywhere', async () => {
    for (const entryBytes of lengths) {
      const entries = randomEntries(30, entryBytes);
      const raw = encodeArtifact(setOf(entries, entryBytes), { encoding: 'raw' });
      for (let length = 0; length < raw.length; length++) {
        await expectRefused(raw.subarray(0, length), { encoding: 'raw', entryBytes, count: 30 });
        await expectRefused(raw.subarray(0, length), { entryBytes, count: 30 });
      }
      const json = encodeArtifact(setOf(entries, entryBytes), { encoding: 'json' });
      for (let length = 0; length < json.length; length++) await expectRefused(json.subarray(0, length), { entryBytes });
      // Text truncated at a line end is a shorter list: only the count reveals it, and not if 16 or fewer are missing.
      const hex = encodeArtifact(setOf(entries, entryBytes), { encoding: 'hex' });
      const line = 2 * entryBytes + 1;
      for (let length = 0; length < hex.length; length++) {
        const whole = Math.floor((length + 1) / line);
        const cut = hex.subarray(0, length);
        const passes = (length % line === 0 || length % line === line - 1) && whole >= 30 - 16;
        if (passes) expect(await read(cut, { encoding: 'hex', entryBytes, count: 30 })).toEqual(entries.slice(0, whole));
        else await expectRefused(cut, { encoding: 'hex', entryBytes, count: 30 });
      }
    }
  });

  test.each(smallContainers)(
    'are rejected as $encoding with $entryBytes-byte entries: any bit changed',
    async ({ bytes, encoding, entryBytes }) => {
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = bytes.slice();
        changed[bit >> 3]! ^= 1 << (bit & 7);
        for (const expectation of [{ entryBytes }, { encoding, entryBytes }]) {
          const error: unknown = await read(changed, expectation).then(
            () => bit,
            (reason: unknown) => reason,
          );
          expect(error).toMatchObject({ code: expect.stringMatching(/^(INVALID_ARTIFACT|LIMIT_EXCEEDED)$/) });
        }
      }
    },
  );
});

describe('a container with a valid checksum', () => {
  const entries = randomEntries(4, 4);
  const raw = (parts: Partial<ContainerParts>, own = entries): Uint8Array =>
    forgeContainer({ entryBytes: 4, payload: own.join(''), ...parts }, own);

  test('is read if nothing else is wrong', async () => {
    expect(await read(raw({}))).toEqual(entries);
    expect(await read(raw({ payloadKind: 1, payload: packBits(riceBits(entries, 4)) }))).toEqual(entries);
  });

  test.each<[string, Uint8Array]>([
    ['another magic', raw({ magic: '8950434c0a1a0a0a' })],
    ['version 0', raw({ version: 0 })],
    ['version 2', raw({ version: 2 })],
    ['version 255', raw({ version: 255 })],
    ['payload 2', raw({ payloadKind: 2 })],
    ['payload 255', raw({ payloadKind: 255 })],
    ['raw entries called coded', raw({ payloadKind: 1 })],
    ['coded entries called raw', raw({ payload: packBits(riceBits(entries, 4)) })],
    ['entries of 0 bytes', raw({ entryBytes: 0 })],
    ['entries of 5 bytes', raw({ entryBytes: 5 })],
    ['an entry length twice the real one', raw({ entryBytes: 8, count: 2 })],
    ['no name', raw({ name: '' })],
    ['a name that is too long', raw({ name: 'a'.repeat(65) })],
    ['a name past the end', raw({ name: 'a', nameLength: 64 })],
    ['a name past the end of an empty list', raw({ name: 'a', nameLength: 2 }, [])],
    ['a name in capitals', raw({ name: 'Portcullis-1' })],
    ['a name that begins with a hyphen', raw({ name: '-a' })],
    ['a name that begins with a dot', raw({ name: '.a' })],
    ['a name with a space', raw({ name: 'a b' })],
    ['a name with a line end', raw({ name: 'a\n' })],
    ['a name with a zero', raw({ name: 'a\0' })],
    ['a name outside ASCII', raw({ name: 'é' })],
    ['a count that is one less', raw({ count: 3 })],
    ['a count that is one more', raw({ count: 5 })],
    ['a count of 0', raw({ count: 0 })],
    ['entries out of order', raw({}, entries.toReversed())],
    ['two entries swapped', raw({}, [entries[0]!, entries[2]!, entries[1]!, entries[3]!])],
    ['an entry twice', raw({}, [entries[0]!, entries[1]!, entries[1]!, entries[3]!])],
    ['no payload', raw({ payload: '' })],
    ['half an entry more', raw({ payload: `${entries.join('')}ffff` })],
    ['a checksum of other entries', raw({ hashed: entries.slice(1).join('') })],
    ['a checksum of the entries as text', raw({ hashed: Buffer.from(entries.join('\n')).toString('hex') })],
    ['a checksum without entries', raw({ hashed: '' })],
  ])('is rejected for %s', async (_, bytes) => {
    await expectRefused(bytes);
    for (const encoding of containers) await expectRefused(bytes, { encoding });
    expect(() => oracleDecode(bytes)).toThrow(OracleRefusal);
  });

  test('is rejected if only the second halves of 8-byte entries are out of order', async () => {
    for (const pair of [
      ['0000000100000002', '0000000100000001'],
      ['0000000100000001', '0000000100000001'],
    ]) {
      await expectRefused(forgeContainer({ entryBytes: 8, payload: pair.join('') }, pair), { entryBytes: 8 });
    }
  });

  // A few bytes must not make a reader allocate 128 MiB before it detects the error.
  test('is rejected for a count that its payload cannot hold, before memory is allocated', async () => {
    for (const payloadKind of [0, 1]) {
      for (const entryBytes of lengths) {
        for (const count of [1_000_000, 2 ** 24, 2 ** 25, 2 ** 25 + 1, 2 ** 31, 2 ** 32 - 1]) {
          const bytes = raw({ payloadKind, entryBytes, count, payload: '0011223344556677' });
          const before = process.memoryUsage().arrayBuffers;
          const reading = decodeArtifact(bytes, { entryBytes } as { entryBytes: 4 });
          // All the work happens before the first pause, so nothing can have been released yet.
          const taken = process.memoryUsage().arrayBuffers - before;
          await expect(reading).rejects.toMatchObject({ code: count > 2 ** 25 ? 'LIMIT_EXCEEDED' : 'INVALID_ARTIFACT' });
          expect(taken).toBeLessThan(100_000);
        }
      }
    }
    for (const encoding of ['raw', ...texts] as const) {
      const before = process.memoryUsage().arrayBuffers;
      const reading = decodeArtifact(textBytes('01234567\n'), { encoding, count: 2 ** 25 });
      const taken = process.memoryUsage().arrayBuffers - before;
      await expect(reading).rejects.toMatchObject({ code: 'INVALID_ARTIFACT' });
      expect(taken).toBeLessThan(100_000);
    }
  });
});

describe('any bytes', () => {
  const expectation = (count: number) =>
    fc.record<OracleExpectation>(
      {
        encoding: fc.constantFrom(...ORACLE_ENCODINGS),
        entryBytes: fc.constantFrom(4, 8),
        count: fc.oneof(fc.constant(count), fc.nat(20), fc.constantFrom(2 ** 25, 2 ** 32, Number.MAX_SAFE_INTEGER)),
        algorithm: fc.constantFrom('portcullis-1', 'other'),
      },
      { requiredKeys: [] },
    );

  test('are read or rejected exactly as the oracle does: random bytes', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 100 }).map((tail) => Uint8Array.from([...bytesOf('8950434c0d0a1a0a'), ...tail])),
      fc.uint8Array({ maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(bytes, expectation(2), async (own, expected) => {
        await expectAsSpecified(own, expected);
      }),
    );
  });

  test('are read or rejected exactly as the oracle does: parts of text in any order, and lists with one wrong part', async () => {
    const entry = fc.constantFrom('0123abcd', 'ABCDEF01', '00000000', '0123456789abcdef', 'FFFFFFFFffffffff');
    const part = fc.oneof(
      entry,
      fc.constantFrom('[', ']', '"', ',', '\n', '\r\n', '\r', ' ', '\t', '0', 'g', '\\', '€', '\ufeff', '"",'),
    );
    const lines = fc.array(fc.tuple(entry, fc.constantFrom('\n', '\r\n')), { maxLength: 4 }).map((own) => own.flat());
    const array = fc.array(entry, { maxLength: 4 }).map((own) => {
      return ['[', ...own.flatMap((text, at) => [...(at > 0 ? [','] : []), '"', text, '"']), ']'];
    });
    const nearly = fc.tuple(fc.oneof(lines, array), fc.nat(20), fc.nat(1), fc.array(part, { maxLength: 1 }));
    const text = fc.oneof(
      fc.array(part, { maxLength: 12 }),
      nearly.map(([parts, at, removed, added]) => parts.toSpliced(at, removed, ...added)),
    );
    await fc.assert(
      fc.asyncProperty(text, expectation(2), async (parts, expected) => {
        const bytes = textBytes(parts.join(''));
        for (const entryBytes of lengths) {
          for (const encoding of texts) await expectAsSpecified(bytes, { encoding, entryBytes });
          await expectAsSpecified(bytes, { entryBytes });
          await expectAsSpecified(bytes, { ...expected, entryBytes });
        }
      }),
    );
  });

  test('are read or rejected exactly as the oracle does: artifacts with changed bytes', async () => {
    const change = fc.record({
      at: fc.nat(),
      byte: fc.nat(255),
      kind: fc.constantFrom('set', 'flip', 'insert', 'remove', 'cut'),
    });
    await fc.assert(
      fc.asyncProperty(
        anyList.chain((own) => fc.record({ own: fc.constant(own), expected: expectation(own.entries.length) })),
        fc.constantFrom(...ORACLE_ENCODINGS),
        fc.array(change, { maxLength: 3 }),
        async ({ own, expected }, encoding, changes) => {
          const bytes = [...oracleEncode(own, encoding)];
          for (const { at, byte, kind } of changes) {
            const place = at % (bytes.length + 1);
            if (kind === 'insert') bytes.splice(place, 0, byte);
            else if (kind === 'cut') bytes.length = place;
            else if (kind === 'remove') bytes.splice(place, 1);
            else if (place < bytes.length) bytes[place] = kind === 'set' ? byte : bytes[place]! ^ (1 << (byte & 7));
          }
          for (const told of [
            expected,
            { ...expected, entryBytes: own.entryBytes },
            { encoding, entryBytes: own.entryBytes, count: own.entries.length },
          ]) {
            await expectAsSpecified(Uint8Array.from(bytes), told);
          }
        },
      ),
    );
  });

  test('are rejected unread when they exceed the largest list', async () => {
    const large = new Uint8Array(640 * 1024 * 1024 + 1);
    for (const encoding of [...ORACLE_ENCODINGS, undefined]) {
      await expect(decodeArtifact(large, { encoding, count: 1 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    }
  });
});
