import fc from 'fast-check';
import { hashOf, prefixOf } from 'portcullis/assets';
import { isPortcullisError } from 'portcullis/prefixes';
import { describe, expect, test } from 'vitest';
import { readConfirm, writeConfirm } from '../../src/blocklist/formats/confirm-answer.js';
import { compareBytes, decodeShard, encodeShard, shardCount, shardName, shardOf } from '../../src/blocklist/formats/shards.js';
import { readVersion } from '../../src/blocklist/formats/version-document.js';
import { maxEntries } from '../../src/core/limits.js';

const ref = { token: 't1', count: 3, url: 'https://cdn.example/s.bin' };
const plain = { algoVersion: 'portcullis-1', snapshot: ref, recent: { ...ref, token: 't2' } };

function codeOf(run: () => unknown): string {
  try {
    run();
    return 'nothing';
  } catch (error) {
    return isPortcullisError(error) ? (error as unknown as { code: string }).code : String(error);
  }
}

describe('a version document', () => {
  test.each<[string, unknown]>([
    ['as we write it', plain],
    ['inside of data', { data: plain }],
    ['with other names of its parts', { algoVersion: 'portcullis-1', current: ref, recentAdditions: plain.recent }],
    ['with more of them', { algoVersion: 'portcullis-1', base: ref, delta: plain.recent }],
    [
      'with other names in its parts',
      {
        algoVersion: 'portcullis-1',
        full: { version: 't1', size: 3, downloadUrl: ref.url },
        incremental: { etag: 't2', total: 3, href: ref.url },
      },
    ],
    ['with what is none of ours', { ...plain, createdAt: 7, snapshot: { ...ref, createdAtMs: 7, more: [] } }],
  ])('is read %s', (_, document) => {
    expect(readVersion(document)).toEqual(plain);
  });

  test('needs an algoVersion that fits where it is sent back', () => {
    expect(readVersion({ ...plain, algoVersion: 'x'.repeat(64) }).algoVersion).toHaveLength(64);
    for (const algoVersion of [undefined, null, true, {}, 'x'.repeat(65)]) {
      expect(codeOf(() => readVersion({ ...plain, algoVersion }))).toBe('INVALID_RESPONSE');
    }
  });

  test('may have numbers for names, a checksum and a time to wait', () => {
    const sha256 = 'AB'.repeat(32);
    const document = { ...plain, algoVersion: 2, snapshot: { ...ref, token: 7, sha256 }, minWaitMs: 5_000 };
    expect(readVersion(document)).toEqual({
      ...plain,
      algoVersion: '2',
      snapshot: { ...ref, token: '7', sha256: 'ab'.repeat(32) },
      minWaitMs: 5_000,
    });
    expect(readVersion({ ...plain, minWaitMs: 1e12 }).minWaitMs).toBe(86_400_000);
    for (const minWaitMs of [-1, '5', Number.NaN, null]) expect(readVersion({ ...plain, minWaitMs })).toEqual(plain);
  });

  test('takes the first name that is there, and only its own', () => {
    const document = Object.assign(Object.create({ snapshot: ref }), { algoVersion: 'x', recent: ref });
    expect(codeOf(() => readVersion(document))).toBe('INVALID_RESPONSE');
    expect(readVersion({ ...plain, current: 'no' })).toEqual(plain);
    expect(codeOf(() => readVersion({ ...plain, snapshot: null, current: ref }))).toBe('INVALID_RESPONSE');
  });

  test.each([
    ['a token', { token: undefined }],
    ['a token that is a text or a number', { token: { toString: (): string => 'x' } }],
    ['a token of a sane length', { token: 'x'.repeat(4_097) }],
    ['a count', { count: undefined }],
    ['a count that is whole', { count: 1.5 }],
    ['a count that is a number', { count: '3' }],
    ['a count of no less than nothing', { count: -1 }],
    ['a count that a set can have', { count: maxEntries + 1 }],
    ['an address', { url: undefined }],
    ['an address of http', { url: 'javascript:alert(1)' }],
    ['an address with a host', { url: 'https:///x' }],
    ['an address without userinfo', { url: 'https://cdn.example@evil.example/x' }],
    ['an address without spaces', { url: 'https://cdn.example/ x' }],
    ['an address without backslashes', { url: 'https:\\\\cdn.example/x' }],
    ['an absolute address', { url: 's.bin' }],
    ['a checksum that is one', { sha256: 'ab' }],
    ['a checksum that is a text', { sha256: 7 }],
  ])('needs %s', (_, change) => {
    expect(codeOf(() => readVersion({ ...plain, snapshot: { ...ref, ...change } }))).toBe('INVALID_RESPONSE');
    expect(codeOf(() => readVersion({ ...plain, recent: { ...ref, ...change } }))).toBe('INVALID_RESPONSE');
  });

  test('has addresses below its base that cannot leave it', () => {
    const url = (address: string): string =>
      readVersion({ ...plain, snapshot: { ...ref, url: address } }, 'https://cdn.example/list//').snapshot.url;
    expect(url('s.bin')).toBe('https://cdn.example/list/s.bin');
    expect(url('a/b-1/s.bin')).toBe('https://cdn.example/list/a/b-1/s.bin');
    expect(url(ref.url)).toBe(ref.url);
    for (const address of [
      '../s.bin',
      'a/../s.bin',
      './s.bin',
      '/s.bin',
      '//evil.example/s',
      'a//b',
      '.hidden',
      'a?b',
      'a#b',
      '',
      'x:y',
    ]) {
      expect(
        codeOf(() => url(address)),
        address,
      ).toBe('INVALID_RESPONSE');
    }
  });

  test('that is anything else is refused, and nothing else is raised', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything({ withNullPrototype: true })), (value) => {
        for (const document of [value, { algoVersion: 'x', snapshot: value, recent: value }, { data: value }]) {
          expect(['nothing', 'INVALID_RESPONSE']).toContain(codeOf(() => readVersion(document, 'https://cdn.example')));
        }
      }),
    );
  });
});

describe('a confirmation', () => {
  const evil = prefixOf('evil.example');
  const other = prefixOf('other.example');
  const hex = (text: string): string => Buffer.from(hashOf(text)).toString('hex');
  const name = (prefix: number): string => prefix.toString(16).padStart(8, '0');
  const groups = { [name(evil)]: [hex('evil.example')] };
  const list = [{ prefix: name(evil), hashes: [hex('evil.example')] }];

  test.each<[string, unknown]>([
    ['as we write it', { hashes: groups }],
    ['as a map alone', groups],
    ['as a list alone', list],
    ['as a list of matches', { matches: list }],
    [
      'as results with other names',
      { results: [{ hashPrefix: name(evil).toUpperCase(), fullHashes: [hex('evil.example').toUpperCase()] }] },
    ],
    ['inside of data', { data: { hashes: groups } }],
    ['inside of data, as a list', { data: { results: list } }],
    ['inside of data, as a map alone', { data: groups }],
    ['inside of data, as a list alone', { data: list }],
  ])('is read %s', (_, answer) => {
    const confirmed = readConfirm(answer, [evil, other]);
    expect([...confirmed].map(([prefix, hashes]) => [prefix, hashes.map((hash) => Buffer.from(hash).toString('hex'))])).toEqual([
      [evil, [hex('evil.example')]],
      [other, []],
    ]);
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['an empty object', {}],
    ['another object', { ok: true }],
    ['a text', 'ok'],
    ['a container of a text', { hashes: 'none' }],
    ['a container of nothing', { hashes: null }],
    ['a map with another key', { ...groups, error: 'x' }],
    ['an error in data', { data: { error: 'overloaded' } }],
    ['a message in data', { data: { message: 'x' } }],
    ['nothing in data', { data: {} }],
    ['data in data', { data: { data: { hashes: groups } } }],
    ['a container of another map', { results: { ok: false } }],
    ['a container of hashes', { hashes: [hex('evil.example')] }],
    ['another container of hashes', { fullHashes: [hex('evil.example')] }],
    ['hashes alone', [hex('evil.example')]],
    ['a hash where a list belongs', { hashes: { [name(evil)]: hex('evil.example') } }],
    ['a list inside of an object', { hashes: { [name(evil)]: { hashes: [hex('evil.example')] } } }],
    ['hashes inside of objects', { hashes: { [name(evil)]: [{ hash: hex('evil.example') }] } }],
    ['hashes in another spelling', { hashes: { [name(evil)]: [`0x${hex('evil.example')}`, 7, null] } }],
    ['prefixes in another spelling', { hashes: { [`0x${name(evil)}`]: [hex('evil.example')] } }],
    ['a group with one hash', { hashes: [{ prefix: name(evil), hash: hex('evil.example') }] }],
    ['a group without a prefix', { matches: [{ fullHash: hex('evil.example') }] }],
    ['a prefix that cannot be written', { hashes: [{ prefix: { toString: 1 }, hashes: [] }] }],
    ['a list of good and other groups', { hashes: [...list, { prefix: 'evil', hashes: [] }] }],
    ...[null, 7, 'x', []].map((group): [string, unknown] => [`a group that is ${JSON.stringify(group)}`, { hashes: [group] }]),
  ])('says nothing as %s', (_, answer) => {
    expect(codeOf(() => readConfirm(answer, [evil]))).toBe('INVALID_RESPONSE');
  });

  test.each<[string, unknown]>([
    ['an empty map', { hashes: {} }],
    ['an empty list', { hashes: [] }],
    ['an empty list alone', []],
    ['an empty group', { hashes: { [name(evil)]: [] } }],
    ['hashes of another prefix', { hashes: { [name(evil)]: [hex('other.example')] } }],
    ['what was not asked for', { hashes: { [name(other)]: [hex('other.example'), 7] } }],
  ])('denies by %s', (_, answer) => {
    expect([...readConfirm(answer, [evil])]).toEqual([[evil, []]]);
  });

  test('loses no whole hash to a damaged one beside it', () => {
    const damaged = [hex('evil.example').slice(2), 7, null, `${hex('evil.example').slice(1)}g`];
    const [[, hashes]] = [...readConfirm({ hashes: { [name(evil)]: [...damaged, hex('evil.example')] } }, [evil])] as [
      [number, readonly Uint8Array[]],
    ];
    expect(hashes.map((hash) => Buffer.from(hash).toString('hex'))).toEqual([hex('evil.example')]);
  });

  test('inside of itself, however deep, is refused', () => {
    let answer: object = { hashes: groups };
    for (let depth = 0; depth < 100_000; depth++) answer = { data: answer };
    expect(codeOf(() => readConfirm(answer, [evil]))).toBe('INVALID_RESPONSE');
  });

  test('holds no more of one prefix than a list could', () => {
    const answer = { hashes: { [name(evil)]: new Array(5_000).fill(hex('evil.example')) } };
    expect(readConfirm(answer, [evil]).get(evil)?.length).toBe(1_000);
  });

  test('that is anything else is refused, and nothing else is raised', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything({ withNullPrototype: true })), (value) => {
        for (const answer of [
          value,
          { hashes: value },
          { hashes: { [name(evil)]: value } },
          [{ prefix: value, hashes: value }],
        ]) {
          expect(['nothing', 'INVALID_RESPONSE']).toContain(codeOf(() => readConfirm(answer, [evil])));
        }
      }),
    );
  });

  test('that was written reads as what it was', () => {
    const texts = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 10 });
    fc.assert(
      fc.property(texts, fc.array(fc.nat(0xffff_ffff)), (listed, more) => {
        const confirmed = new Map<number, Uint8Array[]>(more.map((prefix) => [prefix, []]));
        for (const text of listed) confirmed.set(prefixOf(text), [...(confirmed.get(prefixOf(text)) ?? []), hashOf(text)]);
        const answer = JSON.parse(JSON.stringify(writeConfirm(confirmed))) as unknown;
        expect(new Map(readConfirm(answer, confirmed.keys()))).toEqual(confirmed);
      }),
    );
  });
});

describe('a shard', () => {
  const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const content = fc.tuple(fc.nat(shardCount - 1), fc.array(random, { maxLength: 20 })).map(([shard, hashes]) => {
    for (const hash of hashes) hash.set([shard >> 4, ((shard & 15) << 4) | (hash[1]! & 15)]);
    const sorted = hashes.sort(compareBytes).filter((hash, at) => at === 0 || compareBytes(hashes[at - 1]!, hash) !== 0);
    return [shard, sorted] as const;
  });

  test('has its place and its name from the first twelve bits', () => {
    expect([shardOf(0), shardOf(0x0a3fffff), shardOf(0xffffffff)]).toEqual([0, 0x0a3, shardCount - 1]);
    expect([shardName(0), shardName(0x0a3), shardName(4_095)]).toEqual(['confirm/000.bin', 'confirm/0a3.bin', 'confirm/fff.bin']);
  });

  test('reads as what was written', () => {
    fc.assert(
      fc.property(content, ([shard, hashes]) => {
        const bytes = encodeShard(shard, hashes);
        expect(bytes.length).toBe(16 + 32 * hashes.length);
        expect(decodeShard(bytes, shard).map((hash) => [...hash])).toEqual(hashes.map((hash) => [...hash]));
      }),
    );
  });

  test('is refused when it is another one, is cut, has more behind it, or is out of order', () => {
    fc.assert(
      fc.property(content, fc.nat(), fc.nat(), ([shard, hashes], at, other) => {
        const bytes = encodeShard(shard, hashes);
        const refused = (damaged: Uint8Array, as = shard): void =>
          expect(codeOf(() => decodeShard(damaged, as))).toBe('INVALID_ARTIFACT');
        refused(bytes, (shard + 1 + (other % (shardCount - 1))) % shardCount);
        refused(bytes.subarray(0, at % bytes.length));
        refused(Uint8Array.of(...bytes, 0));
        refused(Uint8Array.of(...bytes, ...new Uint8Array(32)));
        if (hashes.length > 1) refused(encodeShard(shard, [...hashes].reverse()));
        if (hashes.length > 0) refused(encodeShard(shard, [hashes[0]!, ...hashes]));
        const header = Uint8Array.from(bytes);
        const place = at % 16;
        // Byte 9 says nothing yet.
        header[place] = header[place]! ^ (1 + (other % 255));
        if (place !== 9) refused(header);
      }),
    );
  });

  test('of any bytes is read or refused, and nothing else is raised', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(shardCount - 1), (bytes, shard) => {
        expect(['nothing', 'INVALID_ARTIFACT']).toContain(codeOf(() => decodeShard(bytes, shard)));
      }),
    );
  });
});
