import fc from 'fast-check';
import { hashOf, isPortcullisError, prefixOf } from 'portcullis/assets';
import { describe, expect, test } from 'vitest';
import { readConfirm, writeConfirm } from '../../src/blocklist/formats/confirm-answer.js';
import {
  compareBytes,
  decodeShard,
  encodeShard,
  type ShardCount,
  shardCounts,
  shardName,
  shardOf,
} from '../../src/blocklist/formats/shards.js';
import { readVersion } from '../../src/blocklist/formats/version-document.js';
import { maxEntries } from '../../src/core/limits.js';

const ref = { token: 't1', count: 3, url: 'https://cdn.example/s.bin' };
const plain = { algoVersion: 'portcullis-1', snapshot: ref, recent: { ...ref, token: 't2' } };

function codeOf(run: () => unknown): string {
  try {
    run();
    return 'none';
  } catch (error) {
    return isPortcullisError(error) ? (error as unknown as { code: string }).code : String(error);
  }
}

describe('version document', () => {
  test.each<[string, unknown]>([
    ['as this package writes it', plain],
    ['inside "data"', { data: plain }],
    ['with other names for its parts', { algoVersion: 'portcullis-1', current: ref, recentAdditions: plain.recent }],
    ['with further names for its parts', { algoVersion: 'portcullis-1', base: ref, delta: plain.recent }],
    [
      'with other names inside its parts',
      {
        algoVersion: 'portcullis-1',
        full: { version: 't1', size: 3, downloadUrl: ref.url },
        incremental: { etag: 't2', total: 3, href: ref.url },
      },
    ],
    ['with unknown fields', { ...plain, createdAt: 7, snapshot: { ...ref, createdAtMs: 7, more: [] } }],
  ])('accepts a version document %s', (_, document) => {
    expect(readVersion(document)).toEqual(plain);
  });

  test('requires an algoVersion of at most 64 characters', () => {
    expect(readVersion({ ...plain, algoVersion: 'x'.repeat(64) }).algoVersion).toHaveLength(64);
    for (const algoVersion of [undefined, null, true, {}, 'x'.repeat(65)]) {
      expect(codeOf(() => readVersion({ ...plain, algoVersion }))).toBe('INVALID_RESPONSE');
    }
  });

  test('accepts numbers as names, a checksum and minWaitMs', () => {
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

  test('uses the first known name, and only own properties', () => {
    const document = Object.assign(Object.create({ snapshot: ref }), { algoVersion: 'x', recent: ref });
    expect(codeOf(() => readVersion(document))).toBe('INVALID_RESPONSE');
    expect(readVersion({ ...plain, current: 'no' })).toEqual(plain);
    expect(codeOf(() => readVersion({ ...plain, snapshot: null, current: ref }))).toBe('INVALID_RESPONSE');
  });

  test.each([
    ['a token', { token: undefined }],
    ['a token that is a string or a number', { token: { toString: (): string => 'x' } }],
    ['a token of at most 4,096 characters', { token: 'x'.repeat(4_097) }],
    ...['t\n1', '\u001b[2J', '\u009b', 't\u202e1', 't\u00e9', '\ud800', '\0'].map((token): [string, object] => [
      `a token of printable ASCII, unlike ${JSON.stringify(token)}`,
      { token },
    ]),
    ['a count', { count: undefined }],
    ['an integer count', { count: 1.5 }],
    ['a count that is a number', { count: '3' }],
    ['a count of at least 0', { count: -1 }],
    ['a count of at most maxEntries', { count: maxEntries + 1 }],
    ['a URL', { url: undefined }],
    ['an http URL', { url: 'javascript:alert(1)' }],
    ['a URL with a host', { url: 'https:///x' }],
    ['a URL without userinfo', { url: 'https://cdn.example@evil.example/x' }],
    ['a URL without spaces', { url: 'https://cdn.example/ x' }],
    ['a URL without backslashes', { url: 'https:\\\\cdn.example/x' }],
    ['an absolute URL', { url: 's.bin' }],
    ['a checksum of 64 hex digits', { sha256: 'ab' }],
    ['a checksum that is a string', { sha256: 7 }],
  ])('requires %s', (_, change) => {
    expect(codeOf(() => readVersion({ ...plain, snapshot: { ...ref, ...change } }))).toBe('INVALID_RESPONSE');
    expect(codeOf(() => readVersion({ ...plain, recent: { ...ref, ...change } }))).toBe('INVALID_RESPONSE');
  });

  test('resolves relative URLs below the base, and rejects those that leave it', () => {
    const url = (address: string): string =>
      readVersion({ ...plain, snapshot: { ...ref, url: address } }, 'https://cdn.example/list//').snapshot.url;
    expect(url('s.bin')).toBe('https://cdn.example/list/s.bin');
    expect(url('a/b-1/s.bin')).toBe('https://cdn.example/list/a/b-1/s.bin');
    expect(url(ref.url)).toBe(ref.url);
    const outside = ['', ...'../s.bin a/../s.bin ./s.bin /s.bin //evil.example/s a//b .hidden a?b a#b x:y'.split(' ')];
    for (const address of outside) expect([address, codeOf(() => url(address))]).toEqual([address, 'INVALID_RESPONSE']);
  });

  test('rejects any other value with INVALID_RESPONSE and throws nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything({ withNullPrototype: true })), (value) => {
        for (const document of [value, { algoVersion: 'x', snapshot: value, recent: value }, { data: value }]) {
          expect(['none', 'INVALID_RESPONSE']).toContain(codeOf(() => readVersion(document, 'https://cdn.example')));
        }
      }),
    );
  });
});

describe('confirmation', () => {
  test.each(['success', 'ok', 'status', 'statusCode'])(
    'reads an answer whose %s hides the methods of objects, or is nested deeper than the stack',
    (name) => {
      for (const value of ['{"toString":""}', `${'['.repeat(50_000)}${']'.repeat(50_000)}`]) {
        const answer = JSON.parse(`{"${name}":${value},"matches":{"${evil.toString(16).padStart(8, '0')}":[]}}`) as unknown;
        expect(readConfirm(answer, [evil]).get(evil)).toEqual([]);
      }
    },
  );

  const evil = prefixOf('evil.example');
  const other = prefixOf('other.example');
  const hex = (text: string): string => Buffer.from(hashOf(text)).toString('hex');
  const name = (prefix: number): string => prefix.toString(16).padStart(8, '0');
  const groups = { [name(evil)]: [hex('evil.example')] };
  const list = [{ prefix: name(evil), hashes: [hex('evil.example')] }];

  test.each<[string, unknown]>([
    ['as this package writes it', { hashes: groups }],
    ['as a bare map', groups],
    ['as a bare list', list],
    ['as a list of matches', { matches: list }],
    [
      'as results with other names',
      { results: [{ hashPrefix: name(evil).toUpperCase(), fullHashes: [hex('evil.example').toUpperCase()] }] },
    ],
    ['inside "data"', { data: { hashes: groups } }],
    ['inside "data", as results', { data: { results: list } }],
    ['inside "data", as a bare map', { data: groups }],
    ['inside "data", as a bare list', { data: list }],
  ])('accepts a confirmation %s, which says nothing about a prefix that it leaves out', (_, answer) => {
    const confirmed = readConfirm(answer, [evil, other]);
    expect([...confirmed].map(([prefix, hashes]) => [prefix, hashes.map((hash) => Buffer.from(hash).toString('hex'))])).toEqual([
      [evil, [hex('evil.example')]],
    ]);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['an empty object', {}],
    ['an unrelated object', { ok: true }],
    ['a string', 'ok'],
    ['a container that is a string', { hashes: 'none' }],
    ['a container that is null', { hashes: null }],
    ['a map with an unknown key', { ...groups, error: 'x' }],
    ['an error in data', { data: { error: 'overloaded' } }],
    ['a message in data', { data: { message: 'x' } }],
    ['empty data', { data: {} }],
    ['data in data', { data: { data: { hashes: groups } } }],
    ['a container with an unrelated map', { results: { ok: false } }],
    ['a container with bare hashes', { hashes: [hex('evil.example')] }],
    ['another container with bare hashes', { fullHashes: [hex('evil.example')] }],
    ['bare hashes', [hex('evil.example')]],
    ['a hash in place of a list', { hashes: { [name(evil)]: hex('evil.example') } }],
    ['a list inside an object', { hashes: { [name(evil)]: { hashes: [hex('evil.example')] } } }],
    ['hashes inside objects', { hashes: { [name(evil)]: [{ hash: hex('evil.example') }] } }],
    ['hashes with a 0x prefix', { hashes: { [name(evil)]: [`0x${hex('evil.example')}`, 7, null] } }],
    ['prefixes with a 0x prefix', { hashes: { [`0x${name(evil)}`]: [hex('evil.example')] } }],
    ['a group with one hash', { hashes: [{ prefix: name(evil), hash: hex('evil.example') }] }],
    ['a group without a prefix', { matches: [{ fullHash: hex('evil.example') }] }],
    ['a prefix that cannot be converted to a string', { hashes: [{ prefix: { toString: 1 }, hashes: [] }] }],
    ['a list with a valid and an invalid group', { hashes: [...list, { prefix: 'evil', hashes: [] }] }],
    ['hashes that do not begin with their prefix', { hashes: { [name(evil)]: [hex('evil.example'), hex('other.example')] } }],
    ['a group that was not requested', { hashes: { ...groups, [name(other)]: [hex('other.example')] } }],
    ['an empty group that was not requested', { hashes: { ...groups, [name(other)]: [] } }],
    [
      'a hash that is too short beside a valid one',
      { hashes: { [name(evil)]: [hex('evil.example'), hex('evil.example').slice(2)] } },
    ],
    [
      'a hash that is too long beside a valid one',
      { hashes: { [name(evil)]: [hex('evil.example'), `${hex('evil.example')}00`] } },
    ],
    ['a number beside a valid hash', { hashes: { [name(evil)]: [hex('evil.example'), 7] } }],
    ['a hash with a wrong digit', { hashes: { [name(evil)]: [`${hex('evil.example').slice(1)}g`] } }],
    ['1,001 hashes in a group', { hashes: { [name(evil)]: new Array(1_001).fill(hex('evil.example')) } }],
    ['1,001 hashes in two groups of one prefix', { hashes: new Array(1_001).fill(list[0]) }],
    ['a bare empty list', []],
    ['an error beside an empty map', { hashes: {}, error: { code: 'INTERNAL_SERVER_ERROR' } }],
    ['success: false beside an empty map', { success: false, hashes: {} }],
    ['ok: false beside an empty map', { ok: false, hashes: {} }],
    ['status: error beside an empty map', { status: 'error', message: 'down', hashes: {} }],
    ['a status code beside an empty list', { hashes: [], statusCode: 500, message: 'down' }],
    ['words beside an empty list', { hashes: [], message: 'rate limited' }],
    ['words beside data with an empty list', { data: { hashes: [] }, message: 'limited' }],
    ['words beside an empty list as data', { data: [], message: 'limited' }],
    ['words in a list', { hashes: [], message: ['rate limited'] }],
    ['words in an object', { hashes: {}, problem: { text: 'limited' } }],
    ['words under an unknown name', { hashes: [], x: 'please try again' }],
    ['words that only begin well', { hashes: [], message: 'ok, but rate limited: try later' }],
    ['a status of its own', { hashes: [], status: 'RATE_LIMITED' }],
    ['words beside an empty group', { hashes: { [name(evil)]: [] }, message: 'rate limited' }],
    ['words beside an empty map', { hashes: {}, detail: 'try again later' }],
    ['an error code beside an empty map', { hashes: {}, code: 'INTERNAL_SERVER_ERROR', message: 'overloaded' }],
    ...[null, 7, 'x', []].map((group): [string, unknown] => [`a group that is ${JSON.stringify(group)}`, { hashes: [group] }]),
  ])('rejects %s', (_, answer) => {
    expect(codeOf(() => readConfirm(answer, [evil]))).toBe('INVALID_RESPONSE');
  });

  test.each<[string, unknown]>([
    ['an empty map', { hashes: {} }],
    ['an empty list', { hashes: [] }],
    ['an empty list with words that say that all is well', { hashes: [], message: 'OK' }],
    [
      'an empty list with an id and numbers',
      {
        hashes: [],
        requestId: 'a-1',
        messageId: '9f3c',
        errorCount: '0',
        serverTime: '2026-01-01 10:00:00',
        took: 3,
        isCached: true,
      },
    ],
  ])('accepts %s, which says nothing about any prefix', (_, answer) => {
    expect([...readConfirm(answer, [evil])]).toEqual([]);
  });

  test('reads an empty group as "not listed"', () => {
    expect([...readConfirm({ hashes: { [name(evil)]: [] } }, [evil, other])]).toEqual([[evil, []]]);
  });

  test('rejects deeply nested data', () => {
    let answer: object = { hashes: groups };
    for (let depth = 0; depth < 100_000; depth++) answer = { data: answer };
    expect(codeOf(() => readConfirm(answer, [evil]))).toBe('INVALID_RESPONSE');
  });

  test('accepts 1,000 hashes in a group', () => {
    const answer = { hashes: { [name(evil)]: new Array(1_000).fill(hex('evil.example')) } };
    expect(readConfirm(answer, [evil]).get(evil)?.length).toBe(1_000);
  });

  test('rejects any other value with INVALID_RESPONSE and throws nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything({ withNullPrototype: true })), (value) => {
        for (const answer of [
          value,
          { hashes: value },
          { hashes: { [name(evil)]: value } },
          [{ prefix: value, hashes: value }],
        ]) {
          expect(['none', 'INVALID_RESPONSE']).toContain(codeOf(() => readConfirm(answer, [evil])));
        }
      }),
    );
  });

  test('reads back what writeConfirm wrote', () => {
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

describe('shard', () => {
  const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const content = fc
    .tuple(fc.constantFrom(...shardCounts), fc.nat(4_095), fc.array(random, { maxLength: 20 }))
    .map(([shards, number, hashes]) => {
      for (const hash of hashes) hash.set([number >> 4, ((number & 15) << 4) | (hash[1]! & 15)]);
      const sorted = hashes.sort(compareBytes).filter((hash, at) => at === 0 || compareBytes(hashes[at - 1]!, hash) !== 0);
      return { shards, shard: Math.floor((number * shards) / 4096), hashes: sorted };
    });
  const encoded = ({ shards, shard }: { shards: ShardCount; shard: number }, hashes: readonly Uint8Array[]): Uint8Array =>
    encodeShard(shard, shards, hashes.length, (bytes) => bytes.set(Buffer.concat(hashes)));

  test.each([
    [4096, '000', '0a3', 'fff'],
    [256, '00', '0a', 'ff'],
    [16, '0', '0', 'f'],
    [1, 'all', 'all', 'all'],
  ] as const)('one of %d is named by the first digits of its hashes and by its SHA-256', (shards, ...expected) => {
    const sum = `0123456789abcdef${'5'.repeat(48)}`;
    const names = [0, 0x0a3fffff, 0xffffffff].map((prefix) => shardName(shardOf(prefix, shards), shards, sum));
    expect(names).toEqual(expected.map((digits) => `confirm/${digits}-0123456789abcdef.bin`));
  });

  test('reads back what encodeShard wrote', () => {
    fc.assert(
      fc.property(content, ({ hashes, ...which }) => {
        const bytes = encoded(which, hashes);
        expect(bytes.length).toBe(16 + 32 * hashes.length);
        expect(decodeShard(bytes, which.shard, which.shards).map((hash) => [...hash])).toEqual(hashes.map((hash) => [...hash]));
      }),
    );
  });

  test('rejects another shard, truncated bytes, trailing bytes and a wrong order', () => {
    fc.assert(
      fc.property(content, fc.nat(), fc.nat(), ({ hashes, ...which }, at, other) => {
        const { shard, shards } = which;
        const bytes = encoded(which, hashes);
        const refused = (damaged: Uint8Array, as = shard, of = shards): void =>
          expect(codeOf(() => decodeShard(damaged, as, of))).toBe('INVALID_ARTIFACT');
        if (shards > 1) refused(bytes, (shard + 1 + (other % (shards - 1))) % shards);
        for (const count of shardCounts) if (count !== shards) refused(bytes, Math.min(shard, count - 1), count);
        refused(bytes.subarray(0, at % bytes.length));
        refused(Uint8Array.of(...bytes, 0));
        refused(Uint8Array.of(...bytes, ...new Uint8Array(32)));
        if (hashes.length > 1) refused(encoded(which, [...hashes].reverse()));
        if (hashes.length > 0) refused(encoded(which, [hashes[0]!, ...hashes]));
        const header = Uint8Array.from(bytes);
        const place = at % 16;
        header[place] = header[place]! ^ (1 + (other % 255));
        refused(header);
      }),
    );
  });

  test('reads or rejects any bytes, and throws only INVALID_ARTIFACT', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(15), (bytes, shard) => {
        expect(['none', 'INVALID_ARTIFACT']).toContain(codeOf(() => decodeShard(bytes, shard, 16)));
      }),
    );
  });
});
