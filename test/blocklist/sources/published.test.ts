import { hashOf, PrefixSet, prefixOf } from 'portcullis';
import { buildList } from 'portcullis/publish';
import { describe, expect, test } from 'vitest';
import { encodeShard } from '../../../src/blocklist/formats/shards.js';
import { publishedSource } from '../../../src/blocklist/sources/published-source.js';
import { createShardCache } from '../../../src/blocklist/sources/shard-cache.js';
import { encodeArtifact } from '../../../src/core/prefixes/artifact.js';
import { codeOf, expectAborted, filesOf, hosting, readAll } from './harness.js';
import { hosts, published, testHostFaults } from './published-list.js';

test.each(['raw', 'hex', 'json', 'portcullis', 'portcullis-rice'] as const)(
  'reads a list encoded as %s, and confirms each hit with one file',
  async (encoding) => {
    const { list, source, requests } = await published({ encoding });
    const { version, snapshot, recent } = await readAll(source);
    expect([...(snapshot.entries as PrefixSet)]).toEqual([...list.snapshot]);
    expect([...(recent!.entries as PrefixSet)]).toEqual([]);
    expect([version.algoVersion, snapshot.isProven, recent!.isProven]).toEqual(['portcullis-1', true, true]);

    const asked = [prefixOf('evil.example'), prefixOf('nobody.example')];
    const before = requests.length;
    const { hashes, negativeMs } = await source.confirm!(asked, { algoVersion: 'portcullis-1' });
    expect([...hashes]).toEqual([
      [asked[0], [hashOf('evil.example')]],
      [asked[1], []],
    ]);
    expect(negativeMs).toBe(300_000);
    // The host learns only 12 bits of a hit; the sums are those of 64 shards.
    const shards = asked.map((prefix) => `/confirm/${prefix.toString(16).padStart(8, '0').slice(0, 3)}.bin`);
    expect(
      requests
        .slice(before)
        .map(({ url }) => url)
        .filter((url) => !url.startsWith('/sums-'))
        .sort(),
    ).toEqual(shards.sort());
    expect(requests.every(({ headers }) => headers.cookie === undefined && headers['x-api-key'] === undefined)).toBe(true);
  },
);

test('the next build changes only the recent token', async () => {
  const now = (): number => 1_772_366_400_000;
  const monday = await buildList(hosts, { now });
  const tuesday = await buildList([...hosts, 'fresh.example'], { now, previous: monday });
  const files = filesOf(monday);
  const { origin } = await hosting(files);
  const source = publishedSource({ url: `${origin}/version.json` });
  const first = await readAll(source);
  for (const [name, bytes] of filesOf(tuesday)) files.set(name, bytes);
  const second = await readAll(source);
  expect(second.version.snapshot).toEqual(first.version.snapshot);
  expect(second.version.recent).not.toEqual(first.version.recent);
  expect([...(second.recent!.entries as PrefixSet)]).toEqual([prefixOf('fresh.example')]);
  const fresh = prefixOf('fresh.example');
  expect((await source.confirm!([fresh], { algoVersion: 'portcullis-1' })).hashes.get(fresh)).toEqual([hashOf('fresh.example')]);
});

test('follows absolute URLs to another host, and passes on minWaitMs', async () => {
  const mirror = await hosting(filesOf(await buildList(hosts, { shards: 4096 })));
  const { source, requests } = await published({ urlBase: mirror.origin, minWaitMs: 60_000 });
  const { version, snapshot } = await readAll(source);
  expect([snapshot.entries.size, version.minWaitMs]).toEqual([hosts.length, 60_000]);
  expect(requests.map(({ url }) => url)).toEqual(['/version.json']);
});

test.each([1, 16, 256, 4096] as const)(
  'confirms a hit with one of %d files, and notices when their number changes',
  async (shards) => {
    const { source, requests, list, answers } = await published({ shards });
    const prefix = prefixOf('evil.example');
    const confirmed = async (listChanges = 1) =>
      (await source.confirm!([prefix], { algoVersion: 'portcullis-1', listChanges })).hashes.get(prefix);
    expect(await confirmed()).toEqual([hashOf('evil.example')]);
    const digits = prefix
      .toString(16)
      .padStart(8, '0')
      .slice(0, Math.log2(shards) / 4);
    const sums = Array.from({ length: shards > 64 ? 2 : 1 }, () => expect.stringMatching(/^\/sums-[\da-f]{16}\.bin$/));
    expect(requests.map(({ url }) => url)).toEqual(['/version.json', `/confirm/${digits || 'all'}.bin`, ...sums]);
    // Another number takes over, and the old files are deleted.
    const next = await buildList(hosts, { shards: shards === 16 ? 1 : 16, previous: list });
    for (const { name } of list.files) answers.set(name, { status: 404 });
    for (const { name, bytes } of next.files) answers.set(name, { body: Buffer.from(bytes) });
    expect(await confirmed()).toEqual([hashOf('evil.example')]);
    // The files are gone, and the version document has not changed: nothing is said to be unlisted.
    for (const { name } of next.files) if (name.startsWith('confirm/')) answers.set(name, { status: 404 });
    expect(await codeOf(confirmed(2))).toBe('NOT_FOUND');
  },
);

test('follows a redirect to a mirror', async () => {
  const { answers, source, list } = await published();
  const mirror = await hosting(filesOf(list));
  answers.set('version.json', { status: 302, headers: { location: `${mirror.origin}/version.json` } });
  expect((await readAll(source)).snapshot.entries.size).toBe(hosts.length);
});

describe('a host', () => {
  // The other files are downloaded the same way: sources-faults.deep.test.ts.
  testHostFaults('snapshot');
  testHostFaults('shard');

  test('is rejected, or the list is unchanged, if it changes, drops or adds a byte of any file', async () => {
    const { source, answers, list } = await published();
    const files = filesOf(list);
    const prefix = prefixOf('evil.example');
    const good = await readAll(source);
    for (const name of ['version.json', list.version.snapshot.url, list.version.recent.url]) {
      const bytes = Buffer.from(files.get(name)!);
      const broken = [bytes.subarray(0, -2), Buffer.concat([bytes, Buffer.from('x')])];
      for (let at = 0; at < bytes.length; at += 7)
        broken.push(Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 4 : byte))));
      for (const body of broken) {
        answers.set(name, { body });
        const read = await readAll(source).catch((error: { code?: string }) => error.code);
        if (typeof read === 'object')
          expect([...(read.snapshot.entries as PrefixSet)]).toEqual([...(good.snapshot.entries as PrefixSet)]);
        else expect(['INVALID_ARTIFACT', 'INVALID_RESPONSE', 'NOT_FOUND', 'LIMIT_EXCEEDED']).toContain(read);
      }
      answers.clear();
    }
    const name = `confirm/${prefix.toString(16).padStart(8, '0').slice(0, 3)}.bin`;
    const shard = Buffer.from(files.get(name)!);
    const other = Buffer.from(files.get(name === 'confirm/000.bin' ? 'confirm/001.bin' : 'confirm/000.bin')!);
    for (const body of [shard.subarray(0, -1), Buffer.concat([shard, shard]), other, Buffer.alloc(0), shard.subarray(0, 16)]) {
      answers.set(name, { body });
      expect(await codeOf(source.confirm!([prefix], { algoVersion: 'portcullis-1' }))).toBe('INVALID_RESPONSE');
    }
  });

  test.each([
    ['names plain http on another host', 'http://files.example/s'],
    ['names another scheme', 'file:///etc/passwd'],
    ['climbs out of the folder', '../s.bin'],
    ['names a path from the root', '/s.bin'],
  ])('is rejected if it %s', async (_, url) => {
    const { source, answers, list } = await published();
    const version = { ...list.version, recent: { ...list.version.recent, url } };
    answers.set('version.json', { body: version });
    expect(await codeOf(source.version({}))).toBe('INVALID_RESPONSE');
  });

  test('is rejected if it names another algorithm than its file', async () => {
    const { source, answers, list } = await published();
    answers.set('version.json', { body: { ...list.version, algoVersion: 'safe-browsing-4' } });
    expect(await codeOf(readAll(source))).toBe('INVALID_ARTIFACT');
  });

  test('is rejected if it announces a wrong count without a checksum', async () => {
    const { source, answers } = await published();
    const body = Buffer.from(encodeArtifact(PrefixSet.from([1, 2, 3]), { encoding: 'raw' }));
    const part = (count: number) => ({ token: 't', count, url: 's.bin' });
    answers.set('s.bin', { body });
    for (const count of [1, 2, 4, 1_000]) {
      answers.set('version.json', { body: { algoVersion: 'portcullis-1', snapshot: part(count), recent: part(3) } });
      expect(await codeOf(readAll(source))).toBe('INVALID_ARTIFACT');
    }
    answers.set('version.json', { body: { algoVersion: 'portcullis-1', snapshot: part(3), recent: part(3) } });
    expect((await readAll(source)).snapshot).toMatchObject({ isProven: false });
  });
});

test('fetches a shard once for all its hits, six shards at a time', async () => {
  let running = 0;
  let maxRunning = 0;
  const list = filesOf(await buildList(hosts, { shards: 4096 }));
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    const isShard = url.includes('/confirm/');
    if (isShard) {
      asked.push(url);
      maxRunning = Math.max(maxRunning, ++running);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (isShard) running--;
    return new Response(list.get(url.replace('https://list.example/', '')) as BodyInit);
  };
  const prefixes = Array.from({ length: 40 }, (_, at) => (at * 0x3000_0001) >>> 0);
  const source = publishedSource({ url: 'https://list.example/', fetch });
  await source.version({});
  asked.length = 0;
  const { hashes } = await source.confirm!([...prefixes, ...prefixes.map((prefix) => prefix ^ 1)], {
    algoVersion: 'portcullis-1',
  });
  expect([hashes.size, asked.length, new Set(asked).size, maxRunning]).toEqual([80, 16, 16, 6]);
});

describe('shards are reused', () => {
  /** A published list of many hosts without a server, and the shards that were requested. */
  async function counted(count: number) {
    const names = Array.from({ length: count }, (_, at) => `evil-${at}.example`);
    const files = filesOf(await buildList(names, { shards: 4096 }));
    const shards: string[] = [];
    const clock = { nowMs: 1_800_000_000_000 };
    const fetch = async (url: string): Promise<Response> => {
      const name = url.replace('https://list.example/', '');
      if (name.startsWith('confirm/')) shards.push(name);
      return new Response(files.get(name) as BodyInit);
    };
    const source = publishedSource({ url: 'https://list.example', fetch, now: () => clock.nowMs });
    await source.version({});
    const confirm = (some: readonly string[], listChanges = 1) =>
      source.confirm!(some.map(prefixOf), { algoVersion: 'portcullis-1', listChanges });
    return { names, files, shards, clock, source, confirm };
  }

  test('by 2,000 hits in questions of a hundred: each is requested once', async () => {
    const { names, shards, confirm } = await counted(2_000);
    for (let at = 0; at < 2_000; at += 100) {
      const some = names.slice(at, at + 100);
      const { hashes } = await confirm(some);
      expect(some.filter((name) => hashes.get(prefixOf(name))?.length !== 1)).toEqual([]);
    }
    const distinct = new Set(names.map((name) => prefixOf(name) >>> 20)).size;
    expect([shards.length, new Set(shards).size]).toEqual([distinct, distinct]);
    await confirm(names);
    expect(shards).toHaveLength(distinct);
  });

  test('for five minutes from their request, after which their denials have ended, too', async () => {
    const { shards, clock, confirm } = await counted(10);
    expect(await confirm(['evil-1.example'])).toMatchObject({ negativeMs: 300_000 });
    clock.nowMs += 200_000;
    expect(await confirm(['evil-1.example'])).toMatchObject({ negativeMs: 100_000 });
    expect(shards).toHaveLength(1);
    clock.nowMs += 100_000;
    expect(await confirm(['evil-1.example'])).toMatchObject({ negativeMs: 300_000 });
    clock.nowMs -= 1;
    await confirm(['evil-1.example']);
    expect(shards).toHaveLength(3);
  });

  test('until the list changes, which another process may have fetched', async () => {
    const { files, shards, source, confirm } = await counted(10);
    await confirm(['evil-1.example'], 1);
    await confirm(['evil-1.example'], 2);
    expect(shards).toHaveLength(2);
    for (const [name, bytes] of filesOf(await buildList(['evil-1.example', 'new.example'], {}))) files.set(name, bytes);
    await source.version({});
    await confirm(['evil-1.example'], 2);
    expect(shards).toHaveLength(3);
  });

  test('within 8 MiB', async () => {
    const cache = createShardCache(300_000, () => 0);
    const hashes = Array.from({ length: 8_000 }, (_, at) =>
      Uint8Array.from({ length: 32 }, (_, place) => (place === 2 ? at >> 8 : place === 3 ? at & 255 : 0)),
    );
    const bytes = encodeShard(0, 4096, hashes.length, (to) => to.set(Buffer.concat(hashes)));
    for (let number = 0; number < 100; number++) {
      const own = bytes.slice();
      own.set([number >> 8, number], 10);
      for (let at = 16; at < own.length; at += 32) own.set([number >> 4, (number & 15) << 4], at);
      cache.get(number, 's');
      cache.add(number, 4096, { bytes: own, requestedAtMs: 0 }, 's');
    }
    const kept = Array.from({ length: 100 }, (_, number) => cache.get(number, 's') !== undefined);
    const count = Math.floor((8 * 1024 * 1024) / bytes.length);
    expect(kept).toEqual(Array.from({ length: 100 }, (_, number) => number >= 100 - count));
  });
});

test('does not use shards of another algorithm for an older list', async () => {
  const { source, answers, list, requests } = await published();
  const asked = prefixOf('evil.example');
  answers.set('version.json', { body: { ...list.version, algoVersion: 'portcullis-2' } });
  // A source that was created after a restart polls once.
  expect(await codeOf(source.confirm!([asked], { algoVersion: 'portcullis-1' }))).toBe('INVALID_RESPONSE');
  expect(await codeOf(source.confirm!([asked], { algoVersion: 'portcullis-1' }))).toBe('INVALID_RESPONSE');
  expect(requests.map(({ url }) => url)).toEqual(['/version.json']);
  answers.clear();
  await source.version({});
  expect((await source.confirm!([asked], { algoVersion: 'portcullis-1' })).hashes.get(asked)).toEqual([hashOf('evil.example')]);
});

test('starts no further download after one has failed', async () => {
  const list = filesOf(await buildList(hosts, { shards: 4096 }));
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    if (url.endsWith('version.json')) return new Response(list.get('version.json') as BodyInit);
    if (url.includes('/confirm/')) asked.push(url);
    return new Response('', { status: 500 });
  };
  const prefixes = Array.from({ length: 40 }, (_, at) => at * 0x0100_0000);
  expect(
    await codeOf(publishedSource({ url: 'https://list.example', fetch }).confirm!(prefixes, { algoVersion: 'portcullis-1' })),
  ).toBe('INTERNAL_SERVER_ERROR');
  expect(asked.length).toBe(6);
});

test('aborts every wait', async () => {
  const { source, answers, list } = await published();
  const version = await source.version({});
  for (const name of ['version.json', list.version.snapshot.url, 'confirm/000.bin', 'confirm/800.bin'])
    answers.set(name, { fault: 'hang' });
  for (const run of [
    (signal: AbortSignal) => source.version({ signal }),
    (signal: AbortSignal) => source.artifact('snapshot', version, { signal }),
    (signal: AbortSignal) => source.confirm!([1, 2 ** 31], { algoVersion: 'portcullis-1', signal }),
  ]) {
    expect(await codeOf(run(AbortSignal.abort()))).toBe('ABORTED');
    await expectAborted(run);
  }
});

test('rejects invalid options', () => {
  const url = 'https://list.example';
  for (const wrong of ['http://list.example', 'https://user:pass@list.example', `${url}/?a`, `${url}/#a`, 'list.example', ''])
    expect(() => publishedSource({ url: wrong }), wrong).toThrow(/^url /);
  expect(() => publishedSource({ url, id: 'A' })).toThrow(/^id /);
  expect(() => publishedSource({ url, idleTimeoutMs: Number.NaN })).toThrow(/^idleTimeoutMs /);
  expect(() => publishedSource(undefined as never)).toThrow(TypeError);
  expect(() => publishedSource({ url: 7 as never })).toThrow(TypeError);
  expect(publishedSource({ url: 'http://list.example', allowInsecureHttp: true })).toMatchObject({
    id: 'published',
    moves: false,
  });
});

test('rejects a version of another source', async () => {
  const { source } = await published();
  expect(await codeOf(source.artifact('snapshot', { algoVersion: 'x', snapshot: { token: 't' } }, {}))).toBe('INVALID_INPUT');
});
