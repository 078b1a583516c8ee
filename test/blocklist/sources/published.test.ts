import { createHash } from 'node:crypto';
import { hashOf, PrefixSet, prefixOf } from 'portcullis';
import { buildList } from 'portcullis/publish';
import { describe, expect, test } from 'vitest';
import { publishedSource } from '../../../src/blocklist/sources/published-source.js';
import { createVerifiedFiles } from '../../../src/blocklist/sources/verified-files.js';
import { encodeArtifact } from '../../../src/core/prefixes/artifact.js';
import { codeOf, expectAborted, filesOf, hosting, readAll, shardWith } from './harness.js';
import { hosts, published, testHostFaults } from './published-list.js';

test.each(['raw', 'hex', 'json', 'portcullis', 'portcullis-rice'] as const)(
  'reads a list encoded as %s, and confirms each hit with one file',
  async (encoding) => {
    const { list, source, requests } = await published({ encoding }, { now: () => 1_800_000_000_000 });
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
    const shards = ['evil.example', 'nobody.example'].map((host) => `/${shardWith(host, filesOf(list).keys())}`);
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
  expect([snapshot.entries.size - version.covers!, version.minWaitMs]).toEqual([hosts.length, 60_000]);
  expect(requests.map(({ url }) => url)).toEqual(['/version.json']);
});

test('asks about a hit only in the folder of the list, whatever host the version names', async () => {
  const mirror = await hosting(filesOf(await buildList(hosts, { shards: 16 })));
  const { source, requests, list } = await published({ urlBase: mirror.origin, shards: 16 });
  const prefix = prefixOf('evil.example');
  expect((await source.confirm!([prefix], { algoVersion: 'portcullis-1' })).hashes.get(prefix)).toEqual([hashOf('evil.example')]);
  expect(requests.map(({ url }) => url)).toEqual([
    '/version.json',
    expect.stringMatching(/^\/sums-/),
    `/${shardWith('evil.example', filesOf(list).keys())}`,
  ]);
  expect(mirror.requests).toEqual([]);
});

test.each([1, 16, 256, 4096] as const)(
  'confirms a hit with one of %d files, and notices when their number changes',
  async (shards) => {
    const { source, requests, list, answers, origin } = await published({ shards });
    const prefix = prefixOf('evil.example');
    const confirmed = async () => (await source.confirm!([prefix], { algoVersion: 'portcullis-1' })).hashes.get(prefix);
    expect(await confirmed()).toEqual([hashOf('evil.example')]);
    const sums = Array.from({ length: shards > 64 ? 2 : 1 }, () => expect.stringMatching(/^\/sums-[\da-f]{16}\.bin$/));
    expect(requests.map(({ url }) => url)).toEqual([
      '/version.json',
      ...sums,
      `/${shardWith('evil.example', filesOf(list).keys())}`,
    ]);
    // Another number takes over, and the old files are deleted. The source still has the shard.
    const next = await buildList(hosts, { shards: shards === 16 ? 1 : 16, previous: list });
    for (const { name } of list.files) answers.set(name, { status: 404 });
    for (const { name, bytes } of next.files) answers.set(name, { body: Buffer.from(bytes) });
    expect(await confirmed()).toEqual([hashOf('evil.example')]);
    // The files are gone, and the version document has not changed: nothing is said to be unlisted.
    for (const { name } of next.files) if (name.startsWith('confirm/')) answers.set(name, { status: 404 });
    const again = publishedSource({ url: origin });
    expect(await codeOf(again.confirm!([prefix], { algoVersion: 'portcullis-1' }))).toBe('NOT_FOUND');
  },
);

test('follows a redirect to a mirror', async () => {
  const { answers, source, list } = await published();
  const mirror = await hosting(filesOf(list));
  answers.set('version.json', { status: 302, headers: { location: `${mirror.origin}/version.json` } });
  const { version, snapshot } = await readAll(source);
  expect(snapshot.entries.size - version.covers!).toBe(hosts.length);
});

test.each([300, 304, 399])(
  'takes an unasked status %d without a target for a redirect that cannot be followed',
  async (status) => {
    const { answers, source, list } = await published();
    for (const name of ['version.json', list.version.snapshot.url]) {
      answers.set(name, { status });
      expect(await codeOf(readAll(source)), name).toBe('REDIRECTED');
      answers.delete(name);
    }
  },
);

describe('a host', () => {
  // The other files are downloaded the same way: sources-faults.deep.test.ts.
  testHostFaults('snapshot');

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
    const name = shardWith('evil.example', files.keys());
    const shard = Buffer.from(files.get(name)!);
    const other = Buffer.from([...files].find(([other]) => other.startsWith('confirm/') && other !== name)![1]);
    for (const body of [shard.subarray(0, -1), Buffer.concat([shard, shard]), other, Buffer.alloc(0), shard.subarray(0, 16)]) {
      answers.set(name, { body });
      expect(await codeOf(source.confirm!([prefix], { algoVersion: 'portcullis-1' }))).toBe('INVALID_RESPONSE');
    }
  });

  test('is rejected if it names plain http on another host', async () => {
    const { source, answers, list } = await published();
    answers.set('version.json', { body: { ...list.version, recent: { ...list.version.recent, url: 'http://files.example/s' } } });
    expect(await codeOf(source.version({}))).toBe('INVALID_RESPONSE');
  });

  test('is rejected if it names another algorithm than its file', async () => {
    const { source, answers, list } = await published();
    answers.set('version.json', { body: { ...list.version, algoVersion: 'safe-browsing-4' } });
    expect(await codeOf(readAll(source))).toBe('INVALID_ARTIFACT');
  });

  test('is rejected if it announces a wrong count without a checksum', async () => {
    const { source, answers, list } = await published();
    const body = Buffer.from(encodeArtifact(PrefixSet.from([1, 2, 3]), { encoding: 'raw' }));
    const part = (count: number) => ({ token: 't', count, url: 's.bin' });
    answers.set('s.bin', { body });
    for (const count of [1, 2, 4, 1_000]) {
      answers.set('version.json', { body: { ...list.version, snapshot: part(count), recent: part(3) } });
      expect(await codeOf(readAll(source))).toBe('INVALID_ARTIFACT');
    }
    answers.set('version.json', { body: { ...list.version, snapshot: part(3), recent: part(3) } });
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
  /** A published list of many hosts without a server, and the files that were requested. */
  async function counted(count: number) {
    const names = Array.from({ length: count }, (_, at) => `evil-${at}.example`);
    const list = await buildList(names, { shards: 4096 });
    const files = filesOf(list);
    const requests: string[] = [];
    const shards = (): string[] => requests.filter((name) => name.startsWith('confirm/'));
    const versions = (): number => requests.filter((name) => name === 'version.json').length;
    const clock = { nowMs: 1_800_000_000_000 };
    const fetch = async (url: string): Promise<Response> => {
      const name = url.replace('https://list.example/', '');
      requests.push(name);
      const body = files.get(name);
      return new Response(body as BodyInit, { status: body === undefined ? 404 : 200 });
    };
    const source = publishedSource({ url: 'https://list.example', fetch, now: () => clock.nowMs });
    await source.version({});
    const confirm = (some: readonly string[]) => source.confirm!(some.map(prefixOf), { algoVersion: 'portcullis-1' });
    return { names, list, files, requests, shards, versions, clock, source, confirm };
  }

  test('by 2,000 hits in questions of a hundred: each is requested once', async () => {
    const { names, shards, versions, confirm } = await counted(2_000);
    for (let at = 0; at < 2_000; at += 100) {
      const some = names.slice(at, at + 100);
      const { hashes } = await confirm(some);
      expect(some.filter((name) => hashes.get(prefixOf(name))?.length !== 1)).toEqual([]);
    }
    const distinct = new Set(names.map((name) => prefixOf(name) >>> 20)).size;
    expect([shards().length, new Set(shards()).size, versions()]).toEqual([distinct, distinct, 1]);
    await confirm(names);
    expect(shards()).toHaveLength(distinct);
  });

  test('by questions at the same time', async () => {
    const { shards, requests, confirm } = await counted(10);
    await Promise.all(Array.from({ length: 20 }, () => confirm(['evil-1.example'])));
    // Two files of sums.
    expect([shards().length, requests.length]).toEqual([1, 4]);
  });

  test('until the version is five minutes old, and then if it is unchanged', async () => {
    const { shards, versions, clock, confirm } = await counted(10);
    expect(await confirm(['evil-1.example'])).toMatchObject({ negativeMs: 300_000 });
    clock.nowMs += 200_000;
    expect(await confirm(['evil-1.example'])).toMatchObject({ negativeMs: 100_000 });
    expect(versions()).toBe(1);
    clock.nowMs += 100_000;
    expect(await confirm(['evil-1.example'])).toMatchObject({ negativeMs: 300_000 });
    expect(versions()).toBe(2);
    // A clock that was set back says nothing about the age.
    clock.nowMs -= 1;
    await Promise.all([confirm(['evil-1.example']), confirm(['evil-2.example'])]);
    expect([versions(), shards().length]).toEqual([3, 2]);
  });

  test('until the list changes, which another process may have fetched', async () => {
    const { list, files, shards, versions, source, confirm } = await counted(10);
    await confirm(['evil-1.example']);
    const next = await buildList(['evil-2.example', 'new.example'], { previous: list, shards: 4096 });
    for (const [name, bytes] of filesOf(next)) files.set(name, bytes);
    expect((await confirm(['new.example'])).hashes.get(prefixOf('new.example'))).toEqual([]);
    const { sequence } = next.version;
    const asked = ['new.example', 'evil-1.example'].map(prefixOf);
    const { hashes } = await source.confirm!(asked, { algoVersion: 'portcullis-1', sequence });
    expect(asked.map((prefix) => hashes.get(prefix)!.length)).toEqual([1, 0]);
    expect([versions(), shards().length]).toEqual([2, 4]);
  });

  test('within 8 MiB, the latest first', async () => {
    let asked = 0;
    const files = createVerifiedFiles(async ({ url }) => {
      asked++;
      return Buffer.alloc(1024 * 1024, url);
    });
    const read = (name: string): Promise<Uint8Array> => {
      const sha256 = createHash('sha256')
        .update(Buffer.alloc(1024 * 1024, name))
        .digest('hex');
      return files({ url: name, sha256, maxBytes: 1024 * 1024 }, () => {});
    };
    for (const name of 'abcdefgh') await read(name);
    await read('a');
    expect(asked).toBe(8);
    await read('i');
    for (const name of 'acdefghi') await read(name);
    expect(asked).toBe(9);
    await read('b');
    expect(asked).toBe(10);
  });

  test('if they were right: one that fails is requested again', async () => {
    const { files, shards, confirm } = await counted(10);
    const name = shardWith('evil-1.example', files.keys());
    const bytes = files.get(name)!;
    files.set(name, bytes.subarray(1));
    expect(await codeOf(confirm(['evil-1.example']))).toBe('INVALID_RESPONSE');
    files.set(name, bytes);
    await confirm(['evil-1.example']);
    expect(shards()).toHaveLength(2);
  });
});

test('an interrupted publish leaves every hit of the old list confirmed, whichever files were written', async () => {
  const { answers, source, list } = await published();
  const next = await buildList(['evil.example', 'added.example'], { previous: list, shards: 4096 });
  const confirmed = async (host: string) => {
    const asked = prefixOf(host);
    return (await source.confirm!([asked], { algoVersion: 'portcullis-1' })).hashes.get(asked)!.length;
  };
  // Everything but the version document, which is written last.
  const files = [...next.files].filter(({ name }) => name !== 'version.json');
  for (const { name, bytes } of files) answers.set(name, { body: Buffer.from(bytes) });
  for (const host of hosts) expect(await confirmed(host), host).toBe(1);
  expect(await confirmed('added.example')).toBe(0);
});

test.each(['sequence', 'confirm', 'shards'] as const)('rejects a version document without %s', async (name) => {
  const { source, answers, list } = await published();
  const { [name]: _, ...version } = list.version;
  answers.set('version.json', { body: version });
  expect(await codeOf(source.version({}))).toBe('INVALID_RESPONSE');
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
    if (!url.includes('/confirm/')) return new Response(list.get(url.replace('https://list.example/', '')) as BodyInit);
    asked.push(url);
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
  for (const name of ['version.json', list.version.snapshot.url, list.version.confirm.url]) answers.set(name, { fault: 'hang' });
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
    expect(() => publishedSource({ url: wrong }), wrong).toThrow(/^publishedSource: url /);
  expect(() => publishedSource({ url, id: 'A' })).toThrow(/^publishedSource: id /);
  expect(() => publishedSource({ url, publicKey: 'x' } as never)).toThrow(/publicKeys/);
  expect(() => publishedSource({ url, idleTimeoutMs: Number.NaN })).toThrow(/^publishedSource: idleTimeoutMs /);
  expect(() => publishedSource(undefined as never)).toThrow(/^publishedSource: url /);
  expect(() => publishedSource({ url: 7 as never })).toThrow(/^publishedSource: url /);
  expect(publishedSource({ url: 'http://list.example', allowInsecureHttp: true })).toMatchObject({
    id: 'published',
    moves: false,
  });
});

test('rejects a version of another source', async () => {
  const { source } = await published();
  expect(await codeOf(source.artifact('snapshot', { algoVersion: 'x', snapshot: { token: 't' } }, {}))).toBe('INVALID_INPUT');
});
